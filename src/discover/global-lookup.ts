import { headerSeconds, parseLookupReply } from '../core/network/discovery-reply.ts'
import type { DeviceId } from '../core/ids.ts'
import { messageOf } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientResponse } from '../platform/http-client.ts'
import { Wakeup } from '../sync/wakeup.ts'

const FOUND_MS = 5 * 60_000
const NOT_FOUND_MS = 60_000
/** More devices than anybody configures; the oldest entry makes room. */
const ENTRIES_MAX = 4_096

export interface LookupDeps {
  readonly clock: Clock
  request(query: string, signal: AbortSignal): Promise<ClientResponse>
  /** A request for this device has ended, with addresses or without. */
  onLookedUp(device: DeviceId): void
}

interface Entry {
  readonly addresses: readonly string[]
  readonly untilMs: number
}

/** Lookups at one discovery server, with a cache of what was found and of what was not. */
export class GlobalLookup {
  readonly #deps: LookupDeps
  readonly #entries = new Map<DeviceId, Entry>()
  readonly #requests = new Map<DeviceId, Promise<void>>()
  /** Of the present run. */
  #signal: AbortSignal | undefined
  #error: string | null = null

  constructor(deps: LookupDeps) {
    this.#deps = deps
  }

  get error(): string | null {
    return this.#error
  }

  /** The last known addresses. Requests others if they are old; the answer is not awaited. */
  lookup(device: DeviceId): readonly string[] {
    const entry = this.#entries.get(device)
    const isFresh = entry !== undefined && this.#deps.clock.monotonicMs() < entry.untilMs
    if (!isFresh && this.#signal?.aborted === false && !this.#requests.has(device)) {
      const request = this.#request(device, this.#signal).finally(() => this.#requests.delete(device))
      this.#requests.set(device, request)
    }
    return entry?.addresses ?? []
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    await new Wakeup().wait(signal).catch(() => {}) // aborted
    await Promise.all(this.#requests.values())
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    const found = [...this.#entries].filter(([, { addresses }]) => addresses.length > 0)
    return new Map(found.map(([device, { addresses }]) => [device, addresses]))
  }

  /** Does not reject. Where the server cannot be asked, the last known addresses stay. */
  async #request(device: DeviceId, signal: AbortSignal): Promise<void> {
    try {
      const { status, headers, body } = await this.#deps.request(`device=${device}`, signal)
      const addresses = status === 200 ? (parseLookupReply(body) ?? []) : []
      this.#error = status === 200 || status === 404 ? null : `lookup: status ${status}`
      const retryMs = (headerSeconds(headers['retry-after']) ?? 0) * 1_000
      this.#store(device, addresses, addresses.length > 0 ? FOUND_MS : Math.max(NOT_FOUND_MS, retryMs))
    } catch (error) {
      if (signal.aborted) return
      this.#error = `lookup: ${messageOf(error)}`
      this.#store(device, this.#entries.get(device)?.addresses ?? [], NOT_FOUND_MS)
    }
    this.#deps.onLookedUp(device)
  }

  #store(device: DeviceId, addresses: readonly string[], keptMs: number): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= ENTRIES_MAX) this.#entries.delete(oldest)
    this.#entries.delete(device)
    this.#entries.set(device, { addresses, untilMs: this.#deps.clock.monotonicMs() + keptMs })
  }
}
