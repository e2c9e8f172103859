import { globallyAnnounced } from '../core/network/announced-address.ts'
import type { DiscoveryServer } from '../core/network/discovery-server.ts'
import type { DeviceId } from '../core/ids.ts'
import { isExempt, type ProxySettings } from '../core/network/proxy.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientRequest, ClientResponse, HttpClient } from '../platform/http-client.ts'
import type { Identity } from '../platform/net.ts'
import { GlobalAnnounce } from './global-announce.ts'
import { GlobalLookup } from './global-lookup.ts'
import type { DiscoveryMethod } from './types.ts'

const TIMEOUT_MS = 30_000
const RESPONSE_BYTES_MAX = 64 * 1_024

export interface GlobalDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly http: HttpClient
  readonly identity: Identity
  readonly proxy: ProxySettings | undefined
  addresses(): readonly string[]
  /** A request for this device has ended. */
  onLookedUp(device: DeviceId): void
}

/** One discovery server. */
export class GlobalDiscovery implements DiscoveryMethod {
  readonly name: string
  readonly #deps: GlobalDeps
  readonly #server: DiscoveryServer
  readonly #announce: GlobalAnnounce | undefined
  readonly #lookup: GlobalLookup | undefined

  constructor(deps: GlobalDeps, server: DiscoveryServer) {
    const { clock, log, identity } = deps
    this.name = `global@${server.url}`
    this.#deps = deps
    this.#server = server
    this.#announce = server.announces
      ? new GlobalAnnounce(
          {
            clock,
            log,
            addresses: () => globallyAnnounced(deps.addresses()),
            request: (body, signal) =>
              this.#send(
                { method: 'POST', identity, headers: { 'Content-Type': 'application/json' }, body },
                '',
                signal,
              ),
          },
          { name: this.name },
        )
      : undefined
    this.#lookup = server.looksUp
      ? new GlobalLookup({
          clock,
          request: (query, signal) => this.#send({}, `?${query}`, signal),
          onLookedUp: (device) => deps.onLookedUp(device),
        })
      : undefined
  }

  get error(): string | null {
    return this.#announce?.error ?? this.#lookup?.error ?? null
  }

  lookup(device: DeviceId): readonly string[] {
    return this.#lookup?.lookup(device) ?? []
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    return this.#lookup?.found() ?? new Map()
  }

  addressesChanged(): void {
    this.#announce?.addressesChanged()
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#announce?.run(signal), this.#lookup?.run(signal)])
  }

  /** Without a client certificate a lookup reveals nothing of this device but its IP address. */
  async #send(request: Partial<ClientRequest>, query: string, signal: AbortSignal): Promise<ClientResponse> {
    const { url, pin, isInsecure } = this.#server
    const { proxy } = this.#deps
    const isDirect = proxy === undefined || isExempt(new URL(url).hostname.replace(/^\[|\]$/g, ''), proxy.exceptions)
    return await this.#deps.http.send(
      {
        ...request,
        url: `${url}${query}`,
        responseBytesMax: RESPONSE_BYTES_MAX,
        timeoutMs: TIMEOUT_MS,
        trust: pin !== undefined ? { kind: 'pinned', sha256: pin } : { kind: isInsecure ? 'any' : 'system' },
        ...(!isDirect && { proxy }),
      },
      signal,
    )
  }
}
