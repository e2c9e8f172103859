import { headerSeconds, parseLookupReply } from '../core/network/discovery-reply.ts'
import type { DeviceId } from '../core/ids.ts'
import { messageOf } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientResponse } from '../platform/http-client.ts'

const FOUND_MS = 5 * 60_000
const NOT_FOUND_MS = 60_000
/** More devices than anybody configures; the oldest entry makes room. */
const ENTRIES_MAX = 4_096

export interface LookupDeps {
  readonly clock: Clock
  request(query: string, signal: AbortSignal): Promise<ClientResponse>
}

interface Entry {
  readonly addresses: readonly string[]
  readonly untilMs: number
}

/** Lookups at one discovery server, with a cache of what was found and of what was not. */
export class GlobalLookup {
  readonly #deps: LookupDeps
  readonly #entries = new Map<DeviceId, Entry>()
  readonly #requests = new Map<DeviceId, Promise<readonly string[]>>()
  #error: string | null = null

  constructor(deps: LookupDeps) {
    this.#deps = deps
  }

  get error(): string | null {
    return this.#error
  }

  async lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]> {
    const entry = this.#entries.get(device)
    if (entry !== undefined && this.#deps.clock.monotonicMs() < entry.untilMs) return entry.addresses
    const request = this.#requests.get(device) ?? this.#request(device, signal)
    this.#requests.set(device, request)
    return await request.finally(() => this.#requests.delete(device))
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    const found = [...this.#entries].filter(([, { addresses }]) => addresses.length > 0)
    return new Map(found.map(([device, { addresses }]) => [device, addresses]))
  }

  async #request(device: DeviceId, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const { status, headers, body } = await this.#deps.request(`device=${device}`, signal)
      const addresses = status === 200 ? (parseLookupReply(body) ?? []) : []
      this.#error = status === 200 || status === 404 ? null : `lookup: status ${status}`
      const retryMs = (headerSeconds(headers['retry-after']) ?? 0) * 1_000
      this.#store(device, addresses, addresses.length > 0 ? FOUND_MS : Math.max(NOT_FOUND_MS, retryMs))
      return addresses
    } catch (error) {
      signal.throwIfAborted()
      this.#error = `lookup: ${messageOf(error)}`
      this.#store(device, [], NOT_FOUND_MS)
      return []
    }
  }

  #store(device: DeviceId, addresses: readonly string[], keptMs: number): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= ENTRIES_MAX) this.#entries.delete(oldest)
    this.#entries.delete(device)
    this.#entries.set(device, { addresses, untilMs: this.#deps.clock.monotonicMs() + keptMs })
  }
}
