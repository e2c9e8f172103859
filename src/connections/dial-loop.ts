import { parseAddress } from '../core/network/address.ts'
import { connectionPriority, isConnectionWanted, type ExistingConnections } from '../core/network/admission.ts'
import type { Config, DeviceConfig, OptionsConfig } from '../core/config/config.ts'
import { afterLoss, NO_REDIALS, planDials, retryDelayMs, type Candidate } from '../core/network/dial-plan.ts'
import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import { parseIp } from '../core/network/ip.ts'
import { isAllowedNetwork, type LanCheck } from '../core/network/lan.ts'
import type { Dialer, TcpAddress } from '../dialer/dialer.ts'
import type { Logger } from '../events/types.ts'
import { Semaphore } from '../sync/semaphore.ts'
import type { Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import type { Random } from '../platform/random.ts'

/** Parallel dials for one device. */
const PARALLEL_MAX = 8
const LOOP_MS_MAX = 60_000
/** Least time between two resets of the backoff by announcements. */
const FOUND_GAP_MS = 5_000
/** Bounds the addresses of one device: discovery servers are not trusted. */
const ADDRESSES_MAX = 64
const JITTER_PARTS = 10
/** Enough failures to reach the full retry interval. */
const FAILURES_FULL_BACKOFF = 20
/** Delay before an additional connection, so that the first has proved stable. */
const ADDITIONAL_DIAL_MS = 1_000

export interface DialLoopDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly dialer: Dialer
  /** Shared by all devices. */
  readonly slots: Semaphore
  /** Undefined once the device is removed or paused. */
  device(): DeviceConfig | undefined
  options(): OptionsConfig
  present(): ExistingConnections
  isLan(): LanCheck
  /** Addresses from discovery. */
  lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]>
  /** Resolves when the stream has become a connection to this device; rejects with the reason otherwise. */
  accept(stream: TlsStream, signal: AbortSignal): Promise<void>
  /** Result of the latest attempt at this address; null is success. */
  onDialed(address: string, error: string | null): void
}

/** Dials one device until it is connected: best addresses first, each one retried after a backoff delay. */
export class DialLoop implements Service {
  readonly name: string
  readonly #deps: DialLoopDeps
  readonly #changed = new Wakeup()
  readonly #dueMs = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  #redials = NO_REDIALS
  #foundMs = Number.NEGATIVE_INFINITY

  constructor(deps: DialLoopDeps, options: { readonly device: DeviceId }) {
    this.#deps = deps
    this.name = `dial ${options.device}`
  }

  /** Re-evaluates the addresses, after a change that may make a dial possible. */
  ring(): void {
    this.#changed.ring()
  }

  /** Retries all addresses immediately, because they or the way to reach them have changed. */
  resetBackoff(): void {
    this.#dueMs.clear()
    this.#failures.clear()
    this.#changed.ring()
  }

  /** The device was found in the local network. Anybody there can send its announcements, so the effect is bounded. */
  found(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#foundMs < FOUND_GAP_MS) return this.ring()
    this.#foundMs = nowMs
    this.resetBackoff()
  }

  /** A connection to the device has ended. */
  lost(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const { redials, atOnce } = afterLoss(this.#redials, nowMs)
    this.#redials = redials
    const backoffMs = retryDelayMs(FAILURES_FULL_BACKOFF, this.#deps.options().reconnectionIntervalS)
    // Prevents an endless redial of a device that accepts and closes each time.
    for (const [address, dueMs] of this.#dueMs)
      this.#dueMs.set(address, atOnce ? 0 : Math.max(dueMs, nowMs + backoffMs))
    this.#changed.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const device = this.#deps.device()
      // One timestamp for both: an address that becomes due between two readings would wait until the next change.
      const checkedMs = this.#deps.clock.monotonicMs()
      if (device !== undefined) await this.#round(device, checkedMs, signal)
      await this.#sleepUntilDue(checkedMs, signal)
    }
  }

  async #round(device: DeviceConfig, nowMs: number, signal: AbortSignal): Promise<void> {
    const { options, present } = this.#deps
    const {
      connectionLimitEnough: enough,
      connectionLimitMax: most,
      connectionPriorityUpgradeThreshold: threshold,
    } = options()
    const { totalCount } = present()
    if ((enough > 0 && totalCount >= enough) || (most > 0 && totalCount >= most)) return
    // A lookup contacts other hosts, so it is left out where no address could be better than the present ones.
    const best = Math.min(connectionPriority(options(), 'tcp', true), connectionPriority(options(), 'tcp', false))
    if (!isConnectionWanted(best, present(), threshold)) return
    const addresses = await this.#addresses(device, signal)
    this.#forgetOthers(addresses)
    const candidates = [...addresses].map(([address, { priority }]) => ({ address, priority }))
    for (const group of planDials(candidates, (address) => this.#dueMs.get(address) ?? 0, present(), {
      nowMs,
      threshold,
    })) {
      const connected = await this.#dialGroup(
        group.flatMap(({ address }) => addresses.get(address) ?? []),
        signal,
      )
      if (connected || signal.aborted) return
    }
  }

  /** Discovered addresses come and go: those that are no longer given are removed. */
  #forgetOthers(addresses: ReadonlyMap<string, Target>): void {
    for (const address of this.#dueMs.keys()) if (!addresses.has(address)) this.#dueMs.delete(address)
    for (const address of this.#failures.keys()) if (!addresses.has(address)) this.#failures.delete(address)
  }

  /** All addresses that can be dialled, by their text. Invalid ones are reported in the status. */
  async #addresses(device: DeviceConfig, signal: AbortSignal): Promise<ReadonlyMap<string, Target>> {
    const { options, isLan, lookup, onDialed, log } = this.#deps
    const dynamic = device.addresses.includes('dynamic')
      ? await lookup(device.deviceID, signal).catch((error: unknown) => {
          log.debug(() => `looking up ${device.deviceID} failed: ${messageOf(error)}`)
          return []
        })
      : []
    const targets = new Map<string, Target>()
    for (const text of [...device.addresses, ...dynamic].slice(0, ADDRESSES_MAX)) {
      const address = parseAddress(text)
      if (address.kind === 'bad') onDialed(text.slice(0, 100), `bad address: ${address.reason}`)
      if (address.kind !== 'tcp') continue
      // A host name may resolve to any network: the handshake checks the resulting address again.
      if (parseIp(address.host) !== undefined && !isAllowedNetwork(address.host, device.allowedNetworks)) {
        onDialed(address.text, 'network not allowed for this device')
        continue
      }
      targets.set(address.text, { address, priority: connectionPriority(options(), 'tcp', isLan()(address.host)) })
    }
    return targets
  }

  /** Dials all targets in parallel; the first established stream is used, the others are closed. */
  async #dialGroup(targets: readonly Target[], signal: AbortSignal): Promise<boolean> {
    const enough = new AbortController()
    const either = AbortSignal.any([signal, enough.signal])
    const places = new Semaphore(PARALLEL_MAX)
    let connected = false
    await Promise.all(
      targets.map(async (target) => {
        try {
          using _place = await places.acquire(either)
          using _slot = await this.#deps.slots.acquire(either)
          const stream = await this.#deps.dialer.dial(target.address, either, this.#settings())
          if (connected) return void (await stream[Symbol.asyncDispose]())
          connected = true
          enough.abort()
          await this.#accept(stream, target, signal)
        } catch (error) {
          if (!either.aborted || connected === false) this.#failed(target, error, signal)
        }
      }),
    )
    return connected
  }

  async #accept(stream: TlsStream, target: Target, signal: AbortSignal): Promise<void> {
    const { address } = target
    try {
      await this.#deps.accept(stream, signal)
      this.#failures.delete(address.text)
      this.#deps.onDialed(address.text, null)
      const { wanted, priorities } = this.#deps.present()
      const backoffMs = retryDelayMs(FAILURES_FULL_BACKOFF, this.#deps.options().reconnectionIntervalS)
      this.#dueMs.set(
        address.text,
        this.#deps.clock.monotonicMs() + (priorities.length < wanted ? ADDITIONAL_DIAL_MS : backoffMs),
      )
    } catch (error) {
      this.#failed(target, error, signal)
    }
  }

  #failed({ address }: Target, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const { clock, random, log, options, onDialed } = this.#deps
    const failures = this.#failures.get(address.text) ?? 0
    const backoffMs = retryDelayMs(failures, options().reconnectionIntervalS)
    // Jitter: two devices that dial each other in lockstep would cross repeatedly.
    const jitterMs = random.int(Math.ceil(backoffMs / JITTER_PARTS))
    this.#failures.set(address.text, failures + 1)
    this.#dueMs.set(address.text, clock.monotonicMs() + backoffMs + jitterMs)
    onDialed(address.text, messageOf(error))
    log.debug(() => `${this.name} at ${address.text}: ${messageOf(error)}`)
  }

  #settings(): { readonly allowTls12: boolean } {
    return { allowTls12: this.#deps.options().insecureAllowOldTLSVersions }
  }

  /** Sleeps until the next address is due, for at most a minute, or until a change. */
  async #sleepUntilDue(checkedMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const nowMs = clock.monotonicMs()
    const due = [...this.#dueMs.values()].filter((dueMs) => dueMs > checkedMs)
    const delayMs = Math.min(LOOP_MS_MAX, ...due.map((dueMs) => dueMs - nowMs))
    await this.#changed.waitAtMost(clock, delayMs, signal).catch(() => {}) // an abort ends the loop
  }
}

interface Target {
  readonly address: TcpAddress
  readonly priority: Candidate['priority']
}

/** Fingerprint of the settings that decide how a device is reached. */
export function addressSettings({ devices, options }: Config, id: DeviceId): string {
  const device = devices.find((one) => one.deviceID === id)
  return JSON.stringify([
    device?.addresses,
    device?.allowedNetworks,
    device?.paused,
    options.insecureAllowOldTLSVersions,
  ])
}
