import type { Compression } from '../core/config/config.ts'
import type { FileInfo } from '../core/records/file-info.ts'
import type { DeviceId } from '../core/ids.ts'
import type { VersionVector } from '../core/records/version-vector.ts'

/** What a device says of itself before anybody is trusted. Its texts come capped and plain; show them only as text. */
export interface Hello {
  readonly deviceName: string
  readonly clientName: string
  readonly clientVersion: string
  readonly numConnections: number
  readonly timestampNs: bigint
}

export type WireFolderType = 'sendreceive' | 'sendonly' | 'receiveonly' | 'receiveencrypted'

export interface ClusterDevice {
  readonly id: DeviceId
  readonly name: string
  readonly addresses: readonly string[]
  readonly compression: Compression
  readonly certName: string
  readonly maxSequence: number
  readonly introducer: boolean
  /** Never changes while sequences go on; 0 is "none". */
  readonly indexId: bigint
  readonly skipIntroductionRemovals: boolean
  readonly encryptionPasswordToken: Uint8Array
}

export interface ClusterFolder {
  readonly id: string
  readonly label: string
  readonly type: WireFolderType
  readonly paused: boolean
  /** Only 1.x says it: then nobody is told about half-finished files of this folder. */
  readonly disableTempIndexes: boolean
  readonly devices: readonly ClusterDevice[]
}

export interface ClusterConfig {
  readonly folders: readonly ClusterFolder[]
  /** On a connection that carries requests only. */
  readonly secondary: boolean
}

/** Records as they came: checked by the protocol, names canonical, block lists whole or the record marked invalid. */
export interface IndexData {
  readonly folder: string
  readonly files: readonly FileInfo[]
  readonly lastSequence: number
  /** Only of an update; 0 in a first index. */
  readonly prevSequence: number
}

export interface BlockRequest {
  readonly folder: string
  readonly name: string
  readonly offsetBytes: number
  readonly sizeBytes: number
  readonly hash: Uint8Array
  readonly fromTemporary: boolean
  readonly blockNumber: number
  /**
   * Of our own requests: asked for memory of exactly that size, once, when the answer begins to arrive, so that memory
   * can be used again and what is only waited for has none. The answer may be that memory. It belongs to the connection
   * until the request has succeeded, and for good when it has failed.
   */
  readonly into?: (dataBytes: number) => Uint8Array | undefined
}

export type RefusalCode = 'generic' | 'no-such-file' | 'invalid-file'

export type BlockReply =
  /**
   * `giveBack` is called when the memory of the data is free again; never, where that cannot be told. Its first
   * `headroomBytes` stand before the data and may be written to.
   */
  | {
      readonly kind: 'data'
      readonly data: Uint8Array
      readonly headroomBytes?: number
      readonly giveBack?: () => void
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode }

export interface DownloadUpdate {
  readonly kind: 'append' | 'forget'
  readonly name: string
  readonly version: VersionVector
  readonly blockIndexes: readonly number[]
  readonly blockSizeBytes: number
}

/**
 * Who receives what a peer says. Calls come in order and the next waits for the promise, except requests, which may
 * overlap. A throw closes the connection; the peer is told `handling <what>: <message>`, as in `handling index for
 * photos: photos: no such folder`. A throw from `request` is a refusal. Nobody may wait in here for an answer of the
 * same peer. A very large index comes in parts: the first as `index`, the others as `indexUpdate`.
 */
export interface ProtocolHandler {
  clusterConfig(config: ClusterConfig): Promise<void>
  /** A whole index: everything known before from this device and folder is out of date. */
  index(data: IndexData): Promise<void>
  indexUpdate(data: IndexData): Promise<void>
  request(request: BlockRequest, signal: AbortSignal): Promise<BlockReply>
  downloadProgress(folder: string, updates: readonly DownloadUpdate[]): Promise<void>
}

/** An authenticated connection to a device, Hello behind it, no message sent yet. */
export interface Connection {
  readonly device: DeviceId
  /** Sorts by time of establishment; equal on both sides in its time part. */
  readonly connectionId: string
  readonly hello: Hello
  /** `tcp-client`, `tcp-server`, later relay and quic. */
  readonly transport: string
  readonly remoteAddress: string
  readonly isLocal: boolean
  /** E.g. `TLS1.3-TLS_AES_128_GCM_SHA256`. */
  readonly crypto: string
  readonly establishedMs: number
  /** Lower is better. */
  readonly priority: number
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  /** For how long not a byte has come although we listen. A device that is there breaks its silence within 90 seconds. */
  readonly silentMs: number
  /** Aborts when the connection has ended, with the reason. */
  readonly closed: AbortSignal
  /** Begins to read. Nothing is delivered before this; resolves when the connection has ended, never rejects. */
  run(handler: ProtocolHandler): Promise<void>
  clusterConfig(config: ClusterConfig): Promise<void>
  index(data: IndexData): Promise<void>
  indexUpdate(data: IndexData): Promise<void>
  /** Resolves with the bytes, unverified; rejects when refused, closed or aborted. */
  request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array>
  downloadProgress(folder: string, updates: readonly DownloadUpdate[]): Promise<void>
  /** Says goodbye with the reason, then closes; bounded in time, never rejects. */
  close(reason: string): Promise<void>
}
