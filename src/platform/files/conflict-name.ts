import { shortIdText } from '../../core/device-id.ts'
import { systemCode } from '../../core/errors.ts'
import { compactTime } from '../../core/formats/local-time.ts'
import type { ShortId } from '../../core/ids.ts'
import { conflictName, conflictOriginal } from '../../core/paths.ts'

/** Conflict copies of one file in the same second use the following seconds. */
const NAMES_TRIED_MAX = 60

export interface ConflictCopy {
  /** The name of the file. One that is a conflict copy itself gets another name of the same original. */
  readonly name: string
  readonly author: ShortId
  readonly timeMs: number
}

/**
 * Renames an item to the first unused conflict name. `rename` rejects with `EEXIST` where the name is in use. Resolves
 * with the name; undefined where all are in use.
 */
export async function renameToConflictName(
  { name, author, timeMs }: ConflictCopy,
  rename: (to: string) => Promise<void>,
): Promise<string | undefined> {
  const original = conflictOriginal(name)
  for (let tried = 0; tried < NAMES_TRIED_MAX; tried++) {
    const copy = conflictName(original, compactTime(timeMs + tried * 1_000), shortIdText(author))
    try {
      await rename(copy)
      return copy
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
  return undefined
}
