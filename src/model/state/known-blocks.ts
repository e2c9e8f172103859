import { BLOCK_SIZE_BYTES_MIN, HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { blockAt, type Block } from '../../core/records/block-diff.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { Records } from '../../db/types.ts'
import type { BlockRequest } from '../../protocol/types.ts'

/** More files than one device usually requests in parallel. */
const FILES_MAX = 64
const LISTS_BYTES_MAX = 2 * 1_024 * 1_024

interface IndexedFolder {
  readonly id: FolderId
  readonly index: { readonly records: Pick<Records, 'get'> }
}

interface KnownFile {
  readonly blocksHash: Uint8Array
  readonly blockSizeBytes: number
  readonly blockHashes: Uint8Array
  /** One bit for each block sent to a device. */
  readonly given: Map<DeviceId, Uint8Array>
}

/**
 * Caches the block lists of files from our index, and which blocks were sent to each device. The receiver verifies a
 * block before use; a device that requests one again may have found it corrupt.
 */
export class KnownBlocks {
  /** In order of the last request, the most recent last. */
  readonly #files = new Map<string, KnownFile>()
  #listsBytes = 0

  /**
   * Whether the request matches a block of our index and is the device's first one for it in this cache. Never for
   * small blocks: hashing one costs less than tracking it.
   */
  isFirst(device: DeviceId, folder: IndexedFolder, head: FileHead, request: BlockRequest): Promise<boolean> | false {
    return request.sizeBytes < BLOCK_SIZE_BYTES_MIN ? false : this.#isFirstOf(device, folder, head, request)
  }

  async #isFirstOf(
    device: DeviceId,
    { id, index }: IndexedFolder,
    head: FileHead,
    { offsetBytes, sizeBytes, hash }: BlockRequest,
  ): Promise<boolean> {
    const file = await this.#file(id, index.records, head)
    if (file === undefined || sizeBytes !== file.blockSizeBytes || offsetBytes % sizeBytes !== 0) return false
    const number = offsetBytes / sizeBytes
    if (!isHashAt(file.blockHashes, number, hash)) return false
    return !markGiven(file, device, number)
  }

  /** The block of a record of our index by its number. */
  async block({ id, index }: IndexedFolder, head: FileHead, number: number): Promise<Block | undefined> {
    const known = (await this.#file(id, index.records, head)) ?? (await index.records.get('local', head.name))
    return known?.blockHashes === undefined ? undefined : blockAt({ ...head, ...known }, number)
  }

  async #file(folder: FolderId, records: Pick<Records, 'get'>, head: FileHead): Promise<KnownFile | undefined> {
    const key = `${folder.length}:${folder}/${head.name}`
    const known = this.#files.get(key)
    if (known !== undefined && isSame(known.blocksHash, head.blocksHash)) {
      this.#files.delete(key)
      this.#files.set(key, known)
      return known
    }
    const record = await records.get('local', head.name)
    if (record?.blocksHash === undefined || record.blockHashes === undefined) return undefined
    const { blocksHash, blockSizeBytes, blockHashes } = record
    if (blockHashes.length > LISTS_BYTES_MAX) return undefined
    const read = this.#files.get(key)
    if (read !== undefined && isSame(read.blocksHash, blocksHash)) return read // another request read it meanwhile
    this.#evict(key)
    const file: KnownFile = { blocksHash, blockSizeBytes, blockHashes, given: new Map() }
    this.#files.set(key, file)
    this.#listsBytes += blockHashes.length
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= FILES_MAX && this.#listsBytes <= LISTS_BYTES_MAX) break
      this.#evict(oldest)
    }
    return file
  }

  #evict(key: string): void {
    this.#listsBytes -= this.#files.get(key)?.blockHashes.length ?? 0
    this.#files.delete(key)
  }
}

/** Whether the list has this hash at that index. */
export function isHashAt(hashes: Uint8Array, number: number, hash: Uint8Array): boolean {
  const start = number * HASH_SIZE_BYTES
  return hash.length === HASH_SIZE_BYTES && isSame(hashes.subarray(start, start + HASH_SIZE_BYTES), hash)
}

/** Marks the block as sent and returns whether it was before. */
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
