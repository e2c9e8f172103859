import { messageOf, TwinfoldError } from '../errors.ts'
import { IgnoreRules } from './ignore.ts'
import { trimLine } from './ignore-include.ts'

/** A file of a folder, synchronized like any other, with patterns for all devices that use it. */
export const SHARED_IGNORES_NAME = '.stglobalignore'

/** The file comes from other devices, so its cost is bounded: far above what people write by hand. */
export const SHARED_SIZE_BYTES_MAX = 256 * 1_024
const LINES_MAX = 5_000
/** The file itself is not left out by its own patterns: otherwise a correction of it would not arrive. */
const EXCEPTION = `!/${SHARED_IGNORES_NAME}`

/** The patterns of a shared file, or the reason why it is not used. */
export type SharedLines =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'problem'; readonly reason: string }

export function parseSharedIgnores(text: string): SharedLines {
  const lines = text
    .split('\n')
    .map(trimLine)
    .filter((line) => line !== '' && !line.startsWith('//'))
  if (lines.length > LINES_MAX) return problem(`it has more than ${LINES_MAX} patterns`)
  // It could include a file of this device that is not synchronized, and tell others by what is missing.
  const include = lines.find((line) => line.startsWith('#include'))
  if (include !== undefined) return problem(`"${include.slice(0, 100)}" is not allowed in it`)
  try {
    return { kind: 'lines', lines: new IgnoreRules(lines).lines }
  } catch (error) {
    if (error instanceof TwinfoldError) return problem(messageOf(error))
    throw error
  }
}

/** The rules of a folder: ours first, as the first matching line decides, then the shared ones. */
export function withSharedIgnores(own: IgnoreRules, shared: readonly string[]): IgnoreRules {
  return shared.length === 0 ? own : new IgnoreRules([...own.lines, EXCEPTION, ...shared], own.section)
}

export function problem(reason: string): Extract<SharedLines, { readonly kind: 'problem' }> {
  return { kind: 'problem', reason }
}
