import { BASE32_HEX, encodeBase32 } from '../core/base32.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import { ByteReader } from './byte-reader.ts'
import { malformed } from '../core/wire/errors.ts'
import { plainText } from './exchange.ts'
import { HELLO } from './messages.ts'
import { decode, encode } from '../core/wire/schema.ts'
import type { Hello } from './types.ts'

const MAGIC = 0x2ea7d90b
const OLD_MAGICS: ReadonlySet<number> = new Set([0x9f79bc40, 0x00010000, 0x00010001])
const HELLO_BYTES_MAX = 32_767
const HELLO_MS_MAX = 20_000
const NAME_LENGTH_MAX = 256
const CONNECTION_COUNT_MAX = 128
const PROOF_BYTES_MAX = 64

/** The peer's Hello, and the reader with any bytes received after it. */
export interface HelloResult {
  readonly hello: Hello
  readonly incoming: ByteReader
}

/**
 * Sends our Hello and receives the peer's, in any order, within 20 s. Rejects on other data, on a timeout and when the
 * signal aborts; the caller disposes of the stream.
 */
export async function exchangeHellos(
  stream: TlsStream,
  own: Hello,
  clock: Clock,
  signal: AbortSignal,
): Promise<HelloResult> {
  signal.throwIfAborted()
  const incoming = new ByteReader(stream, () => clock.monotonicMs())
  const both = Promise.all([readHello(incoming), sendHello(stream, own)])
  const [hello] = await inTime(both, 'the Hello', clock, signal)
  return { hello, incoming }
}

/**
 * Resolves when the Hello is with the system: what follows here takes milliseconds at the first connection, for which
 * the peer would wait.
 */
async function sendHello(stream: TlsStream, own: Hello): Promise<void> {
  await stream.write(writeHello(own))
  await stream.consumed?.().catch(() => {}) // a lost connection also fails for the reader
}

/** Whether the peer sends a message after its Hello, within 20 s, instead of closing the connection. */
export async function continuesAfterHello(
  { incoming }: HelloResult,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const more = Promise.resolve(incoming.hasMore()).catch(() => false) // a lost connection has ended, too
  return await inTime(more, 'a message', clock, signal)
}

async function inTime<T>(work: Promise<T>, expected: string, clock: Clock, signal: AbortSignal): Promise<T> {
  const done = new AbortController()
  const timeout = clock.sleep(HELLO_MS_MAX, AbortSignal.any([signal, done.signal])).then(() => {
    throw malformed(`timed out waiting for ${expected} of the device`)
  })
  try {
    return await Promise.race([work, timeout]) // the rejection of the other one is handled by the race, too
  } finally {
    done.abort()
  }
}

export function writeHello(hello: Hello): Uint8Array {
  const body = encode(HELLO, {
    device_name: hello.deviceName,
    client_name: hello.clientName,
    client_version: hello.clientVersion,
    num_connections: hello.numConnections,
    timestamp: hello.timestampNs,
    ...(hello.invitationProof !== undefined && { invitation_proof: hello.invitationProof }),
  })
  if (body.length > HELLO_BYTES_MAX) throw new RangeError('Hello exceeds the maximum length')
  const bytes = Buffer.allocUnsafeSlow(6 + body.length)
  bytes.writeUInt32BE(MAGIC, 0)
  bytes.writeUInt16BE(body.length, 4)
  bytes.set(body, 6)
  return bytes
}

/** Names are truncated and sanitized: the peer is not authorized yet. */
async function readHello(incoming: ByteReader): Promise<Hello> {
  const start = Buffer.from(await incoming.take(6))
  const magic = start.readUInt32BE(0)
  if (OLD_MAGICS.has(magic)) throw malformed('the device uses an older version of the protocol')
  if (magic !== MAGIC) throw malformed('the device uses another protocol')
  const lengthBytes = start.readUInt16BE(4)
  if (lengthBytes > HELLO_BYTES_MAX) throw malformed(`a Hello of ${lengthBytes} bytes`)
  const { device_name, client_name, client_version, num_connections, timestamp, invitation_proof } = decode(
    HELLO,
    await incoming.take(lengthBytes),
    0,
  )
  const isProof = invitation_proof.length > 0 && invitation_proof.length <= PROOF_BYTES_MAX
  return {
    deviceName: plainText(device_name, NAME_LENGTH_MAX),
    clientName: plainText(client_name, NAME_LENGTH_MAX),
    clientVersion: plainText(client_version, NAME_LENGTH_MAX),
    numConnections: Math.min(Math.max(num_connections, 0), CONNECTION_COUNT_MAX),
    timestampNs: timestamp,
    ...(isProof && { invitationProof: new Uint8Array(invitation_proof) }), // a copy: the view holds all of the message
  }
}

/** Sorts by time; both sides compute the same first half, the random half separates simultaneous connections. */
export function connectionIdOf(ownNs: bigint, peerNs: bigint, random: Uint8Array): string {
  const time = new Uint8Array(8)
  new DataView(time.buffer).setBigUint64(0, ownNs + peerNs) // the lower 64 bits
  return encodeBase32(time, BASE32_HEX) + encodeBase32(random, BASE32_HEX)
}
