import { connectionPriority, isConnectionWanted, type ExistingConnections } from '../core/network/admission.ts'
import type { Config, DeviceConfig } from '../core/config/config.ts'
import { describeFailure, type DialFailure } from '../core/network/dial-failure.ts'
import {
  afterLoss,
  NO_REDIALS,
  notAddedDelayMs,
  planDials,
  retryDelayMs,
  type DialRecord,
} from '../core/network/dial-plan.ts'
import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import { Semaphore } from '../sync/semaphore.ts'
import type { Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import type { Random } from '../platform/random.ts'
import { targetsOf, type Target, type TargetDeps } from './dial-targets.ts'
import { TaskSet } from '../sync/task-set.ts'

/** Parallel dials for one device. */
const PARALLEL_MAX = 8
const LOOP_MS_MAX = 60_000
/** Least time between two resets of the backoff by announcements. */
const FOUND_GAP_MS = 5_000
/** Worse addresses are dialled as well when better ones have not answered after this time. */
const GROUP_DELAY_MS = 750
const JITTER_PARTS = 10
/** Enough failures to reach the full retry interval. */
const FAILURES_FULL_BACKOFF = 20
/** Delay before an additional connection, so that the first has proved stable. */
const ADDITIONAL_DIAL_MS = 1_000

export interface DialLoopDeps extends TargetDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Shared by all devices. */
  readonly slots: Semaphore
  /** Undefined once the device is removed or paused. */
  device(): DeviceConfig | undefined
  present(): ExistingConnections
  /** Addresses found by discovery or seen before, by source: what is known now. Later ones are announced by `ring`. */
  lookup(device: DeviceId): readonly (readonly string[])[]
  /** Resolves when the stream has become a connection to this device; rejects with the reason otherwise. */
  accept(stream: TlsStream, target: Target, signal: AbortSignal): Promise<void>
  /** Result of the latest attempt at this address, null is success; and the time until the next one. */
  onDialed(address: string, failure: DialFailure | null, retryMs?: number): void
}

/** A dial under way. */
interface Attempt {
  readonly target: Target
  readonly startedMs: number
  readonly stop: AbortController
  /** It has reached the device, and the connection is being established. */
  isAccepting: boolean
}

/**
 * Dials one device until it is connected: best addresses first, each one retried after a backoff delay. An address is
 * dialled as soon as it is known and due; neither a lookup nor the dial of another address delays it, except that worse
 * addresses give better ones a head start.
 */
export class DialLoop implements Service {
  readonly name: string
  readonly #deps: DialLoopDeps
  readonly #changed = new Wakeup()
  readonly #records = new Map<string, DialRecord>()
  #redials = NO_REDIALS
  #foundMs = Number.NEGATIVE_INFINITY
  /** Logged once until the device has connected. */
  #isNotAddedLogged = false
  /** By address. */
  readonly #attempts = new Map<string, Attempt>()
  readonly #running = new TaskSet()
  /** By priority: addresses that do not answer take no places from others. */
  readonly #places = new Map<number, Semaphore>()
  /** No dial before, so that a first connection has proved stable. */
  #restUntilMs = 0

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
    this.#endDials() // one under way may lead into the old network
    this.#makeDue()
  }

  /** The device was found in the local network. Anybody there can send its announcements, so the effect is bounded. */
  found(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#foundMs < FOUND_GAP_MS) return this.ring()
    this.#foundMs = nowMs
    this.#makeDue() // dials under way continue: else forged announcements would end them
  }

  /** A connection to the device has ended. */
  lost(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const { redials, atOnce } = afterLoss(this.#redials, nowMs)
    this.#redials = redials
    if (atOnce && this.#deps.present().priorities.length === 0) this.#endDials() // they may take long
    const backoffMs = retryDelayMs(FAILURES_FULL_BACKOFF, this.#deps.options().reconnectionIntervalS)
    // Prevents an endless redial of a device that accepts and closes each time.
    for (const [address, record] of this.#records)
      this.#records.set(address, { ...record, dueMs: atOnce ? 0 : Math.max(record.dueMs, nowMs + backoffMs) })
    this.#changed.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const device = this.#deps.device()
      // One timestamp for both: an address that becomes due between two readings would wait until the next change.
      const checkedMs = this.#deps.clock.monotonicMs()
      const waitMs = device === undefined ? LOOP_MS_MAX : this.#startDials(device, checkedMs, signal)
      await this.#sleepUntilDue(checkedMs, waitMs, signal)
    }
    await this.#running.ended()
  }

  /** Starts the dials that are due; the time after which others may be started, though nothing has changed. */
  #startDials(device: DeviceConfig, nowMs: number, signal: AbortSignal): number {
    const { options, present, onDialed, lookup } = this.#deps
    const {
      connectionLimitEnough: enough,
      connectionLimitMax: most,
      connectionPriorityUpgradeThreshold: threshold,
    } = options()
    const { totalCount } = present()
    if ((enough > 0 && totalCount >= enough) || (most > 0 && totalCount >= most)) return LOOP_MS_MAX
    // A lookup contacts other hosts, so it is left out where no address could be better than the present ones.
    const best = Math.min(connectionPriority(options(), 'tcp', true), connectionPriority(options(), 'tcp', false))
    if (!isConnectionWanted(best, present(), threshold)) return LOOP_MS_MAX
    if (nowMs < this.#restUntilMs) return this.#restUntilMs - nowMs
    const found = device.addresses.includes('dynamic') ? lookup(device.deviceID) : []
    const { usable, skipped } = targetsOf(this.#deps, device, { configured: device.addresses, found })
    for (const [address, failure] of skipped) onDialed(address, failure)
    this.#forgetOthers(usable)
    const free = [...usable.values()].filter(({ text }) => !this.#attempts.has(text))
    const recordOf = (address: string): DialRecord | undefined => this.#records.get(address)
    for (const group of planDials(free, recordOf, present(), { nowMs, threshold })) {
      const priority = group[0]?.priority ?? 0
      const waitMs = this.#headStartMs(priority, nowMs)
      if (waitMs > 0) return waitMs
      if (!this.#isAccepting(priority)) for (const target of group) this.#start(target, nowMs, signal)
    }
    return LOOP_MS_MAX
  }

  /** Discovered addresses come and go: those that are no longer given are removed. */
  #forgetOthers(targets: ReadonlyMap<string, Target>): void {
    for (const address of this.#records.keys()) if (!targets.has(address)) this.#records.delete(address)
  }

  /** How long addresses of this priority wait for better ones that are being dialled. */
  #headStartMs(priority: number, nowMs: number): number {
    const better = [...this.#attempts.values()].filter(({ target }) => target.priority < priority)
    return better.reduce((mostMs, { startedMs }) => Math.max(mostMs, startedMs + GROUP_DELAY_MS - nowMs), 0)
  }

  #isAccepting(priority: number): boolean {
    return [...this.#attempts.values()].some((one) => one.isAccepting && one.target.priority === priority)
  }

  #start(target: Target, startedMs: number, signal: AbortSignal): void {
    const attempt: Attempt = { target, startedMs, stop: new AbortController(), isAccepting: false }
    this.#attempts.set(target.text, attempt)
    const dial = this.#dial(attempt, AbortSignal.any([signal, attempt.stop.signal])).finally(() => {
      if (this.#attempts.get(target.text) === attempt) this.#attempts.delete(target.text)
      this.#changed.ring()
    })
    this.#running.add(dial)
  }

  /** The first stream to the device ends the other dials of its priority; a connection ends those of worse ones. */
  async #dial(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const { target } = attempt
    const { clock, slots } = this.#deps
    try {
      using _place = await this.#placesOf(target.priority).acquire(signal)
      using _slot = await slots.acquire(signal)
      const startedMs = clock.monotonicMs()
      const stream = await target.dial(signal)
      if (this.#isAccepting(target.priority)) return void (await stream[Symbol.asyncDispose]())
      attempt.isAccepting = true
      this.#endDials((other) => other !== attempt && other.target.priority === target.priority)
      if (await this.#accept(stream, target, clock.monotonicMs() - startedMs, signal)) {
        this.#endDials((other) => other.target.priority > target.priority)
      }
    } catch (error) {
      this.#failed(target, error, signal)
    }
  }

  #placesOf(priority: number): Semaphore {
    const places = this.#places.get(priority) ?? new Semaphore(PARALLEL_MAX)
    this.#places.set(priority, places)
    return places
  }

  #endDials(isEnded: (attempt: Attempt) => boolean = () => true): void {
    for (const [address, attempt] of this.#attempts) {
      if (!isEnded(attempt)) continue
      this.#attempts.delete(address)
      attempt.stop.abort()
    }
  }

  #makeDue(): void {
    for (const [address, { latencyMs }] of this.#records) this.#records.set(address, fresh(latencyMs))
    this.#restUntilMs = 0
    this.#changed.ring()
  }

  async #accept(stream: TlsStream, target: Target, latencyMs: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#deps.accept(stream, target, signal)
      this.#isNotAddedLogged = false
      const { wanted, priorities } = this.#deps.present()
      const isMoreWanted = target.transport !== 'relay' && priorities.length < wanted
      const delayMs = isMoreWanted ? ADDITIONAL_DIAL_MS : this.#backoffMs(target, FAILURES_FULL_BACKOFF)
      const dueMs = this.#deps.clock.monotonicMs() + delayMs
      if (isMoreWanted) this.#restUntilMs = dueMs
      this.#records.set(target.text, { dueMs, failures: 0, latencyMs })
      this.#deps.onDialed(target.text, null)
      return true
    } catch (error) {
      this.#failed(target, error, signal) // the dials that were ended for this one are due
      return false
    }
  }

  #failed(target: Target, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const { clock, random, log, onDialed } = this.#deps
    const failures = this.#records.get(target.text)?.failures ?? 0
    const failure = describeFailure(error)
    const isNotAdded = failure.reason === 'not-added' && target.transport !== 'relay'
    const backoffMs = isNotAdded
      ? notAddedDelayMs(failures, this.#deps.options().reconnectionIntervalS)
      : this.#backoffMs(target, failures)
    // Jitter: two devices that dial each other in lockstep would cross repeatedly.
    const delayMs = backoffMs + random.int(Math.ceil(backoffMs / JITTER_PARTS))
    this.#records.set(target.text, { dueMs: clock.monotonicMs() + delayMs, failures: failures + 1 })
    onDialed(target.text, failure, delayMs)
    if (isNotAdded && !this.#isNotAddedLogged) {
      log.info(`${this.name} at ${target.text}: ${failure.text}; trying again until it has`)
      this.#isNotAddedLogged = true
    }
    log.debug(() => `${this.name} at ${target.text}: ${messageOf(error)}`)
  }

  /** Relays have an interval of their own, because others pay for them. */
  #backoffMs({ transport }: Target, failures: number): number {
    const { relayReconnectIntervalM, reconnectionIntervalS } = this.#deps.options()
    return retryDelayMs(failures, transport === 'relay' ? relayReconnectIntervalM * 60 : reconnectionIntervalS)
  }

  /** Sleeps until the next address is due, for at most this long, or until a change. */
  async #sleepUntilDue(checkedMs: number, mostMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const nowMs = clock.monotonicMs()
    const due = [...this.#records.values()].map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > checkedMs)
    const delayMs = due.reduce((least, dueMs) => Math.min(least, dueMs - nowMs), mostMs)
    await this.#changed.waitAtMost(clock, delayMs, signal).catch(() => {}) // an abort ends the loop
  }
}

function fresh(latencyMs: number | undefined): DialRecord {
  return { dueMs: 0, failures: 0, ...(latencyMs !== undefined && { latencyMs }) }
}

/** Fingerprint of the settings that decide how a device is reached, and whether it accepts the folders. */
export function addressSettings({ devices, folders, options }: Config, id: DeviceId): string {
  const device = devices.find((one) => one.deviceID === id)
  return JSON.stringify([
    device?.untrusted,
    folders.flatMap((folder) => {
      const share = folder.devices.find(({ deviceID }) => deviceID === id)
      return share === undefined ? [] : [[folder.id, folder.type, share.encryptionPassword]]
    }),
    device?.addresses,
    device?.allowedNetworks,
    device?.paused,
    options.insecureAllowOldTLSVersions,
    options.relaysEnabled,
  ])
}
