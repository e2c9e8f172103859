import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { KEY_BYTES, NONCE_BYTES, sealedSize, sealInPlace, type Seal } from '../../../core/encryption/xchacha.ts'
import { messageOf, systemCode } from '../../../core/errors.ts'
import { joinPath } from '../../../core/paths.ts'
import { hasSameStamp, NOT_THERE, type BlockOrder, type FileStamp } from '../../files/block-reader.ts'
import { checkPath } from '../../disk-error.ts'
import { nameFromBytes } from '../../files/disk-name.ts'
import type { DiskStat } from '../../disk.ts'
import { exactStat } from '../disk/disk-stat.ts'
import { realPathSync } from '../disk/real-path.ts'

/** Blocks to be read, as posted to a thread: a few texts and flat arrays. */
export interface ReadTask {
  readonly kind: 'read'
  readonly id: number
  /** Joined by NUL, which no path contains. */
  readonly roots: string
  readonly names: string
  readonly offsets: Float64Array
  readonly sizes: Float64Array
  /** The requested hashes concatenated, one character per byte. */
  readonly hashes: string
  /** By index, metadata of files whose bytes need not be hashed. */
  readonly recorded: readonly (FileStamp | undefined)[]
  /** By index, key, nonce and padding of blocks that are sealed, one character per byte. */
  readonly seals: readonly (string | undefined)[]
  /** Target buffer: one slot per block, each with headroom before it. */
  readonly memory: SharedArrayBuffer
}

export interface ReadReport {
  readonly kind: 'read'
  readonly id: number
  /** Bytes of each block in its slot, or a negative result code. */
  readonly counts: Float64Array
  readonly different: readonly DifferentFile[]
  readonly errors: readonly { readonly at: number; readonly code: string | undefined; readonly message: string }[]
}

interface DifferentFile extends FileStamp {
  readonly at: number
}

/** In place of a count. */
export const READ_ABSENT = -1
export const READ_DIFFERENT = -2
export const READ_FAILED = -3

/** Headroom before each block, for headers of the reader. */
export const HEADROOM_BYTES = 64
const HASH_LENGTH = 32
/** Rejects a symlink in place of the file and does not block on a pipe. Windows has neither flag. */
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
    seals: orders.some(({ seal }) => seal !== undefined) ? orders.map(({ seal }) => seal && packSeal(seal)) : [],
    memory,
  }
}

/** Bytes that a block takes in the buffer, with its headroom. */
export function slotSize({ sizeBytes, seal }: Pick<BlockOrder, 'sizeBytes' | 'seal'>): number {
  return HEADROOM_BYTES + (seal === undefined ? sizeBytes : sealedSize(seal, sizeBytes))
}

function packSeal({ key, nonce, padding }: Seal): string {
  return textOf(key) + textOf(nonce) + textOf(padding)
}

function unpackSeal(text: string): Seal {
  const bytes = Buffer.from(text, 'latin1')
  const paddingAt = KEY_BYTES + NONCE_BYTES
  return {
    key: bytes.subarray(0, KEY_BYTES),
    nonce: bytes.subarray(KEY_BYTES, paddingAt),
    padding: bytes.subarray(paddingAt),
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** Reads blocks in the thread. Never throws: the error of a file is its result. */
export class ReadFiles {
  /** Cached real paths of folder roots. */
  readonly #realRoots = new Map<string, string>()

  run(task: ReadTask): ReadReport {
    const roots = task.roots.split('\0')
    const counts = new Float64Array(roots.length)
    const different: DifferentFile[] = []
    const errors: ReadReport['errors'][number][] = []
    const names = task.names.split('\0')
    let endBytes = 0
    for (let at = 0; at < roots.length; at++) {
      const packed = task.seals[at]
      const seal = packed === undefined ? undefined : unpackSeal(packed)
      const slotBytes = slotSize({ sizeBytes: task.sizes[at]!, seal })
      const slot = new Uint8Array(task.memory, endBytes + HEADROOM_BYTES, slotBytes - HEADROOM_BYTES)
      endBytes += slotBytes
      const expected = task.hashes.slice(at * HASH_LENGTH, (at + 1) * HASH_LENGTH)
      try {
        const place = {
          root: roots[at]!,
          name: names[at]!,
          offsetBytes: task.offsets[at]!,
          recorded: task.recorded[at],
        }
        const found = this.#read(place, expected, roomIn(slot, task.sizes[at]!, seal))
        if (typeof found === 'number') counts[at] = sealed(slot, found, seal)
        else counts[at] = found === undefined ? READ_ABSENT : READ_DIFFERENT
        if (typeof found === 'object') different.push({ at, ...found })
      } catch (error) {
        counts[at] = READ_FAILED
        errors.push({ at, code: systemCode(error), message: messageOf(error) })
      }
    }
    return { kind: 'read', id: task.id, counts, different, errors }
  }

  /** The number of bytes, or the metadata of a different file; undefined without such a file inside the folder. */
  #read(
    { root, name, offsetBytes, recorded }: Pick<BlockOrder, 'root' | 'name' | 'offsetBytes' | 'recorded'>,
    expected: string,
    room: Uint8Array,
  ): number | FileStamp | undefined {
    const path = joinPath(root, name)
    const file = openRegular(path)
    if (file === undefined) return undefined
    try {
      const stat = exactStat(fstatSync(file, { bigint: true }))
      if (stat.type !== 'file' || !this.#isInside(root, name, file, stat)) return undefined
      const data = room.subarray(0, fill(file, room, offsetBytes))
      if (recorded !== undefined && data.length === room.length && hasSameStamp(stat, recorded)) return data.length
      if (hash('sha256', data, 'binary') === expected) return data.length
      const { sizeBytes, modifiedS, modifiedNs } = stat
      return { sizeBytes, modifiedS, modifiedNs }
    } finally {
      closeSync(file)
    }
  }

  /**
   * Whether the open file is in the folder under exactly this name. Safe against a directory replaced by a symlink: the
   * real path of the open file is compared where the system provides it; elsewhere the path is checked again.
   */
  #isInside(root: string, name: string, file: number, stat: DiskStat): boolean {
    const actual = pathOf(file)
    const cached = this.#realRoots.get(root)
    if (cached !== undefined && actual === joinPath(cached, name)) return true
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

/** Where the plain bytes are read to: sealed bytes begin with a nonce. */
function roomIn(slot: Uint8Array, sizeBytes: number, seal: Seal | undefined): Uint8Array {
  const startBytes = seal === undefined ? 0 : NONCE_BYTES
  return slot.subarray(startBytes, startBytes + sizeBytes)
}

/** The number of bytes in the slot. */
function sealed(slot: Uint8Array, plainBytes: number, seal: Seal | undefined): number {
  if (seal === undefined) return plainBytes
  sealInPlace(seal, slot, plainBytes)
  return sealedSize(seal, plainBytes)
}

/** Undefined where the file cannot be opened. */
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

/** The current path of an open file; undefined where the system does not provide it. No disk access. */
function pathOf(file: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { name, valid } = nameFromBytes(readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' }))
    return valid ? name : undefined
  } catch {
    return undefined // no /proc
  }
}

/** Undefined for a removed file, or a path that is no UTF-8. */
function realPath(path: string): string | undefined {
  try {
    return realPathSync(path)
  } catch (error) {
    if (NOT_THERE.has(systemCode(error)) || systemCode(error) === 'EILSEQ') return undefined
    throw error
  }
}

/** Returns the number of bytes read. */
function fill(file: number, into: Uint8Array, offsetBytes: number): number {
  let count = 0
  while (count < into.length) {
    const more = readSync(file, into, count, into.length - count, offsetBytes + count)
    if (more === 0) break
    count += more
  }
  return count
}
