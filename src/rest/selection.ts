import { BOOLEAN, COUNT, TEXT, described, list, map, nullable, object, type Static } from './schema.ts'

/** What of a folder is kept on this device, and what is dropped. */

const STATE = { enum: ['kept', 'dropped'] } as const

const ENTRY = object({
  path: described(TEXT, 'A path in the folder; empty is the whole folder.'),
  state: described(STATE, 'For the path and everything below it, up to the next entry below.'),
  reason: described(
    { enum: ['chosen', 'made-here', 'renamed'] } as const,
    'Who made the entry: a user; a new item in a dropped directory; a kept item that was renamed on another device.',
  ),
})

export const SELECTION = object({
  entries: described(
    list(ENTRY),
    'In the order of their patterns in `.stignore`: what is below a path before the path. What has no entry at or ' +
      'above it is kept.',
  ),
  removing: described(BOOLEAN, 'Dropped items are being removed, or will be as soon as the folder runs.'),
  error: described(
    nullable(TEXT),
    'Why the selection in `.stignore` cannot be read; then it cannot be changed either.',
  ),
})

export type SelectionJson = Static<typeof SELECTION>

export const SELECT_BODY = object(
  {
    keep: described(list(TEXT), 'Paths to keep on this device, with everything below them; empty is the whole folder.'),
    drop: described(list(TEXT), 'Paths to remove from this device. Nothing is deleted on others.'),
    preview: described(BOOLEAN, 'Only count what would be freed and fetched.'),
    force: described(BOOLEAN, 'Drop files that no other device has as well. They are lost, or become old versions.'),
  },
  ['keep', 'drop', 'preview', 'force'],
)

const AMOUNT = object({ files: COUNT, bytes: COUNT })

export const SELECTED = object({
  preview: described(BOOLEAN, 'Nothing was changed.'),
  freed: described(AMOUNT, 'Files of this device that are dropped.'),
  fetched: described(AMOUNT, 'Files that are kept and not on this device yet.'),
  onlyHere: described(
    object({ files: COUNT, bytes: COUNT, examples: list(TEXT) }),
    'Dropped files that no other device has, and up to 20 of their names. Without `force` nothing is changed then.',
  ),
  holders: described(map(AMOUNT), 'How much of what is freed and fetched each other device has.'),
  overruled: described(
    list(object({ path: TEXT, line: TEXT })),
    'Paths on which a line of your own in `.stignore` decides, before the selection does.',
  ),
  left: described(map(TEXT), 'The reason for each dropped file that is still here, and stays kept.'),
  truncated: described(BOOLEAN, 'There are more files than were counted.'),
})

export type SelectedJson = Static<typeof SELECTED>
