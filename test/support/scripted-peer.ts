import { X509Certificate } from 'node:crypto'
import type { DeviceId } from '../../src/core/ids.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { ProtocolConnection } from '../../src/protocol/connection.ts'
import { MessageMemory } from '../../src/protocol/message-memory.ts'
import { connectionIdOf, exchangeHellos } from '../../src/protocol/hello.ts'
import type {
  BlockReply,
  BlockRequest,
  ClusterConfig,
  ClusterDevice,
  IndexData,
  ProtocolHandler,
} from '../../src/protocol/types.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import type { Identity } from '../../src/platform/net.ts'
import { quietLogger } from './logger.ts'
import { eventually } from './scratch.ts'

const NEVER = new AbortController().signal

/** A device that consists of a certificate only: the test sends its messages. */
export async function newIdentity(): Promise<{ readonly identity: Identity; readonly id: DeviceId }> {
  const identity = await makeCertificate({
    commonName: 'syncthing',
    keyType: 'Ed25519',
    lifetimeDays: 7_300,
    nowMs: nodeClock.nowMs(),
    serial: nodeRandom.bytes(8),
  })
  return { identity, id: deviceIdFromCertificate(new X509Certificate(identity.certificatePem).raw) }
}

/** An entry of a cluster config. */
export function clusterDevice(id: DeviceId, changes: Partial<ClusterDevice> = {}): ClusterDevice {
  return {
    id,
    name: '',
    addresses: [],
    compression: 'metadata',
    certName: '',
    maxSequence: 0,
    introducer: false,
    indexId: 0n,
    skipIntroductionRemovals: false,
    encryptionPasswordToken: new Uint8Array(0),
    ...changes,
  }
}

export interface ScriptedPeerOptions {
  readonly identity: Identity
  readonly id: DeviceId
  readonly port: number
  /** Responds to requests of the daemon. */
  readonly serve?: (request: BlockRequest) => Promise<BlockReply>
  /** What it calls itself. */
  readonly called?: { readonly deviceName?: string; readonly clientName?: string; readonly clientVersion?: string }
}

/** A device at the other end of a daemon, played by a test. Hangs up with the scope that holds it. */
export class ScriptedPeer implements AsyncDisposable {
  readonly id: DeviceId
  readonly daemon: DeviceId
  readonly connection: ProtocolConnection
  readonly received: { readonly clusterConfigs: ClusterConfig[]; readonly indexes: IndexData[] } = {
    clusterConfigs: [],
    indexes: [],
  }
  readonly #running: Promise<void>

  private constructor(options: ScriptedPeerOptions, connection: ProtocolConnection) {
    this.id = options.id
    this.daemon = connection.device
    this.connection = connection
    const handler: ProtocolHandler = {
      clusterConfig: async (config) => void this.received.clusterConfigs.push(config),
      acceptsIndex: async () => true,
      index: async (data) => void this.received.indexes.push(data),
      indexUpdate: async (data) => void this.received.indexes.push(data),
      request: async (request) => options.serve?.(request) ?? { kind: 'refused', code: 'generic' },
      acceptsDownloadProgress: async () => true,
      downloadProgress: async () => {},
    }
    this.#running = connection.run(handler)
  }

  static async dial(options: ScriptedPeerOptions): Promise<ScriptedPeer> {
    const { identity, port } = options
    const stream = await nodeNet.dialTls({ host: '127.0.0.1', port, identity }, NEVER)
    const own = {
      deviceName: 'script',
      clientName: 'script',
      clientVersion: 'v0',
      numConnections: 1,
      timestampNs: 1n,
      ...options.called,
    }
    const greeting = await exchangeHellos(stream, own, nodeClock, NEVER)
    const deps = { clock: nodeClock, logger: quietLogger('protocol'), memory: new MessageMemory() }
    const connection = new ProtocolConnection(deps, stream, greeting, {
      device: deviceIdFromCertificate(stream.peerCertificate),
      connectionId: connectionIdOf(1n, 1n, nodeRandom.bytes(8)),
      transport: 'tcp-client',
      remoteAddress: stream.remoteAddress,
      isLocal: true,
      crypto: stream.crypto,
      priority: 10,
      compression: 'never',
    })
    return new ScriptedPeer(options, connection)
  }

  get ended(): string | undefined {
    const { closed } = this.connection
    return closed.aborted ? String(closed.reason instanceof Error ? closed.reason.message : closed.reason) : undefined
  }

  /** Sends a ClusterConfig with these folders, and waits for that of the daemon. */
  async introduce(folders: readonly string[], more: Partial<ClusterDevice> = {}): Promise<ClusterConfig> {
    await this.connection.clusterConfig({
      secondary: false,
      folders: folders.map((id) => ({
        id,
        label: id,
        type: 'sendreceive',
        paused: false,
        disableTempIndexes: false,
        devices: [clusterDevice(this.daemon), clusterDevice(this.id, { indexId: 77n, ...more })],
      })),
    })
    return await eventually('the ClusterConfig of the daemon', () => this.received.clusterConfigs[0])
  }

  /** Why the connection ended; rejects when it does not. */
  async whenEnded(): Promise<string> {
    return await eventually('the end of the connection', () => this.ended)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close('test over')
    await this.#running
  }
}
