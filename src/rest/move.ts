import { BOOLEAN, COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** Moving a folder to another directory. */

const METHOD = described(
  { enum: ['rename', 'copy'] } as const,
  '`rename`: both places are on one file system; `copy`: the files are copied, verified, and then removed.',
)

const MOVE_PREVIEW = object({
  folder: TEXT,
  from: described(TEXT, 'The directory of the folder, absolute.'),
  to: described(TEXT, 'The new directory, absolute.'),
  method: METHOD,
  files: described(COUNT, 'With `rename` as the index counts them, with `copy` all files that are there.'),
  bytes: COUNT,
  freeBytes: described(nullable(COUNT), 'Free space at the new place; null if unknown.'),
  problem: described(
    nullable(
      object({
        code: {
          enum: [
            'relative',
            'same',
            'inside',
            'around',
            'other-folder',
            'home',
            'used',
            'no-directory',
            'no-parent',
            'unreadable',
            'mounted',
            'stopped',
            'no-space',
          ],
        },
        text: described(TEXT, 'The reason with its remedy.'),
      }),
    ),
    'Why the folder cannot be moved there; null when it can.',
  ),
})

const MOVE = object({
  folder: TEXT,
  from: described(TEXT, 'The old directory, absolute.'),
  to: described(TEXT, 'The new directory, absolute.'),
  method: METHOD,
  state: described(
    {
      enum: ['prepared', 'copying', 'verified', 'switched', 'removing', 'undoing', 'done', 'failed', 'cancelled'],
    } as const,
    '`prepared`: about to begin; `copying`: files are copied and verified; `verified`: the copy is complete; ' +
      '`switched`: the settings have the new path; `removing`: the old files are removed; `undoing`: the copy is ' +
      'removed; `done`, `failed` and `cancelled`: it has ended.',
  ),
  files: COUNT,
  filesDone: COUNT,
  bytes: COUNT,
  bytesDone: COUNT,
  started: TIME,
  ended: described(nullable(TIME), 'Null while it runs.'),
  cancellable: described(BOOLEAN, 'Whether it can be cancelled: the folder is at the old place still.'),
  error: described(TEXT, 'Why it waits, was undone or has failed; else empty.'),
  left: described(
    list(TEXT),
    'Items that stayed in the old directory, because they were changed or are no files; after an undone move those ' +
      'in the new one. At most 100 of them.',
  ),
  leftCount: COUNT,
})

export type MoveJson = Static<typeof MOVE>

export const MOVE_REPLY = object({
  move: described(nullable(MOVE), 'The move that runs, or the last one; null if the folder was never moved.'),
})

export type MoveReplyJson = Static<typeof MOVE_REPLY>

export const MOVE_STARTED = object({
  preview: described(nullable(MOVE_PREVIEW), 'With `preview`: what the move would do; nothing was changed.'),
  move: described(nullable(MOVE), 'Without `preview`: the move that has begun.'),
})

export type MoveStartedJson = Static<typeof MOVE_STARTED>
