import { formatIpv4 } from './ip.ts'

/** Port of NAT-PMP and PCP at the gateway. */
export const PORT_CONTROL_PORT = 5_351

const VERSION = 0
const EXTERNAL_ADDRESS = 0
const MAP_TCP = 2
const REPLY = 128
const REASONS: readonly string[] = [
  'success',
  'the version is not supported',
  'not authorized',
  'the gateway has no network',
  'the gateway has no resources left',
  'the operation is not supported',
]

/** A reply to a request that asked for a mapping, NAT-PMP or PCP. */
export type MapReply =
  | {
      readonly kind: 'mapped'
      readonly externalPort: number
      readonly lifetimeS: number
      /** Undefined where the protocol does not report it with the mapping. */
      readonly externalHost?: string
    }
  | { readonly kind: 'refused'; readonly reason: string }

/** NAT-PMP (RFC 6886): asks for the external address of the gateway. */
export function encodeAddressRequest(): Uint8Array {
  return Uint8Array.of(VERSION, EXTERNAL_ADDRESS)
}

/** Undefined for anything that is no reply to that request, or an error. */
export function decodeAddressReply(packet: Uint8Array): { readonly externalHost: string } | undefined {
  if (packet.length < 12 || packet[0] !== VERSION || packet[1] !== EXTERNAL_ADDRESS + REPLY) return undefined
  const view = viewOf(packet)
  return view.getUint16(2) === 0 ? { externalHost: formatIpv4(BigInt(view.getUint32(8))) } : undefined
}

/** A lifetime of 0 removes the mapping. */
export function encodeTcpMapping(internalPort: number, externalPort: number, lifetimeS: number): Uint8Array {
  const packet = new Uint8Array(12)
  const view = viewOf(packet)
  view.setUint8(1, MAP_TCP)
  view.setUint16(4, internalPort)
  view.setUint16(6, externalPort)
  view.setUint32(8, lifetimeS)
  return packet
}

/** Undefined for anything that is no reply to a request for this port. */
export function decodeTcpMapping(packet: Uint8Array, internalPort: number): MapReply | undefined {
  if (packet.length < 4 || packet[0] !== VERSION || packet[1] !== MAP_TCP + REPLY) return undefined
  const view = viewOf(packet)
  const result = view.getUint16(2)
  if (result !== 0) return { kind: 'refused', reason: REASONS[result] ?? `error ${result}` }
  if (packet.length < 16 || view.getUint16(8) !== internalPort) return undefined
  return { kind: 'mapped', externalPort: view.getUint16(10), lifetimeS: view.getUint32(12) }
}

export function viewOf(packet: Uint8Array): DataView {
  return new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
}
