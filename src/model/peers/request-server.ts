import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { messageOf } from '../../core/errors.ts'
import {
  diskSizeOf,
  diskTimeOf,
  FLAG_IGNORED,
  isInvalid,
  type FileHead,
  type FileInfo,
} from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { baseOf, isCanonical, isInternal, looksTemporary, temporaryName } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { BlockReply, BlockRequest, RefusalCode } from '../../protocol/types.ts'
import type { Random } from '../../platform/random.ts'
import { ByteWindow } from '../../sync/byte-window.ts'
import {
  hasSameStamp,
  type BlockResult,
  type BlockOrder,
  type BlockReader,
  type FileStamp,
} from '../../platform/files/block-reader.ts'
import { isAnnouncedBlock, sealFor } from '../encryption/encrypted-requests.ts'
import type { FolderRates } from '../state/folder-rates.ts'
import { isHashAt, KnownBlocks } from '../state/known-blocks.ts'

const KIB = 1_024
const DEVICE_KIB_DEFAULT = 32_768
const TOTAL_KIB_DEFAULT = 262_144
const TOTAL_KIB_MIN = 32_768
/** Twice the largest block, which no valid request exceeds. */
const SIZE_BYTES_MAX = 32 * KIB * KIB

/** No bytes have it: what has another stamp than recorded is refused. */
const NO_HASH = new Uint8Array(HASH_SIZE_BYTES)

/** A folder that may be read from. */
export interface ServedFolder {
  readonly id: FolderId
  readonly root: string
  readonly index: FolderIndex
  /** The device gets encrypted blocks only. */
  readonly cipher: FolderCipher | undefined
  /** Its files are encrypted on our disk. */
  readonly isEncrypted: boolean
}

export interface RequestServerDeps {
  readonly blocks: BlockReader
  readonly random: Random
  readonly log: Logger
  readonly platform: string
  readonly folderRates?: Pick<FolderRates, 'pass'>
  /** Undefined for a folder that the device does not share, or that does not run. */
  served(device: DeviceId, folder: string): Promise<ServedFolder | undefined>
  /** A file differs from our index and is to be rescanned; `wholly` when size and time do not show the difference. */
  changed(folder: FolderId, record: FileInfo, wholly: boolean): void
}

/** The result of a request: data, or the reason of the refusal. */
type Outcome = BlockReply | RefusalCode

/**
 * Serves block requests of other devices. It reads regular files inside the folder that are in our index, never through
 * a symlink, and returns only data that matches the requested hash, so that no unknown content is disclosed. The data
 * is hashed here unless the index has that hash for it, size and time of the file are unchanged, and it is the device's
 * first request for it (decision 010).
 */
export class RequestServer {
  readonly #deps: RequestServerDeps
  readonly #total = new ByteWindow(TOTAL_KIB_DEFAULT * KIB)
  readonly #perDevice = new Map<DeviceId, ByteWindow>()
  readonly #knownBlocks = new KnownBlocks()

  constructor(deps: RequestServerDeps) {
    this.#deps = deps
  }

  /** Bytes in transit at a time, as in the configuration: 0 is the default, negative no limit. */
  setTotalLimit(kib: number): void {
    this.#total.setLimit(
      kib === 0 ? TOTAL_KIB_DEFAULT * KIB : kib < 0 ? Number.POSITIVE_INFINITY : Math.max(kib, TOTAL_KIB_MIN) * KIB,
    )
  }

  setDeviceLimit(device: DeviceId, kib: number): void {
    const limitBytes = kib === 0 ? DEVICE_KIB_DEFAULT * KIB : kib < 0 ? Number.POSITIVE_INFINITY : kib * KIB
    this.#budget(device).setLimit(limitBytes)
  }

  removeDevice(device: DeviceId): void {
    this.#perDevice.delete(device)
  }

  /** Never rejects, unless the signal aborts. */
  async serve(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<BlockReply> {
    const refusal = refusalByForm(request)
    if (refusal !== undefined) return { kind: 'refused', code: refusal }
    signal.throwIfAborted()
    const { sizeBytes } = request
    const budget = this.#budget(device)
    using _own = budget.tryAcquire(sizeBytes) ?? (await budget.acquire(sizeBytes, signal))
    using _all = this.#total.tryAcquire(sizeBytes) ?? (await this.#total.acquire(sizeBytes, signal))
    const passing = this.#deps.folderRates?.pass(request.folder, 'send', sizeBytes, signal)
    if (passing !== undefined) await passing
    try {
      const outcome = await this.#replyTo(device, request)
      return typeof outcome === 'string' ? { kind: 'refused', code: outcome } : outcome
    } catch (error) {
      signal.throwIfAborted()
      this.#deps.log.debug(
        () => `${device} requested ${JSON.stringify(request.name)} in folder ${request.folder}: ${messageOf(error)}`,
      )
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

  async #replyTo(device: DeviceId, request: BlockRequest): Promise<Outcome> {
    const folder = await this.#deps.served(device, request.folder)
    if (folder === undefined) return 'generic'
    if (folder.cipher !== undefined) return await this.#encryptedReply(folder, folder.cipher, request)
    if (folder.isEncrypted) return await this.#storedReply(folder, request)
    if (request.hash.length !== HASH_SIZE_BYTES) return 'invalid-file'
    const record = await folder.index.records.head('local', request.name)
    if (record !== undefined && (record.localFlags & FLAG_IGNORED) !== 0) return 'invalid-file'
    if (request.fromTemporary) {
      const outcome = await this.#fromTemporary(folder, request)
      if (outcome !== undefined) return outcome
    }
    if (record === undefined || record.deleted || record.type !== 'file') return 'no-such-file'
    const found = this.#knownBlocks.isFirst(device, folder, record, request)
    const isFirst = typeof found === 'boolean' ? found : await found
    return await this.#fromFile(folder, request, { recorded: isFirst ? recordedLookOf(record) : undefined })
  }

  /**
   * Only a block of our index as it was announced. It is always hashed: the device cannot check it, and would store and
   * pass on a wrong one.
   */
  async #encryptedReply(folder: ServedFolder, cipher: FolderCipher, request: BlockRequest): Promise<Outcome> {
    const name = cipher.decryptName(request.name)
    if (name === undefined || refusalByForm({ ...request, name }) !== undefined) return 'generic'
    const record = await folder.index.records.head('local', name)
    if (record === undefined || record.deleted || record.type !== 'file' || isInvalid(record)) return 'no-such-file'
    const block = await this.#knownBlocks.block(folder, record, request.blockNumber)
    if (block === undefined || !isAnnouncedBlock(cipher, name, request, block)) return 'no-such-file'
    const { offsetBytes, sizeBytes, hash } = block
    const seal = sealFor(cipher, name, sizeBytes, this.#deps.random)
    return await this.#fromFile(folder, { ...request, name, offsetBytes, sizeBytes, hash }, { seal })
  }

  /** An encrypted block of our disk, of a file that is as recorded: nothing else shows here whether it is right. */
  async #storedReply(folder: ServedFolder, request: BlockRequest): Promise<Outcome> {
    const record = await folder.index.records.head('local', request.name)
    if (record?.encrypted === undefined || record.deleted || record.type !== 'file' || isInvalid(record))
      return 'no-such-file'
    const block = await this.#knownBlocks.block(folder, record, request.blockNumber)
    const isKnown = block?.offsetBytes === request.offsetBytes && block.sizeBytes === request.sizeBytes
    if (!isKnown || Buffer.compare(block.hash, request.hash) !== 0) return 'no-such-file'
    return await this.#fromFile(folder, { ...request, hash: NO_HASH }, { recorded: recordedLookOf(record) })
  }

  /** Undefined: the temporary file exists without the block; the finished file may have it. */
  async #fromTemporary({ root }: ServedFolder, request: BlockRequest): Promise<Outcome | undefined> {
    const result = await this.#deps.blocks.read(
      orderFor(root, temporaryName(request.name, this.#deps.platform), request),
    )
    if (result.kind === 'different') return undefined
    return result.kind === 'read' ? replyOf(result) : 'no-such-file'
  }

  async #fromFile(
    { id, root, index }: ServedFolder,
    request: BlockRequest,
    options: Pick<BlockOrder, 'recorded' | 'seal'>,
  ): Promise<Outcome> {
    const result = await this.#deps.blocks.read({ ...orderFor(root, request.name, request), ...options })
    if (result.kind === 'read') return replyOf(result)
    const record = await index.records.get('local', request.name)
    if (record !== undefined && isOfRecord(record, request)) {
      this.#deps.log.debug(() => `folder ${id}: ${JSON.stringify(record.name)} differs from the index`)
      this.#deps.changed(id, record, result.kind === 'different' && hasSameStamp(result, recordedLookOf(record)))
    }
    return 'no-such-file'
  }
}

function orderFor(root: string, name: string, { offsetBytes, sizeBytes, hash }: BlockRequest): BlockOrder {
  return { root, name, offsetBytes, sizeBytes, hash }
}

function replyOf({ data, headroomBytes, releaseBuffer }: Extract<BlockResult, { kind: 'read' }>): BlockReply {
  return { kind: 'data', data, headroomBytes, releaseBuffer }
}

function refusalByForm({ name, offsetBytes, sizeBytes }: BlockRequest): RefusalCode | undefined {
  if (!isCanonical(name) || isInternal(name) || looksTemporary(baseOf(name))) return 'invalid-file'
  if (sizeBytes < 0 || offsetBytes < 0) return 'invalid-file'
  if (sizeBytes > SIZE_BYTES_MAX || !Number.isSafeInteger(offsetBytes + sizeBytes)) return 'no-such-file'
  return undefined
}

/** Whether the request is for a block of this record; otherwise it is out of date. */
function isOfRecord({ blockHashes, blockSizeBytes }: FileInfo, { offsetBytes, hash: wanted }: BlockRequest): boolean {
  if (blockHashes === undefined || blockSizeBytes <= 0 || offsetBytes % blockSizeBytes !== 0) return false
  return isHashAt(blockHashes, offsetBytes / blockSizeBytes, wanted)
}

/** Size and time of the unchanged file of a record on disk. */
function recordedLookOf(record: FileHead): FileStamp {
  const { modifiedS, modifiedNs } = diskTimeOf(record)
  return { sizeBytes: diskSizeOf(record), modifiedS, modifiedNs }
}
