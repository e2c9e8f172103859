import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { ancestorsOf, baseOf, isInternal, joinPath, looksTemporary } from '../../core/paths.ts'
import type { SyncDisk } from '../disk.ts'
import type { WalkItem } from '../walk.ts'
import { walkItem } from './walk-batch.ts'

/** Implements `Walker.findFile`. */
export function findFile(
  disk: Pick<SyncDisk, 'lstat'>,
  root: string,
  name: string,
  rules: IgnoreRules,
): readonly WalkItem[] | undefined {
  if (name === '') return undefined
  const items: WalkItem[] = []
  for (const path of [...ancestorsOf(name).slice(1), name]) {
    if (isInternal(path) || looksTemporary(baseOf(path)) || rules.match(path).ignored) return undefined
    const stat = statOf(disk, joinPath(root, path))
    if (stat?.type !== (path === name ? 'file' : 'directory')) return undefined
    items.push(walkItem(path, stat))
  }
  return items
}

function statOf(disk: Pick<SyncDisk, 'lstat'>, path: string) {
  try {
    return disk.lstat(path)
  } catch {
    return undefined // the walk reports the error
  }
}
