import { deviceIdBytes, deviceIdFromBytes } from '../device-id.ts'
import type { DeviceId } from '../ids.ts'
import { malformed } from '../wire/errors.ts'

const MAGIC = 0x9e79_bc40
export const RELAY_HEADER_BYTES = 12
const PAYLOAD_BYTES_MAX = 1_024
const OPAQUE_BYTES_MAX = 32
const DEVICE_ID_BYTES = 32

/** A message of the relay protocol, version 1. */
export type RelayMessage =
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'join-relay'; readonly token: string }
  | { readonly kind: 'join-session'; readonly key: Uint8Array }
  | { readonly kind: 'response'; readonly code: number; readonly message: string }
  | { readonly kind: 'connect'; readonly device: DeviceId }
  | SessionInvitation
  | { readonly kind: 'relay-full' }

/** Where two devices meet, sent to both of them. */
export interface SessionInvitation {
  readonly kind: 'invitation'
  /** The other device, as the relay says; only the TLS handshake proves it. */
  readonly from: DeviceId
  readonly key: Uint8Array
  /** An IP address of 4 or 16 bytes; empty for that of the relay. */
  readonly address: Uint8Array
  readonly port: number
  /** The receiver takes the server's role in the TLS handshake. */
  readonly isServer: boolean
}

/** Codes of a `response`. */
export const RELAY_SUCCESS = 0
export const RELAY_NOT_FOUND = 1
export const RELAY_ALREADY_CONNECTED = 2
export const RELAY_WRONG_TOKEN = 3

const KINDS = [
  'ping',
  'pong',
  'join-relay',
  'join-session',
  'response',
  'connect',
  'invitation',
  'relay-full',
] as const satisfies readonly RelayMessage['kind'][]

export interface RelayHeader {
  readonly kind: RelayMessage['kind']
  readonly payloadBytes: number
}

export function encodeRelayMessage(message: RelayMessage): Uint8Array {
  const payload = Buffer.concat(payloadOf(message))
  if (payload.length > PAYLOAD_BYTES_MAX) throw malformed('the relay message is too long')
  return Buffer.concat([uint32(MAGIC), uint32(KINDS.indexOf(message.kind)), uint32(payload.length), payload])
}

/** The length is checked here, before anything is allocated for the payload. */
export function decodeRelayHeader(header: Uint8Array): RelayHeader {
  const reader = new XdrReader(header)
  if (reader.uint32() !== MAGIC) throw malformed('not a message of the relay protocol')
  const kind = KINDS[reader.uint32()]
  const payloadBytes = reader.uint32()
  if (kind === undefined) throw malformed('unknown relay message')
  if (payloadBytes > PAYLOAD_BYTES_MAX) throw malformed('the relay message is too long')
  return { kind, payloadBytes }
}

/** Throws a `ProtocolError` for anything but one whole message of this kind. */
export function decodeRelayPayload(kind: RelayMessage['kind'], payload: Uint8Array): RelayMessage {
  const reader = new XdrReader(payload)
  const message = readMessage(kind, reader)
  if (!reader.isAtEnd) throw malformed('the relay message is longer than its fields')
  return message
}

function payloadOf(message: RelayMessage): readonly Uint8Array[] {
  switch (message.kind) {
    case 'ping':
    case 'pong':
    case 'relay-full':
      return []
    case 'join-relay':
      return [opaque(Buffer.from(message.token))]
    case 'join-session':
      return [opaque(message.key)]
    case 'response':
      return [uint32(message.code), opaque(Buffer.from(message.message))]
    case 'connect':
      return [opaque(deviceIdBytes(message.device))]
    case 'invitation': {
      const { from, key, address, port, isServer } = message
      return [opaque(deviceIdBytes(from)), opaque(key), opaque(address), uint32(port), uint32(isServer ? 1 : 0)]
    }
  }
}

function readMessage(kind: RelayMessage['kind'], reader: XdrReader): RelayMessage {
  switch (kind) {
    case 'ping':
    case 'pong':
    case 'relay-full':
      return { kind }
    case 'join-relay':
      return { kind, token: reader.isAtEnd ? '' : reader.text() } // no payload at all is the older form
    case 'join-session':
      return { kind, key: reader.opaque(OPAQUE_BYTES_MAX) }
    case 'response':
      return { kind, code: reader.uint32(), message: reader.text() }
    case 'connect':
      return { kind, device: readDeviceId(reader) }
    case 'invitation': {
      const [from, key, address] = [readDeviceId(reader), reader.opaque(OPAQUE_BYTES_MAX), reader.opaque(16)]
      if (address.length !== 0 && address.length !== 4 && address.length !== 16) throw malformed('not an IP address')
      const port = reader.uint32()
      if (port > 65_535) throw malformed('not a port')
      return { kind, from, key, address, port, isServer: reader.uint32() !== 0 }
    }
  }
}

function readDeviceId(reader: XdrReader): DeviceId {
  const bytes = reader.opaque(OPAQUE_BYTES_MAX)
  if (bytes.length !== DEVICE_ID_BYTES) throw malformed('not a device ID')
  return deviceIdFromBytes(bytes)
}

/** External data representation (RFC 4506): numbers of four bytes, byte strings padded to a multiple of four. */
class XdrReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  uint32(): number {
    return this.#take(4).readUInt32BE()
  }

  opaque(bytesMax: number): Uint8Array {
    const length = this.uint32()
    if (length > bytesMax) throw malformed('a field of the relay message is too long')
    const value = new Uint8Array(this.#take(length))
    if (this.#take(paddingOf(length)).some((byte) => byte !== 0)) throw malformed('padding is not zero')
    return value
  }

  text(): string {
    return new TextDecoder().decode(this.opaque(PAYLOAD_BYTES_MAX))
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw malformed('the relay message is cut short')
    const taken = this.#bytes.subarray(this.#at, this.#at + count)
    this.#at += count
    return taken
  }
}

function opaque(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([uint32(bytes.length), bytes, Buffer.alloc(paddingOf(bytes.length))])
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function paddingOf(length: number): number {
  return (4 - (length % 4)) % 4
}
