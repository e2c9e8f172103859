import { messageOf } from '../core/errors.ts'
import { parseIp } from '../core/network/ip.ts'
import { externalPorts, mappedAddresses, usableExternalHost } from '../core/network/port-mapping.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Gateway, Grant, MappedListener, MappingStatus } from './types.ts'

interface Mapping {
  readonly listener: MappedListener
  readonly gateway: Gateway
  readonly grant?: Grant
  readonly grantedMs: number
  readonly error: string | null
}

export interface Lease {
  /** 0 for one without an end. */
  readonly leaseS: number
  readonly renewalS: number
}

/** The mappings of this device at all gateways. */
export class Mappings {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #device: string
  /** By listener, router and local address. */
  #entries: ReadonlyMap<string, Mapping> = new Map()

  constructor(deps: { readonly clock: Clock; readonly log: Logger }, device: string) {
    this.#clock = deps.clock
    this.#log = deps.log
    this.#device = device
  }

  /** The gateways of the present mappings. */
  get gateways(): readonly Gateway[] {
    return [...this.#entries.values()].flatMap(({ gateway, grant }) => (grant === undefined ? [] : [gateway]))
  }

  /** The shortest granted lease; undefined if none ends. */
  get shortestLeaseS(): number | undefined {
    const leases = [...this.#entries.values()].flatMap(({ grant }) => grant?.leaseS ?? [])
    return leases.length === 0 ? undefined : leases.reduce((a, b) => Math.min(a, b))
  }

  get hasFailures(): boolean {
    return [...this.#entries.values()].some(({ error }) => error !== null)
  }

  /** The external addresses of a listener. */
  addressesOf(listener: string): readonly string[] {
    const addresses = [...this.#entries.values()].flatMap(({ listener: one, grant }) =>
      one.listener === listener && grant !== undefined
        ? mappedAddresses(one.scheme, usableExternalHost(grant.externalHost), grant.externalPort)
        : [],
    )
    return [...new Set(addresses)]
  }

  status(): readonly MappingStatus[] {
    return [...this.#entries.values()].map(({ listener, gateway, grant, grantedMs, error }) => ({
      listener: listener.listener,
      protocol: gateway.protocol,
      gateway: gateway.host,
      internalPort: listener.port,
      ...(grant !== undefined && {
        externalPort: grant.externalPort,
        ...(grant.externalHost !== undefined && { externalHost: grant.externalHost }),
        ...(grant.leaseS !== undefined && { expiresMs: grantedMs + grant.leaseS * 1_000 }),
      }),
      error,
    }))
  }

  /** Makes or renews one mapping per listener and router, and removes those that are no longer wanted. */
  async follow(
    listeners: readonly MappedListener[],
    gateways: readonly Gateway[],
    lease: Lease,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = listeners.flatMap((listener) => {
      const useful = gateways.filter((gateway) => isFor(listener, gateway))
      const routers = Map.groupBy(useful, ({ host, local }) => `${listener.listener} ${host} ${local.address}`)
      return [...routers].map(
        async ([key, group]) => [key, await this.#mapAt(key, listener, group, lease, signal)] as const,
      )
    })
    const entries = new Map(await Promise.all(wanted))
    const gone = [...this.#entries].filter(([key, { grant }]) => grant !== undefined && !entries.has(key))
    this.#entries = entries
    await Promise.all(gone.map(([, mapping]) => this.#remove(mapping, signal)))
  }

  /** Rejects never; what cannot be removed ends with its lease. */
  async removeAll(signal: AbortSignal): Promise<void> {
    const all = [...this.#entries.values()]
    this.#entries = new Map()
    await Promise.all(all.map((mapping) => this.#remove(mapping, signal)))
  }

  /** The first protocol of a router that works; the one in use first. */
  async #mapAt(
    key: string,
    listener: MappedListener,
    gateways: readonly Gateway[],
    lease: Lease,
    signal: AbortSignal,
  ): Promise<Mapping> {
    const before = this.#entries.get(key)
    const inUse = before?.grant === undefined ? undefined : before.gateway.id
    const ordered = [...gateways].toSorted((a, b) => Number(b.id === inUse) - Number(a.id === inUse))
    const failures: string[] = []
    for (const gateway of ordered) {
      const request = {
        internalPort: listener.port,
        externalPorts: externalPorts(this.#device, listener.port, gateway.id),
        ...lease,
      }
      const previous = gateway.id === inUse && before?.listener.port === listener.port ? before.grant : undefined
      try {
        const grant = await gateway.map(request, previous, signal)
        this.#logGrant(gateway, grant, previous)
        return { listener, gateway, grant, grantedMs: this.#clock.nowMs(), error: null }
      } catch (error) {
        failures.push(`${gateway.protocol}: ${messageOf(error)}`)
      }
    }
    const error = failures.join('; ')
    if (before?.error !== error && !signal.aborted) {
      this.#log.info(`router ${gateways[0]?.host} does not map port ${listener.port}: ${error}`)
    }
    return { listener, gateway: ordered[0]!, grantedMs: 0, error }
  }

  #logGrant({ host, protocol }: Gateway, { internalPort, externalPort, externalHost }: Grant, before?: Grant): void {
    const text = `port ${internalPort} is ${externalHost ?? 'port'} ${externalPort} at router ${host} (${protocol})`
    if (before?.externalPort === externalPort && before.externalHost === externalHost) {
      this.#log.debug(() => `renewed: ${text}`)
    } else this.#log.info(`mapped: ${text}`)
  }

  async #remove({ gateway, grant }: Mapping, signal: AbortSignal): Promise<void> {
    if (grant === undefined) return
    try {
      await gateway.unmap(grant, signal)
      this.#log.info(`port ${grant.externalPort} at router ${gateway.host} is no longer mapped`)
    } catch (error) {
      this.#log.info(`the mapping at router ${gateway.host} could not be removed: ${messageOf(error)}`)
    }
  }
}

/** A listener on one address needs the gateway of that address. */
function isFor({ host, family }: MappedListener, gateway: Gateway): boolean {
  if (family !== undefined && family !== gateway.family) return false
  const ip = parseIp(host)
  const isWildcard = host === '' || ip?.value === 0n
  return isWildcard || (ip !== undefined && ip.value === parseIp(gateway.local.address)?.value)
}
