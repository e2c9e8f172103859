import { BOOLEAN, COUNT, TEXT, TIME, about, list, nullable, object, type Static } from './schema.ts'

/** Moving a folder to another directory. */

const METHOD = about(
  { enum: ['rename', 'copy'] } as const,
  '`rename`: both places are on one file system; `copy`: the files are copied, verified, and then removed.',
)

const MOVE_PREVIEW = object({
  folder: TEXT,
  from: about(TEXT, 'The directory of the folder, absolute.'),
  to: about(TEXT, 'The new directory, absolute.'),
  method: METHOD,
  files: about(COUNT, 'With `rename` as the index counts them, with `copy` all files that are there.'),
  bytes: COUNT,
  freeBytes: about(nullable(COUNT), 'Free space at the new place; null if unknown.'),
  problem: about(
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
        text: about(TEXT, 'The reason with its remedy.'),
      }),
    ),
    'Why the folder cannot be moved there; null when it can.',
  ),
})

const MOVE = object({
  folder: TEXT,
  from: about(TEXT, 'The old directory, absolute.'),
  to: about(TEXT, 'The new directory, absolute.'),
  method: METHOD,
  state: about(
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
  ended: about(nullable(TIME), 'Null while it runs.'),
  cancellable: about(BOOLEAN, 'Whether it can be cancelled: the folder is at the old place still.'),
  error: about(TEXT, 'Why it waits, was undone or has failed; else empty.'),
  left: about(
    list(TEXT),
    'Items that stayed in the old directory, because they were changed or are no files; after an undone move those ' +
      'in the new one. At most 100 of them.',
  ),
  leftCount: COUNT,
})

export type MoveJson = Static<typeof MOVE>

export const MOVE_REPLY = object({
  move: about(nullable(MOVE), 'The move that runs, or the last one; null if the folder was never moved.'),
})

export type MoveReplyJson = Static<typeof MOVE_REPLY>

export const MOVE_STARTED = object({
  preview: about(nullable(MOVE_PREVIEW), 'With `preview`: what the move would do; nothing was changed.'),
  move: about(nullable(MOVE), 'Without `preview`: the move that has begun.'),
})

export type MoveStartedJson = Static<typeof MOVE_STARTED>
