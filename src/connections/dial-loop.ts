import { parseAddress } from '../core/network/address.ts'
import { connectionPriority, type Present } from '../core/network/admission.ts'
import type { DeviceConfig, OptionsConfig } from '../core/config/config.ts'
import { afterLoss, NO_REDIALS, planDials, restMs, type Candidate } from '../core/network/dial-plan.ts'
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

/** What is dialled at once for one device. */
const PARALLEL_MAX = 8
const LOOP_MS_MAX = 60_000
/** Whoever looks up devices may be wrong, or lied to. */
const ADDRESSES_MAX = 64
const JITTER_PARTS = 10
/** So many that the ramp is over. */
const FAILURES_MANY = 20
/** A second connection is made when the first has proved to last. */
const ANOTHER_MS = 1_000

export interface DialLoopDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly dialer: Dialer
  /** Shared by all devices. */
  readonly slots: Semaphore
  /** Undefined once the device is gone or paused. */
  device(): DeviceConfig | undefined
  options(): OptionsConfig
  present(): Present
  isLan(): LanCheck
  /** Addresses found elsewhere than in the configuration. */
  lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]>
  /** Resolves when the stream has become a connection of this device; rejects with the reason when it has not. */
  greet(stream: TlsStream, signal: AbortSignal): Promise<void>
  /** How the attempt at this address went. */
  noted(address: string, error: string | null): void
}

/** Keeps trying to reach one device: its best addresses first, each one again after a rest. */
export class DialLoop implements Service {
  readonly name: string
  readonly #deps: DialLoopDeps
  readonly #changed = new Wakeup()
  readonly #dueMs = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  #redials = NO_REDIALS

  constructor(deps: DialLoopDeps, options: { readonly device: DeviceId }) {
    this.#deps = deps
    this.name = `dial ${options.device}`
  }

  /** Something has changed that may let a dial happen now. */
  ring(): void {
    this.#changed.ring()
  }

  /** Addresses that rested may be tried at once: they, or how they are reached, have changed. */
  startOver(): void {
    this.#dueMs.clear()
    this.#failures.clear()
    this.#changed.ring()
  }

  /** A connection to the device has ended. */
  lost(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const { redials, atOnce } = afterLoss(this.#redials, nowMs)
    this.#redials = redials
    const restingMs = restMs(FAILURES_MANY, this.#deps.options().reconnectionIntervalS)
    // One who answers and hangs up each time would otherwise be called without end.
    for (const [address, dueMs] of this.#dueMs)
      this.#dueMs.set(address, atOnce ? 0 : Math.max(dueMs, nowMs + restingMs))
    this.#changed.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const device = this.#deps.device()
      // One look at the clock for both: an address that becomes due between two would be left until the next change.
      const lookedMs = this.#deps.clock.monotonicMs()
      if (device !== undefined) await this.#round(device, lookedMs, signal)
      await this.#rest(lookedMs, signal)
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
    const addresses = await this.#addresses(device, signal)
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

  /** Everything that can be dialled, by its text. What cannot be read is noted, so that people see why. */
  async #addresses(device: DeviceConfig, signal: AbortSignal): Promise<ReadonlyMap<string, Target>> {
    const { options, isLan, lookup, noted, log } = this.#deps
    const dynamic = device.addresses.includes('dynamic')
      ? await lookup(device.deviceID, signal).catch((error: unknown) => {
          log.debug(() => `looking up ${device.deviceID} failed: ${messageOf(error)}`)
          return []
        })
      : []
    const targets = new Map<string, Target>()
    for (const text of [...device.addresses, ...dynamic].slice(0, ADDRESSES_MAX)) {
      const address = parseAddress(text)
      if (address.kind === 'bad') noted(text.slice(0, 100), `bad address: ${address.reason}`)
      if (address.kind !== 'tcp') continue
      // A name may lead anywhere: it is checked again when we know where it led.
      if (parseIp(address.host) !== undefined && !isAllowedNetwork(address.host, device.allowedNetworks)) {
        noted(address.text, 'the device may not be reached in that network')
        continue
      }
      targets.set(address.text, { address, priority: connectionPriority(options(), 'tcp', isLan()(address.host)) })
    }
    return targets
  }

  /** Dials all of them at once; the first to answer is used, the others are dropped. */
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
          await this.#greet(stream, target, signal)
        } catch (error) {
          if (!either.aborted || connected === false) this.#failed(target, error, signal)
        }
      }),
    )
    return connected
  }

  async #greet(stream: TlsStream, target: Target, signal: AbortSignal): Promise<void> {
    const { address } = target
    try {
      await this.#deps.greet(stream, signal)
      this.#failures.delete(address.text)
      this.#deps.noted(address.text, null)
      const { wanted, priorities } = this.#deps.present()
      const restingMs = restMs(FAILURES_MANY, this.#deps.options().reconnectionIntervalS)
      this.#dueMs.set(
        address.text,
        this.#deps.clock.monotonicMs() + (priorities.length < wanted ? ANOTHER_MS : restingMs),
      )
    } catch (error) {
      this.#failed(target, error, signal)
    }
  }

  #failed({ address }: Target, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const { clock, random, log, options, noted } = this.#deps
    const failures = this.#failures.get(address.text) ?? 0
    const restingMs = restMs(failures, options().reconnectionIntervalS)
    // Two devices that dial each other in step would cross again and again.
    const jitterMs = random.int(Math.ceil(restingMs / JITTER_PARTS))
    this.#failures.set(address.text, failures + 1)
    this.#dueMs.set(address.text, clock.monotonicMs() + restingMs + jitterMs)
    noted(address.text, messageOf(error))
    log.debug(() => `${this.name} at ${address.text}: ${messageOf(error)}`)
  }

  #settings(): { readonly allowTls12: boolean } {
    return { allowTls12: this.#deps.options().insecureAllowOldTLSVersions }
  }

  /** Until the next address is due, a minute at most, or something has changed. */
  async #rest(lookedMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const nowMs = clock.monotonicMs()
    const due = [...this.#dueMs.values()].filter((dueMs) => dueMs > lookedMs)
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const sleeping = clock.sleep(Math.min(LOOP_MS_MAX, ...due.map((dueMs) => dueMs - nowMs)), either)
    await Promise.race([sleeping, this.#changed.wait(either)]).catch(() => {}) // an abort ends the loop
    over.abort() // whoever lost the race must not wait on
    await sleeping.catch(() => {})
  }
}

interface Target {
  readonly address: TcpAddress
  readonly priority: Candidate['priority']
}
