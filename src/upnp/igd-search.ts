import { messageOf } from '../core/errors.ts'
import { parseIp } from '../core/network/ip.ts'
import {
  GATEWAY_TYPES,
  isGatewayUrl,
  parseSsdpReply,
  SSDP_GROUP_V4,
  SSDP_GROUP_V6,
  SSDP_PORT,
  ssdpSearch,
  type SsdpReply,
} from '../core/network/ssdp.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Udp } from '../platform/udp.ts'

/** Gateways spread their replies over this time. */
const REPLY_WAIT_S = 2
/** A search is repeated, because datagrams may be lost. */
const SEARCHES = 2
const SEARCH_GAP_MS = 500
/** Every host of the local network can send replies. */
const REPLIES_MAX = 16

export interface IgdSearchDeps {
  readonly clock: Clock
  readonly udp: Udp
  readonly log: Logger
}

/** A reply of a gateway, and the address of this machine at which it arrived. */
export interface FoundIgd extends SsdpReply {
  readonly local: InterfaceAddress
  /** The host that replied. */
  readonly sender: string
}

/** Searches for UPnP gateways from one address of this machine. Rejects only when the signal aborts. */
export async function searchIgds(
  deps: IgdSearchDeps,
  local: InterfaceAddress,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly FoundIgd[]> {
  const found = new Map<string, FoundIgd>()
  const onDatagram = (data: Uint8Array, from: { readonly host: string }): void => {
    const reply = parseSsdpReply(data)
    if (reply === undefined || found.size >= REPLIES_MAX) return
    const sender = from.host.replace(/%.*$/, '')
    if (isGatewayUrl(reply.location, sender, local)) found.set(reply.id, { ...reply, local, sender })
    else deps.log.debug(() => `${sender}: the address of its description was refused`)
  }
  try {
    await search(deps, local, onDatagram, timeoutMs, signal)
  } catch (error) {
    signal.throwIfAborted()
    deps.log.debug(() => `searching gateways from ${local.address}: ${messageOf(error)}`)
  }
  return [...found.values()]
}

async function search(
  { clock, udp }: IgdSearchDeps,
  local: InterfaceAddress,
  onDatagram: (data: Uint8Array, from: { readonly host: string }) => void,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const isV6 = parseIp(local.address)?.family === 6
  const group = isV6 ? SSDP_GROUP_V6 : SSDP_GROUP_V4
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  await using socket = await udp.open(
    { family: isV6 ? 6 : 4, port: 0, host: isV6 ? `${local.address}%${local.interface}` : local.address },
    { onDatagram, onError: (error) => failed.abort(error) },
  )
  const to = { host: isV6 ? `${group}%${local.interface}` : group, port: SSDP_PORT }
  for (let i = 0; i < SEARCHES; i++) {
    for (const type of GATEWAY_TYPES) await socket.send(ssdpSearch(type, group, REPLY_WAIT_S), to)
    await clock.sleep(Math.min(SEARCH_GAP_MS, timeoutMs / SEARCHES), either)
  }
  const waitMs = Math.min(timeoutMs, (REPLY_WAIT_S + 1) * 1_000)
  await clock.sleep(Math.max(0, waitMs - SEARCHES * SEARCH_GAP_MS), either)
}
