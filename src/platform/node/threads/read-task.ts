import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { messageOf, systemCode } from '../../../core/errors.ts'
import { joinPath } from '../../../core/paths.ts'
import { looksLike, NOT_THERE, type BlockOrder, type FileLook } from '../../files/block-reader.ts'
import { checkPath } from '../../disk-error.ts'
import { nameFromBytes } from '../../files/disk-name.ts'
import type { DiskStat } from '../../disk.ts'
import { exactStat } from '../disk/walk-disk.ts'

/** Blocks to be read in one go, as they cross to a thread: a few texts and flat arrays. */
export interface ReadTask {
  readonly kind: 'read'
  readonly id: number
  /** Joined by NUL, which no path holds. */
  readonly roots: string
  readonly names: string
  readonly offsets: Float64Array
  readonly sizes: Float64Array
  /** The wanted hashes one after the other, a character for each byte. */
  readonly hashes: string
  /** By number, how those files look whose bytes need not be hashed. */
  readonly recorded: readonly (FileLook | undefined)[]
  /** Where the blocks go, one after the other, each in a room of its size with some before it. */
  readonly memory: SharedArrayBuffer
}

export interface ReadReport {
  readonly kind: 'read'
  readonly id: number
  /** Bytes of each block that are in its room, or why there are none. */
  readonly counts: Float64Array
  readonly different: readonly DifferentFile[]
  readonly errors: readonly { readonly at: number; readonly code: string | undefined; readonly message: string }[]
}

interface DifferentFile extends FileLook {
  readonly at: number
}

/** In place of a count. */
export const READ_ABSENT = -1
export const READ_DIFFERENT = -2
export const READ_FAILED = -3

/** Before each block, for what its reader puts in front of it. */
export const HEADROOM_BYTES = 64
const HASH_LENGTH = 32
/** A symlink in place of the file is refused, and a pipe does not make us wait. Windows knows neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function packReadTask(id: number, orders: readonly BlockOrder[], memory: SharedArrayBuffer): ReadTask {
  return {
    kind: 'read',
    id,
    roots: orders.map(({ root }) => root).join('\0'),
    names: orders.map(({ name }) => name).join('\0'),
    offsets: Float64Array.from(orders, ({ offsetBytes }) => offsetBytes),
    sizes: Float64Array.from(orders, ({ sizeBytes }) => sizeBytes),
    hashes: orders.map((order) => textOf(order.hash)).join(''),
    recorded: orders.some(({ recorded }) => recorded !== undefined) ? orders.map(({ recorded }) => recorded) : [],
    memory,
  }
}

function textOf(wanted: Uint8Array): string {
  return Buffer.from(wanted.buffer, wanted.byteOffset, wanted.length).toString('latin1')
}

/** Reads for others, in the thread. Never throws: what is wrong with one file is that file's result. */
export class ReadFiles {
  /** Real paths of roots as they were lately; one for every folder. */
  readonly #realRoots = new Map<string, string>()

  run(task: ReadTask): ReadReport {
    const roots = task.roots.split('\0')
    const counts = new Float64Array(roots.length)
    const different: DifferentFile[] = []
    const errors: ReadReport['errors'][number][] = []
    const names = task.names.split('\0')
    let endBytes = 0
    for (let at = 0; at < roots.length; at++) {
      const room = new Uint8Array(task.memory, endBytes + HEADROOM_BYTES, task.sizes[at]!)
      endBytes += HEADROOM_BYTES + room.length
      const wanted = task.hashes.slice(at * HASH_LENGTH, (at + 1) * HASH_LENGTH)
      try {
        const place = {
          root: roots[at]!,
          name: names[at]!,
          offsetBytes: task.offsets[at]!,
          recorded: task.recorded[at],
        }
        const found = this.#read(place, wanted, room)
        counts[at] = found === undefined ? READ_ABSENT : typeof found === 'number' ? found : READ_DIFFERENT
        if (typeof found === 'object') different.push({ at, ...found })
      } catch (error) {
        counts[at] = READ_FAILED
        errors.push({ at, code: systemCode(error), message: messageOf(error) })
      }
    }
    return { kind: 'read', id: task.id, counts, different, errors }
  }

  /** How many bytes there were, or what the file is instead; undefined when there is no such file inside the folder. */
  #read(
    { root, name, offsetBytes, recorded }: Pick<BlockOrder, 'root' | 'name' | 'offsetBytes' | 'recorded'>,
    wanted: string,
    room: Uint8Array,
  ): number | FileLook | undefined {
    const path = joinPath(root, name)
    const file = openRegular(path)
    if (file === undefined) return undefined
    try {
      const stat = exactStat(fstatSync(file, { bigint: true }))
      if (stat.type !== 'file' || !this.#isInside(root, name, file, stat)) return undefined
      const data = room.subarray(0, fill(file, room, offsetBytes))
      if (recorded !== undefined && data.length === room.length && looksLike(stat, recorded)) return data.length
      if (hash('sha256', data, 'binary') === wanted) return data.length
      const { sizeBytes, modifiedS, modifiedNs } = stat
      return { sizeBytes, modifiedS, modifiedNs }
    } finally {
      closeSync(file)
    }
  }

  /**
   * Whether the open file is in the folder under its very name. Whoever swaps a directory for a symlink meanwhile gains
   * nothing: where the system tells, we ask where the open file is; elsewhere the path is looked at again.
   */
  #isInside(root: string, name: string, file: number, stat: DiskStat): boolean {
    const actual = pathOf(file)
    const known = this.#realRoots.get(root)
    if (known !== undefined && actual === joinPath(known, name)) return true
    const realRoot = realPath(root)
    if (realRoot === undefined) return false
    this.#realRoots.set(root, realRoot)
    const expected = joinPath(realRoot, name)
    if (actual !== undefined) return actual === expected
    const path = joinPath(root, name)
    if (realPath(path) !== expected) return false
    const now = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return now !== undefined && now.dev === stat.deviceId && now.ino === stat.inode
  }
}

/** Undefined where the name leads to nothing that can be opened. */
function openRegular(path: string): number | undefined {
  try {
    checkPath(path, 'open')
    if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) return undefined
    return openSync(path, FLAGS)
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return undefined
    throw error
  }
}

/** Where an open file is at this moment; undefined where the system does not tell. No disk is asked. */
function pathOf(file: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { name, valid } = nameFromBytes(readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' }))
    return valid ? name : undefined
  } catch {
    return undefined // a system without /proc
  }
}

/** Undefined where there is nothing any more, or nothing that can be spelled. */
function realPath(path: string): string | undefined {
  try {
    const { name, valid } = nameFromBytes(realpathSync.native(path, { encoding: 'buffer' }))
    return valid ? name.replaceAll(sep, '/') : undefined
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return undefined
    throw error
  }
}

/** How much there was. */
function fill(file: number, into: Uint8Array, offsetBytes: number): number {
  let count = 0
  while (count < into.length) {
    const more = readSync(file, into, count, into.length - count, offsetBytes + count)
    if (more === 0) break
    count += more
  }
  return count
}
