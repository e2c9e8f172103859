import { createHash } from 'node:crypto'
import { blockCount, blockSizeFor, blocksHashOf } from '../../../src/core/records/blocks.ts'
import { deviceIdFromBytes, shortIdOf } from '../../../src/core/device-id.ts'
import type { FileHead, FileInfo } from '../../../src/core/records/file-info.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { bumpVersion, compareVersions, type VersionVector } from '../../../src/core/records/version-vector.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import type { BlockSource, FileSharing, Sources } from '../../../src/model/state/sources.ts'
import type { BlockRequest, DownloadUpdate } from '../../../src/protocol/types.ts'

export const PEER = deviceIdFromBytes(new Uint8Array(32).fill(9))
export const PEER_SHORT = shortIdOf(PEER)

export interface ItemOptions {
  readonly type?: FileHead['type']
  readonly deleted?: boolean
  readonly permissions?: number
  readonly modifiedS?: number
  readonly modifiedNs?: number
  readonly symlinkTarget?: string
  /** The base of the new version; defaults to the peer's last version of the name. */
  readonly basedOn?: VersionVector
}

/** The record of a file, directory or symlink with this content. */
export function recordFor(
  name: string,
  content: Uint8Array | string,
  version: VersionVector,
  options: ItemOptions = {},
): FileInfo {
  const data = typeof content === 'string' ? Buffer.from(content) : content
  const type = options.type ?? 'file'
  const isFile = type === 'file' && options.deleted !== true
  const blockSizeBytes = blockSizeFor(data.length)
  const hashes = Array.from({ length: blockCount(data.length, blockSizeBytes) }, (_, i) =>
    createHash('sha256')
      .update(data.subarray(i * blockSizeBytes, (i + 1) * blockSizeBytes))
      .digest(),
  )
  const blockHashes = isFile ? new Uint8Array(Buffer.concat(hashes)) : undefined
  return {
    name,
    type,
    deleted: options.deleted ?? false,
    sizeBytes: isFile ? data.length : 0,
    modifiedS: options.modifiedS ?? 1_700_000_000,
    modifiedNs: options.modifiedNs ?? 123_456_789,
    permissions: options.permissions ?? (type === 'directory' ? 0o755 : 0o644),
    noPermissions: type === 'symlink',
    version,
    modifiedBy: PEER_SHORT,
    sequence: 0,
    localFlags: 0,
    blockSizeBytes: isFile ? blockSizeBytes : 0,
    blocksHash: blockHashes === undefined ? undefined : new Uint8Array(blocksHashOf(blockHashes)),
    symlinkTarget: options.symlinkTarget ?? '',
    blockHashes,
  }
}

/** Another device that has files, announces them and serves their blocks. */
export class SimPeer implements Sources {
  readonly contents = new Map<string, Buffer>()
  readonly records = new Map<string, FileInfo>()
  readonly requests: BlockRequest[] = []
  readonly downloadUpdates: DownloadUpdate[] = []
  connected = true
  /** Called for every request; may delay, throw or change the bytes. */
  serve: (request: BlockRequest, data: Buffer, signal: AbortSignal) => Promise<Uint8Array> = async (_request, data) =>
    data
  #sequence = 0
  #nowS = 1_700_000_000

  put(name: string, content: Uint8Array | string, options: ItemOptions = {}): FileInfo {
    const data = Buffer.from(content)
    this.contents.set(name, data)
    const base = options.basedOn ?? this.records.get(name)?.version ?? []
    const record = {
      ...recordFor(name, data, bumpVersion(base, PEER_SHORT, this.#nowS++), options),
      sequence: ++this.#sequence,
    }
    this.records.set(name, record)
    return record
  }

  directory(name: string, options: ItemOptions = {}): FileInfo {
    return this.put(name, '', { ...options, type: 'directory' })
  }

  symlink(name: string, symlinkTarget: string, options: ItemOptions = {}): FileInfo {
    return this.put(name, '', { ...options, type: 'symlink', symlinkTarget })
  }

  delete(name: string, options: ItemOptions = {}): FileInfo {
    return this.put(name, '', { type: this.records.get(name)?.type ?? 'file', ...options, deleted: true })
  }

  async announce(index: FolderIndex): Promise<void> {
    await index.records.updateRemote(PEER, [...this.records.values()])
  }

  async sourcesOf(_folder: string, file: FileHead): Promise<readonly BlockSource[]> {
    return this.#has(file) ? [{ device: PEER, fromTemporary: false }] : []
  }

  onlySource(_folder: string, file: FileHead): DeviceId | undefined {
    return this.#has(file) ? PEER : undefined
  }

  #has(file: FileHead): boolean {
    const own = this.records.get(file.name)
    return this.connected && own !== undefined && !own.deleted && compareVersions(own.version, file.version) === 'equal'
  }

  expectHolders(): () => void {
    return () => {}
  }

  async request(_device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    this.requests.push(request)
    const content = this.contents.get(request.name)
    if (!this.connected || content === undefined) throw new Error('no such file')
    return await this.serve(
      request,
      content.subarray(request.offsetBytes, request.offsetBytes + request.sizeBytes),
      signal,
    )
  }

  hasConnectedDevice(): boolean {
    return this.connected
  }

  connectedDevices(): readonly DeviceId[] {
    return this.connected ? [PEER] : []
  }

  shareFiles(): FileSharing {
    return { spare: () => {}, [Symbol.dispose]: () => {} }
  }

  async sendDownloadProgress(_folder: string, updates: readonly DownloadUpdate[]): Promise<void> {
    this.downloadUpdates.push(...updates)
  }
}
