import type { Compression } from '../core/config/config.ts'
import type { FileInfo } from '../core/records/file-info.ts'
import type { DeviceId } from '../core/ids.ts'
import type { VersionVector } from '../core/records/version-vector.ts'

/** The Hello of a device, unverified. Texts are truncated and sanitized; display them only as text. */
export interface Hello {
  readonly deviceName: string
  readonly clientName: string
  readonly clientVersion: string
  readonly numConnections: number
  readonly timestampNs: bigint
  /** Shows that the sender has an invitation of the receiver; a field of ours, which other programs ignore. */
  readonly invitationProof?: Uint8Array
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
  /** Constant while sequence numbers continue; 0 is "none". */
  readonly indexId: bigint
  readonly skipIntroductionRemovals: boolean
  readonly encryptionPasswordToken: Uint8Array
}

export interface ClusterFolder {
  readonly id: string
  readonly label: string
  readonly type: WireFolderType
  readonly paused: boolean
  /** Sent by 1.x only: then no progress of temporary files of this folder is sent. */
  readonly disableTempIndexes: boolean
  readonly devices: readonly ClusterDevice[]
}

export interface ClusterConfig {
  readonly folders: readonly ClusterFolder[]
  /** Set on a connection that carries requests only. */
  readonly secondary: boolean
}

/** Received records, validated: names are canonical, block lists complete or the record is marked invalid. */
export interface IndexData {
  readonly folder: string
  readonly files: readonly FileInfo[]
  readonly lastSequence: number
  /** Of an update; 0 in a full index. */
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
   * For outgoing requests: called once for a buffer of exactly that size when the response begins to arrive, so that
   * buffers are reused and pending requests hold none. The response may be that buffer. The connection owns it until
   * the request has succeeded, and permanently when it has failed.
   */
  readonly into?: (dataBytes: number) => Uint8Array | undefined
}

export type RefusalCode = 'generic' | 'no-such-file' | 'invalid-file'

export type BlockReply =
  /**
   * `releaseBuffer` is called when the memory of the data is free again; never, where the stream cannot report that.
   * The `headroomBytes` before the data may be overwritten.
   */
  | {
      readonly kind: 'data'
      readonly data: Uint8Array
      readonly headroomBytes?: number
      readonly releaseBuffer?: () => void
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
 * Receives the messages of a peer. Calls are made in order, each after the promise of the previous one, except
 * requests, which may overlap. A throw closes the connection with the reason `handling <what>: <message>`, as in
 * `handling index for photos: photos: no such folder`. A throw from `request` is a refusal. Awaiting a response of the
 * same peer in a handler is a deadlock. A very large index is delivered in parts: the first as `index`, the others as
 * `indexUpdate`.
 */
export interface ProtocolHandler {
  clusterConfig(config: ClusterConfig): Promise<void>
  /**
   * Called before the records of an index or an update are decoded. False drops the message; a throw closes the
   * connection.
   */
  acceptsIndex(folder: string): Promise<boolean>
  /** A full index: replaces all earlier records of this device and folder. */
  index(data: IndexData): Promise<void>
  indexUpdate(data: IndexData): Promise<void>
  request(request: BlockRequest, signal: AbortSignal): Promise<BlockReply>
  /** Called before the updates are decoded. False drops the message; a throw closes the connection. */
  acceptsDownloadProgress(folder: string): Promise<boolean>
  downloadProgress(folder: string, updates: readonly DownloadUpdate[]): Promise<void>
}

/** Messages of a connection so far; bytes without compression and headers. */
export interface MessageCounts {
  readonly sent: number
  readonly sentBytes: number
  readonly received: number
  readonly receivedBytes: number
}

/** An authenticated connection to a device after the Hello exchange, before the first message. */
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
  readonly messages: MessageCounts
  /** Time since a read has been pending without a byte received. A connected device sends a ping within 90 seconds. */
  readonly idleMs: number
  /** Aborts when the connection has ended, with the reason. */
  readonly closed: AbortSignal
  /** Starts reading. Nothing is delivered before this; resolves when the connection has ended, never rejects. */
  run(handler: ProtocolHandler): Promise<void>
  clusterConfig(config: ClusterConfig): Promise<void>
  index(data: IndexData): Promise<void>
  indexUpdate(data: IndexData): Promise<void>
  /** Resolves with the bytes, unverified; rejects when refused, closed or aborted. */
  request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array>
  downloadProgress(folder: string, updates: readonly DownloadUpdate[]): Promise<void>
  /** Sends a Close with the reason, then closes the stream; bounded in time, never rejects. */
  close(reason: string): Promise<void>
}
