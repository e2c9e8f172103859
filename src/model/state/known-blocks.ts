import { BLOCK_SIZE_BYTES_MIN, HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { BlockRequest } from '../../protocol/types.ts'

/** More files than one device asks for side by side, as a rule. */
const FILES_MAX = 64
const LISTS_BYTES_MAX = 2 * 1_024 * 1_024

interface KnownFile {
  readonly blocksHash: Uint8Array
  readonly blockSizeBytes: number
  readonly blockHashes: Uint8Array
  /** A bit for each block that a device was given. */
  readonly given: Map<DeviceId, Uint8Array>
}

/**
 * Knows which blocks our index says a file has, and which of them each device was given. Whoever gets a block checks it
 * before use; a device that asks for one again may have found it wrong.
 */
export class KnownBlocks {
  /** The one that was asked for last is the last one. */
  readonly #files = new Map<string, KnownFile>()
  #listsBytes = 0

  /**
   * Whether the device asks for just what our index says is there, and for the first time as far as we remember. Never
   * for small blocks: to hash one costs less than to remember it.
   */
  async isFirst(
    device: DeviceId,
    { id, index }: { readonly id: FolderId; readonly index: Pick<FolderIndex, 'get'> },
    head: FileHead,
    { offsetBytes, sizeBytes, hash }: BlockRequest,
  ): Promise<boolean> {
    if (sizeBytes < BLOCK_SIZE_BYTES_MIN) return false
    const file = await this.#file(id, index, head)
    if (file === undefined || sizeBytes !== file.blockSizeBytes || offsetBytes % sizeBytes !== 0) return false
    const number = offsetBytes / sizeBytes
    if (!isHashAt(file.blockHashes, number, hash)) return false
    return !markGiven(file, device, number)
  }

  async #file(folder: FolderId, index: Pick<FolderIndex, 'get'>, head: FileHead): Promise<KnownFile | undefined> {
    const key = `${folder.length}:${folder}/${head.name}`
    const known = this.#files.get(key)
    if (known !== undefined && isSame(known.blocksHash, head.blocksHash)) {
      this.#files.delete(key)
      this.#files.set(key, known)
      return known
    }
    const record = await index.get('local', head.name)
    if (record?.blocksHash === undefined || record.blockHashes === undefined) return undefined
    const { blocksHash, blockSizeBytes, blockHashes } = record
    if (blockHashes.length > LISTS_BYTES_MAX) return undefined
    const read = this.#files.get(key)
    if (read !== undefined && isSame(read.blocksHash, blocksHash)) return read // somebody else asked meanwhile
    this.#forget(key)
    const file: KnownFile = { blocksHash, blockSizeBytes, blockHashes, given: new Map() }
    this.#files.set(key, file)
    this.#listsBytes += blockHashes.length
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= FILES_MAX && this.#listsBytes <= LISTS_BYTES_MAX) break
      this.#forget(oldest)
    }
    return file
  }

  #forget(key: string): void {
    this.#listsBytes -= this.#files.get(key)?.blockHashes.length ?? 0
    this.#files.delete(key)
  }
}

/** Whether a list of hashes has this one in that place. */
export function isHashAt(hashes: Uint8Array, number: number, hash: Uint8Array): boolean {
  const start = number * HASH_SIZE_BYTES
  return hash.length === HASH_SIZE_BYTES && isSame(hashes.subarray(start, start + HASH_SIZE_BYTES), hash)
}

/** And is from now on. */
function markGiven({ given, blockHashes }: KnownFile, device: DeviceId, number: number): boolean {
  const known = given.get(device)
  const bits = known ?? new Uint8Array(Math.ceil(blockHashes.length / HASH_SIZE_BYTES / 8))
  if (known === undefined) given.set(device, bits)
  const byte = bits[number >> 3] ?? 0
  const bit = 1 << (number & 7)
  bits[number >> 3] = byte | bit
  return (byte & bit) !== 0
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0
}
