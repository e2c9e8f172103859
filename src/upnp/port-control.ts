import {
  decodeAddressReply,
  decodeTcpMapping,
  encodeAddressRequest,
  encodeTcpMapping,
  PORT_CONTROL_PORT,
  type MapReply,
} from '../core/network/nat-pmp.ts'
import { decodePcpMapping, encodePcpAnnounce, encodePcpMapping, isPcpReply, pcpNonce } from '../core/network/pcp.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Gateway } from './types.ts'
import { requestByUdp, type UdpRequestDeps } from './udp-request.ts'

export interface PortControlOptions {
  /** Address of the router. */
  readonly host: string
  readonly local: InterfaceAddress
  readonly timeoutMs: number
  /** Of this device; PCP derives its nonces from it. */
  readonly secret: string
}

/** A gateway with PCP, or else with NAT-PMP; undefined if it answers to neither. */
export async function findPortControl(
  deps: UdpRequestDeps,
  options: PortControlOptions,
  probeMs: number,
  signal: AbortSignal,
): Promise<Gateway | undefined> {
  const { host, local } = options
  const request = {
    packets: [encodePcpAnnounce(local.address), encodeAddressRequest()],
    to: { host, port: PORT_CONTROL_PORT },
    localHost: local.address,
    timeoutMs: probeMs,
  }
  // Both were asked at once. A gateway answers in order, so a reply by NAT-PMP comes first only from one without PCP.
  const accept = (reply: Uint8Array): 'PCP' | 'NAT-PMP' | undefined =>
    isPcpReply(reply) ? 'PCP' : decodeAddressReply(reply) !== undefined ? 'NAT-PMP' : undefined
  const protocol = await requestByUdp(deps, request, accept, signal).catch(() => undefined)
  signal.throwIfAborted()
  if (protocol === undefined) return undefined
  return protocol === 'PCP' ? pcpGateway(deps, options) : natPmpGateway(deps, options)
}

type Ask = (internalPort: number, externalPort: number, lifetimeS: number, signal: AbortSignal) => Promise<MapReply>

function gatewayOf(protocol: 'PCP' | 'NAT-PMP', { host, local }: PortControlOptions, ask: Ask): Gateway {
  return {
    id: `port control ${host}`,
    protocol,
    host,
    family: 4,
    local,
    /** The gateway grants another port if the wanted one is taken, so one attempt is enough. */
    async map({ internalPort, externalPorts, leaseS, renewalS }, before, signal) {
      const wanted = before?.externalPort ?? externalPorts[0] ?? 0
      // A lifetime of 0 would remove the mapping.
      const reply = granted(await ask(internalPort, wanted, leaseS === 0 ? 2 * renewalS : leaseS, signal))
      const { externalPort, lifetimeS, externalHost } = reply
      if (externalPort === 0 || lifetimeS === 0) throw new TwinfoldError('refused', 'nothing was mapped')
      return { internalPort, externalPort, leaseS: lifetimeS, ...(externalHost !== undefined && { externalHost }) }
    },
    async unmap({ internalPort }, signal) {
      granted(await ask(internalPort, 0, 0, signal))
    },
  }
}

function granted(reply: MapReply): MapReply & { readonly kind: 'mapped' } {
  if (reply.kind === 'refused') throw new TwinfoldError('refused', reply.reason)
  return reply
}

function pcpGateway(deps: UdpRequestDeps, options: PortControlOptions): Gateway {
  const { local, secret, host } = options
  return gatewayOf('PCP', options, async (internalPort, externalPort, lifetimeS, signal) => {
    const nonce = pcpNonce(secret, host, internalPort)
    const mapping = { localHost: local.address, nonce, internalPort, externalPort, lifetimeS }
    return await exchange(deps, options, encodePcpMapping(mapping), (reply) => decodePcpMapping(reply, mapping), signal)
  })
}

function natPmpGateway(deps: UdpRequestDeps, options: PortControlOptions): Gateway {
  return gatewayOf('NAT-PMP', options, async (internalPort, externalPort, lifetimeS, signal) => {
    const packet = encodeTcpMapping(internalPort, externalPort, lifetimeS)
    const reply = await exchange(deps, options, packet, (one) => decodeTcpMapping(one, internalPort), signal)
    if (reply.kind === 'refused' || lifetimeS === 0) return reply
    const question = encodeAddressRequest()
    const address = await exchange(deps, options, question, decodeAddressReply, signal).catch(() => undefined)
    return { ...reply, ...address }
  })
}

async function exchange<T>(
  deps: UdpRequestDeps,
  { host, local, timeoutMs }: PortControlOptions,
  packet: Uint8Array,
  accept: (reply: Uint8Array) => T | undefined,
  signal: AbortSignal,
): Promise<T> {
  const to = { host, port: PORT_CONTROL_PORT }
  return await requestByUdp(deps, { packets: [packet], to, localHost: local.address, timeoutMs }, accept, signal)
}
