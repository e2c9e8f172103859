import { hash } from 'node:crypto'
import { messageOf } from '../core/errors.ts'
import { FLAG_IGNORED, type FileInfo } from '../core/file-info.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import { isCanonical, isInternal, isTemporary, temporaryName } from '../core/paths.ts'
import type { FolderIndex } from '../db/types.ts'
import type { Logger } from '../events/types.ts'
import type { BlockReply, BlockRequest, RefusalCode } from '../protocol/types.ts'
import type { Disk, DiskStat } from '../world/disk.ts'
import { ByteWindow } from '../sync/byte-window.ts'
import { OpenFiles, type FileChoice } from './open-files.ts'
import { BlockBuffers } from './puller/block-buffers.ts'

const KIB = 1_024
const DEVICE_KIB_DEFAULT = 32_768
const TOTAL_KIB_DEFAULT = 262_144
const TOTAL_KIB_MIN = 32_768
const HASH_BYTES = 32
/** Twice the largest block: nobody honest asks for more. */
const SIZE_BYTES_MAX = 32 * KIB * KIB

/** Memory that is kept for the next requests when nobody asks for anything. */
const KEPT_BYTES_MAX = 8 * KIB * KIB

/** A folder that may be read from. */
export interface ServedFolder {
  readonly id: FolderId
  readonly root: string
  readonly index: FolderIndex
}

export interface RequestServerDeps {
  readonly disk: Disk
  readonly log: Logger
  readonly platform: string
  /** Undefined for a folder that the device does not share, or that does not run. */
  served(device: DeviceId, folder: string): Promise<ServedFolder | undefined>
  /** A file is not what our index says: it wants another look, `wholly` when size and time do not show it. */
  changed(folder: FolderId, record: FileInfo, wholly: boolean): void
}

/** What a request came to: bytes, or why not. */
type Outcome = BlockReply | RefusalCode

interface ReadBlock {
  readonly data: Uint8Array
  readonly stat: DiskStat
  giveBack(): void
}

/**
 * Answers other devices' requests for blocks. It reads regular files inside the folder that our index knows, never
 * through a symlink, and gives out only bytes with the hash that was asked for: who does not know the content already
 * by its hash learns nothing.
 */
export class RequestServer {
  readonly #deps: RequestServerDeps
  readonly #files: OpenFiles
  readonly #buffers = new BlockBuffers(KEPT_BYTES_MAX)
  readonly #total = new ByteWindow(TOTAL_KIB_DEFAULT * KIB)
  readonly #perDevice = new Map<DeviceId, ByteWindow>()

  constructor(deps: RequestServerDeps) {
    this.#deps = deps
    this.#files = new OpenFiles(deps.disk)
  }

  /** Bytes that may be on their way at a time, in the words of the configuration: 0 is the usual, negative no limit. */
  setTotalLimit(kib: number): void {
    this.#total.setLimit(kib === 0 ? TOTAL_KIB_DEFAULT * KIB : kib < 0 ? Number.POSITIVE_INFINITY : Math.max(kib, TOTAL_KIB_MIN) * KIB)
  }

  setDeviceLimit(device: DeviceId, kib: number): void {
    const limitBytes = kib === 0 ? DEVICE_KIB_DEFAULT * KIB : kib < 0 ? Number.POSITIVE_INFINITY : kib * KIB
    this.#budget(device).setLimit(limitBytes)
  }

  forgetDevice(device: DeviceId): void {
    this.#perDevice.delete(device)
  }

  /** Never rejects, unless the signal aborts. */
  async serve(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<BlockReply> {
    const refusal = refusalByForm(request)
    if (refusal !== undefined) return { kind: 'refused', code: refusal }
    using _own = await this.#budget(device).acquire(request.sizeBytes, signal)
    using _all = await this.#total.acquire(request.sizeBytes, signal)
    try {
      const outcome = await this.#answer(device, request)
      return typeof outcome === 'string' ? { kind: 'refused', code: outcome } : outcome
    } catch (error) {
      signal.throwIfAborted()
      this.#deps.log.debug(() => `${device} asked for ${JSON.stringify(request.name)} in folder ${request.folder}: ${messageOf(error)}`)
      return { kind: 'refused', code: 'generic' }
    }
  }

  #budget(device: DeviceId): ByteWindow {
    const known = this.#perDevice.get(device)
    if (known !== undefined) return known
    const budget = new ByteWindow(DEVICE_KIB_DEFAULT * KIB)
    this.#perDevice.set(device, budget)
    return budget
  }

  async #answer(device: DeviceId, request: BlockRequest): Promise<Outcome> {
    const folder = await this.#deps.served(device, request.folder)
    if (folder === undefined) return 'generic'
    const record = await folder.index.get('local', request.name)
    if (record !== undefined && (record.localFlags & FLAG_IGNORED) !== 0) return 'invalid-file'
    if (request.fromTemporary) {
      const outcome = await this.#fromTemporary(folder, request)
      if (outcome !== undefined) return outcome
    }
    if (record === undefined || record.deleted || record.type !== 'file') return 'no-such-file'
    return await this.#fromFile(folder, record, request)
  }

  /** Undefined: there is such a file, but it does not have the block; the finished one may. */
  async #fromTemporary({ root }: ServedFolder, request: BlockRequest): Promise<Outcome | undefined> {
    const name = temporaryName(request.name, this.#deps.platform)
    const read = await this.#read({ root, name, edition: 'temporary' }, request)
    if (read === undefined) return 'no-such-file'
    return replyOf(read, request)
  }

  async #fromFile({ id, root }: ServedFolder, record: FileInfo, request: BlockRequest): Promise<Outcome> {
    const read = await this.#read({ root, name: record.name, edition: editionOf(record) }, request)
    const reply = read && replyOf(read, request)
    if (reply !== undefined) return reply
    if (isOfRecord(record, request)) {
      this.#deps.log.debug(() => `folder ${id}: ${JSON.stringify(record.name)} is not what the index says`)
      this.#deps.changed(id, record, read !== undefined && looksAlike(read.stat, record))
    }
    return 'no-such-file'
  }

  /** Undefined when there is no such regular file inside the folder. */
  async #read(choice: FileChoice, request: BlockRequest): Promise<ReadBlock | undefined> {
    return await this.#files.read(choice, async (file, stat) => {
      // Allocated after a look at the file: a request alone must not cost memory.
      const lengthBytes = Math.max(0, Math.min(request.sizeBytes, stat.sizeBytes - request.offsetBytes))
      const memory = this.#buffers.take(lengthBytes)
      const data = memory?.subarray(0, lengthBytes) ?? Buffer.allocUnsafeSlow(lengthBytes)
      let count = 0
      while (count < lengthBytes) {
        const more = await file.read(data.subarray(count), request.offsetBytes + count)
        if (more === 0) break
        count += more
      }
      const giveBack = () => void (memory !== undefined && this.#buffers.give(memory))
      return { data: data.subarray(0, count), stat, giveBack } // never what the memory held before
    })
  }
}

/** Undefined, and the memory given back, when the bytes are not those that were asked for. */
function replyOf({ data, giveBack }: ReadBlock, request: BlockRequest): BlockReply | undefined {
  if (isWanted(data, request.hash)) return { kind: 'data', data, giveBack }
  giveBack()
  return undefined
}

function editionOf({ modifiedS, modifiedNs, sizeBytes }: FileInfo): string {
  return `${modifiedS}.${modifiedNs} ${sizeBytes}`
}

function refusalByForm({ name, offsetBytes, sizeBytes, hash: wanted }: BlockRequest): RefusalCode | undefined {
  if (!isCanonical(name) || isInternal(name) || isTemporary(name)) return 'invalid-file'
  if (sizeBytes < 0 || offsetBytes < 0 || wanted.length !== HASH_BYTES) return 'invalid-file'
  if (sizeBytes > SIZE_BYTES_MAX || !Number.isSafeInteger(offsetBytes + sizeBytes)) return 'no-such-file'
  return undefined
}

function isWanted(data: Uint8Array, wanted: Uint8Array): boolean {
  return Buffer.compare(hash('sha256', data, 'buffer'), wanted) === 0
}

/** Whether the request is for a block of this very record; otherwise it is merely out of date. */
function isOfRecord({ blockHashes, blockSizeBytes }: FileInfo, { offsetBytes, hash: wanted }: BlockRequest): boolean {
  if (blockHashes === undefined || blockSizeBytes <= 0 || offsetBytes % blockSizeBytes !== 0) return false
  const at = (offsetBytes / blockSizeBytes) * HASH_BYTES
  return Buffer.compare(blockHashes.subarray(at, at + HASH_BYTES), wanted) === 0
}

function looksAlike(stat: DiskStat, record: FileInfo): boolean {
  return stat.sizeBytes === record.sizeBytes && stat.modifiedS === record.modifiedS && stat.modifiedNs === record.modifiedNs
}
