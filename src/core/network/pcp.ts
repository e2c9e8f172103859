import { createHmac } from 'node:crypto'
import { formatIpv4, parseIp } from './ip.ts'
import { viewOf, type MapReply } from './nat-pmp.ts'

const VERSION = 2
const ANNOUNCE = 0
const MAP = 1
const REPLY = 128
const TCP = 6
const HEADER_BYTES = 24
const MAP_BYTES = 36
const NONCE_BYTES = 12
/** RFC 6887, section 7: no valid packet is longer. */
const PACKET_BYTES_MAX = 1_100
const REASONS: readonly string[] = [
  'success',
  'the version is not supported',
  'not authorized',
  'the request is malformed',
  'the operation is not supported',
  'the option is not supported',
  'the option is malformed',
  'the gateway has no network',
  'the gateway has no resources left',
  'the protocol is not supported',
  'too many mappings for this host',
  'the external port cannot be provided',
  'the address of this host was changed on the way',
  'too many remote peers',
]

export interface PcpMapping {
  readonly localHost: string
  /** Identifies who made a mapping: only the same nonce renews or removes it. */
  readonly nonce: Uint8Array
  readonly internalPort: number
  /** A suggestion; 0 for any. */
  readonly externalPort: number
  /** 0 removes the mapping. */
  readonly lifetimeS: number
}

/**
 * The nonce of a mapping. It depends on a secret of the device instead of chance, so that a mapping that a crash left
 * behind can be renewed: the gateway refuses another nonce until the old lease ends.
 */
export function pcpNonce(secret: string, gateway: string, internalPort: number): Uint8Array {
  const digest = createHmac('sha256', secret).update(`pcp ${gateway} ${internalPort}`).digest()
  return new Uint8Array(digest.subarray(0, NONCE_BYTES))
}

/** PCP (RFC 6887): a request without effect, to learn whether the gateway supports this protocol. */
export function encodePcpAnnounce(localHost: string): Uint8Array {
  return header(ANNOUNCE, 0, localHost, HEADER_BYTES)
}

/** Whether a packet is a reply of a gateway that supports this protocol, whatever it says. */
export function isPcpReply(packet: Uint8Array): boolean {
  if (packet.length < HEADER_BYTES || packet.length > PACKET_BYTES_MAX) return false
  const isUnsupported = packet[3] === 1
  return packet[0] === VERSION && (packet[1] ?? 0) >= REPLY && !isUnsupported
}

export function encodePcpMapping({ localHost, nonce, internalPort, externalPort, lifetimeS }: PcpMapping): Uint8Array {
  const packet = header(MAP, lifetimeS, localHost, HEADER_BYTES + MAP_BYTES)
  const view = viewOf(packet)
  packet.set(nonce, HEADER_BYTES)
  view.setUint8(HEADER_BYTES + 12, TCP)
  view.setUint16(HEADER_BYTES + 16, internalPort)
  view.setUint16(HEADER_BYTES + 18, externalPort)
  packet.set(ipBytes('0.0.0.0'), HEADER_BYTES + 20)
  return packet
}

/** Undefined for anything that is no reply to this request. */
export function decodePcpMapping(packet: Uint8Array, request: PcpMapping): MapReply | undefined {
  if (packet.length < HEADER_BYTES + MAP_BYTES || packet.length > PACKET_BYTES_MAX) return undefined
  if (packet[0] !== VERSION || packet[1] !== MAP + REPLY) return undefined
  const view = viewOf(packet)
  const nonce = packet.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
  if (Buffer.compare(nonce, request.nonce) !== 0 || view.getUint8(HEADER_BYTES + 12) !== TCP) return undefined
  if (view.getUint16(HEADER_BYTES + 16) !== request.internalPort) return undefined
  const result = view.getUint8(3)
  if (result !== 0) return { kind: 'refused', reason: REASONS[result] ?? `error ${result}` }
  const externalHost = ipv4Text(packet.subarray(HEADER_BYTES + 20, HEADER_BYTES + 36))
  return {
    kind: 'mapped',
    externalPort: view.getUint16(HEADER_BYTES + 18),
    lifetimeS: view.getUint32(4),
    ...(externalHost !== undefined && { externalHost }),
  }
}

function header(operation: number, lifetimeS: number, localHost: string, sizeBytes: number): Uint8Array {
  const packet = new Uint8Array(sizeBytes)
  const view = viewOf(packet)
  view.setUint8(0, VERSION)
  view.setUint8(1, operation)
  view.setUint32(4, lifetimeS)
  packet.set(ipBytes(localHost), 8)
  return packet
}

/** An IPv4 address as 16 bytes, IPv4-mapped. */
function ipBytes(host: string): Uint8Array {
  const value = (0xffffn << 32n) | (parseIp(host)?.value ?? 0n)
  return Uint8Array.from({ length: 16 }, (_, i) => Number((value >> BigInt(8 * (15 - i))) & 0xffn))
}

/** Undefined for any other than an IPv4-mapped address. */
function ipv4Text(bytes: Uint8Array): string | undefined {
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  return value >> 32n === 0xffffn ? formatIpv4(value & 0xffff_ffffn) : undefined
}
