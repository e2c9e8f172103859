import type { NewItem, PastItem } from '../history/entry.ts'
import type { ChangedItem } from './moment.ts'

export type RewindMode = 'in-place' | 'beside'

/** What is done with one item. */
export type RewindStep =
  /** It is as it was. */
  | { readonly kind: 'none' }
  /** It is newer than the moment: it stays as it is. */
  | { readonly kind: 'keep' }
  /** Another rewind has made it, and nothing else happened to it: it becomes an old version. */
  | { readonly kind: 'remove' }
  /** Its content is right: only mode and time are set. */
  | { readonly kind: 'metadata'; readonly past: PastItem }
  | { readonly kind: 'put'; readonly past: PastItem; readonly replaces: boolean }
  /** A directory has its name now, which may hold newer items. */
  | { readonly kind: 'blocked'; readonly past: PastItem }

const NONE: RewindStep = { kind: 'none' }

/**
 * `current` is the item that has the name now, undefined where there is none. Beside the present items nothing is
 * removed or replaced.
 */
export function rewindStep(
  { past, isOnlyRewound }: ChangedItem,
  current: PastItem | undefined,
  mode: RewindMode,
): RewindStep {
  if (past === undefined) {
    if (current === undefined) return NONE
    return isOnlyRewound && mode === 'in-place' ? { kind: 'remove' } : { kind: 'keep' }
  }
  if (current === undefined) return { kind: 'put', past, replaces: false }
  if (hasSameContent(past, current)) {
    if (mode === 'beside' || hasSameMetadata(past, current)) return NONE
    return { kind: 'metadata', past }
  }
  if (mode === 'beside') return { kind: 'put', past, replaces: false }
  if (current.type === 'directory') return { kind: 'blocked', past }
  return { kind: 'put', past, replaces: true }
}

export function hasSameContent(a: NewItem, b: NewItem): boolean {
  if (a.type !== b.type) return false
  if (a.type === 'symlink') return a.symlinkTarget === b.symlinkTarget
  return a.type === 'directory' || (a.sizeBytes === b.sizeBytes && a.blocksHash === b.blocksHash)
}

function hasSameMetadata(a: PastItem, b: PastItem): boolean {
  if (a.type === 'symlink') return true
  const hasSameMode = a.permissions === undefined || b.permissions === undefined || a.permissions === b.permissions
  if (a.type === 'directory') return hasSameMode
  return hasSameMode && a.modifiedS === b.modifiedS && a.modifiedNs === b.modifiedNs
}
