import type { BigIntStats } from 'node:fs'
import type { DiskStat } from '../../disk.ts'

const NS_PER_S = 1_000_000_000n
const TYPE_MASK = 0o170000n
const TYPES: ReadonlyMap<bigint, DiskStat['type']> = new Map([
  [0o100000n, 'file'],
  [0o040000n, 'directory'],
  [0o120000n, 'symlink'],
])

/** Exact times, also before 1970. */
export function exactStat(stats: BigIntStats): DiskStat & { readonly changeStamp: number } {
  let modifiedS = stats.mtimeNs / NS_PER_S
  let modifiedNs = stats.mtimeNs % NS_PER_S
  if (modifiedNs < 0n) {
    modifiedNs += NS_PER_S
    modifiedS -= 1n
  }
  return {
    type: TYPES.get(stats.mode & TYPE_MASK) ?? 'other',
    sizeBytes: Number(stats.size),
    modifiedS: Number(modifiedS),
    modifiedNs: Number(modifiedNs),
    mode: Number(stats.mode) & 0o7777,
    userId: Number(stats.uid),
    groupId: Number(stats.gid),
    deviceId: stats.dev,
    inode: stats.ino,
    changeStamp: Number(stats.ctimeNs),
    nameCount: Number(stats.nlink),
  }
}
