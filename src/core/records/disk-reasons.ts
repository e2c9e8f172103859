import type { Reason } from './reason.ts'

/** What the disk shows of a name that the index does not explain. */
export type DiskFacts =
  | { readonly kind: 'outside' }
  | { readonly kind: 'behind-symlink'; readonly symlink: string }
  | { readonly kind: 'reserved' }
  | { readonly kind: 'ignored'; readonly line: string; readonly isIncluded?: boolean; readonly isShared?: boolean }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'special' }
  | { readonly kind: 'present' }
  | { readonly kind: 'absent'; readonly nearest: readonly string[] }

/** Why a name has no record, or is ignored. */
export type DiskCode = 'unknown' | 'outside' | 'reserved' | 'unreadable' | 'special' | 'new' | 'absent' | 'ignored'

const UNKNOWN: Reason<DiskCode> = {
  code: 'unknown',
  text: 'no device has announced it, and no scan has seen it here: it is ignored, new since the last scan, or misspelt',
}

/** Why the index has no record of a name. */
export function diskReason(disk: DiskFacts | undefined): Reason<DiskCode> {
  switch (disk?.kind) {
    case undefined:
      return UNKNOWN
    case 'outside':
      return { code: 'outside', text: 'it is not a path inside the folder: use one relative to the folder root' }
    case 'behind-symlink':
      return { code: 'outside', text: `"${disk.symlink}" is a symlink: what is behind it is not in the folder` }
    case 'reserved':
      return { code: 'reserved', text: 'the name is reserved for the program itself: it is never synchronized' }
    case 'ignored':
      return ignoredBy(disk)
    case 'unreadable':
      return { code: 'unreadable', text: `it cannot be read here: ${disk.error}`, cause: disk.error }
    case 'special':
      return { code: 'special', text: 'it is a pipe, a socket or a device: such files are not synchronized' }
    case 'present':
      return { code: 'new', text: 'it is here, but new since the last scan: a scan of the folder announces it' }
    case 'absent':
      return absent(disk.nearest)
  }
}

export function ignoredBy({
  line,
  isIncluded,
  isShared,
}: Extract<DiskFacts, { readonly kind: 'ignored' }>): Reason<DiskCode> {
  const own = isIncluded === true ? 'a file that .stignore includes' : '.stignore'
  const file = isShared === true ? '.stglobalignore, which the devices share' : own
  return { code: 'ignored', text: `it is ignored here, by the line "${line}" of ${file}`, cause: line }
}

function absent(nearest: readonly string[]): Reason<DiskCode> {
  const text = 'there is no such file here, and no device has announced one'
  if (nearest.length === 0) return { code: 'absent', text }
  return { code: 'absent', text: `${text}; similar names: ${nearest.join(', ')}`, cause: nearest.join(', ') }
}
