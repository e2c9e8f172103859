import type { CheckFolderJson } from '../../src/rest/twinfold.ts'
import type { TextValues } from '../i18n/fill.ts'
import type { TextKey } from '../i18n/texts.ts'
import { folderName } from './folder-name.ts'
import type { PathTrouble } from './folder-path.ts'

/** What the field of a path says below it. */
export interface PathAdvice {
  readonly kind: 'error' | 'warning' | 'help'
  readonly key: TextKey
  readonly values?: TextValues
}

/** A disk with less free space than this gets a warning. */
const LOW_BYTES = 1_000_000_000

/**
 * The advice about a path: what the page knows itself, then what the daemon found out. `check` is undefined until its
 * reply about this very path has arrived.
 */
export function pathAdvice(
  whole: string,
  trouble: PathTrouble | undefined,
  check: CheckFolderJson | undefined,
  formatSize: (bytes: number) => string,
): PathAdvice {
  if (whole === '') return { kind: 'error', key: 'add.pathMissing' }
  if (!whole.startsWith('/') && !/^[a-zA-Z]:|^\\\\/.test(whole)) return { kind: 'error', key: 'add.pathRelative' }
  const names = trouble && { folder: folderName(trouble.folder) }
  if (trouble?.kind === 'same') return { kind: 'error', key: 'add.pathTaken', values: names ?? {} }
  if (check?.problem) return { kind: 'error', key: `add.path.${check.problem.code}`, values: { path: check.path } }
  if (names !== undefined)
    return { kind: 'warning', key: trouble?.kind === 'inside' ? 'add.pathInside' : 'add.pathAround', values: names }
  if (check === undefined) return { kind: 'help', key: 'add.pathHelp' }
  if (check.freeBytes === null) return { kind: 'help', key: check.exists ? 'add.pathIsThere' : 'add.pathIsNew' }
  const size = formatSize(check.freeBytes)
  if (check.freeBytes < LOW_BYTES) return { kind: 'warning', key: 'add.pathLow', values: { size } }
  return { kind: 'help', key: check.exists ? 'add.pathIsThereFree' : 'add.pathIsNewFree', values: { size } }
}
