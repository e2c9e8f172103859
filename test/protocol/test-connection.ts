import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { ProtocolConnection, type ConnectionDeps, type ConnectionOptions } from '../../src/protocol/connection.ts'
import type { FrameListener } from '../../src/protocol/frame.ts'
import { MessageMemory } from '../../src/protocol/message-memory.ts'
import type {
  BlockReply,
  BlockRequest,
  ClusterConfig,
  DownloadUpdate,
  IndexData,
  ProtocolHandler,
} from '../../src/protocol/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { quietLogger } from '../support/logger.ts'
import { ScriptedStream, settle } from './scripted-stream.ts'

/** Ignores progress and provides no buffers. */
export const NO_LISTENER: FrameListener = {
  onProgress: () => {},
  bufferFor: () => undefined,
  reserve: async () => undefined,
}
export const EMPTY_CONFIG: ClusterConfig = { folders: [], secondary: false }
export const HELLO = { deviceName: 'peer', clientName: 'test', clientVersion: 'v1', numConnections: 1, timestampNs: 1n }

/** Records its calls; a test may override methods. */
function recordingHandler(overrides: Partial<ProtocolHandler> = {}): ProtocolHandler & { readonly calls: unknown[][] } {
  const calls: unknown[][] = []
  return {
    calls,
    clusterConfig: async (config: ClusterConfig) => void calls.push(['clusterConfig', config]),
    acceptsIndex: async () => true,
    index: async (data: IndexData) => void calls.push(['index', data]),
    indexUpdate: async (data: IndexData) => void calls.push(['indexUpdate', data]),
    request: async (request: BlockRequest): Promise<BlockReply> => {
      calls.push(['request', request])
      return { kind: 'data', data: new Uint8Array(request.sizeBytes) }
    },
    acceptsDownloadProgress: async () => true,
    downloadProgress: async (folder: string, updates: readonly DownloadUpdate[]) =>
      void calls.push(['downloadProgress', folder, updates]),
    ...overrides,
  }
}

export interface TestConnection {
  readonly clock: SimClock
  readonly stream: ScriptedStream
  readonly connection: ProtocolConnection
  readonly handler: ReturnType<typeof recordingHandler>
  readonly logger: ReturnType<typeof quietLogger>
  readonly running: Promise<void>
}

/** A running connection that has sent its ClusterConfig unless `unconfigured`; the test is the peer. */
export async function openConnection(
  overrides: Partial<ProtocolHandler> = {},
  options: Partial<ConnectionOptions> = {},
  start: 'configured' | 'unconfigured' = 'configured',
  deps: Partial<ConnectionDeps> = {},
): Promise<TestConnection> {
  const clock = new SimClock()
  const stream = new ScriptedStream()
  const handler = recordingHandler(overrides)
  const logger = quietLogger('protocol')
  const incoming = new ByteReader(stream, () => clock.monotonicMs())
  const connection = new ProtocolConnection(
    { clock, logger, memory: new MessageMemory(), ...deps },
    stream,
    { hello: HELLO, incoming },
    {
      device: deviceIdFromBytes(new Uint8Array(32).fill(7)),
      connectionId: 'ID',
      transport: 'tcp-client',
      remoteAddress: stream.remoteAddress,
      isLocal: true,
      crypto: 'TLS1.3-TLS_AES_128_GCM_SHA256',
      priority: 10,
      compression: 'metadata',
      ...options,
    },
  )
  const running = connection.run(handler)
  if (start === 'configured') await connection.clusterConfig(EMPTY_CONFIG)
  await settle()
  return { clock, stream, connection, handler, logger, running }
}

/** A frame from its parts. */
export function frame(type: number, body: Uint8Array, compression = 0): Buffer {
  const header = Buffer.from([...(type === 0 ? [] : [0x08, type]), ...(compression === 0 ? [] : [0x10, compression])])
  const lengths = Buffer.alloc(6)
  lengths.writeUInt16BE(header.length, 0)
  lengths.writeUInt32BE(body.length, 2)
  return Buffer.concat([lengths.subarray(0, 2), header, lengths.subarray(2), body])
}

/** The reason of the Close that was written last; undefined when none was. */
export function closeReason(stream: ScriptedStream): string | undefined {
  const last = stream
    .frames()
    .filter(({ type }) => type === 7)
    .at(-1)
  if (last === undefined) return undefined
  if (last.body.length === 0) return ''
  const two = (last.body[1] ?? 0) > 0x7f
  return last.body.subarray(two ? 3 : 2).toString('utf8')
}
