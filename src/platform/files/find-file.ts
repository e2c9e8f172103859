import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { ancestorsOf, baseOf, isInternal, joinPath, looksTemporary } from '../../core/paths.ts'
import type { DiskStat, SyncDisk } from '../disk.ts'
import type { WalkItem } from '../walk.ts'

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
    const type = path === name ? 'file' : 'directory'
    const stat = statOf(disk, joinPath(root, path))
    if (stat?.type !== type) return undefined
    const { sizeBytes, modifiedS, modifiedNs, mode, changeStamp } = stat
    const times = { modifiedS, modifiedNs, changeStamp, inode: Number(stat.inode) }
    items.push({ name: path, type, sizeBytes, mode, symlinkTarget: '', ...times })
  }
  return items
}

function statOf(disk: Pick<SyncDisk, 'lstat'>, path: string): DiskStat | undefined {
  try {
    return disk.lstat(path)
  } catch {
    return undefined // the walk reports the error
  }
}
