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
  /** Addresses found by discovery or seen before. Does not reject. */
  lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]>
  /** Resolves when the stream has become a connection to this device; rejects with the reason otherwise. */
  accept(stream: TlsStream, target: Target, signal: AbortSignal): Promise<void>
  /** Result of the latest attempt at this address, null is success; and the time until the next one. */
  onDialed(address: string, failure: DialFailure | null, retryMs?: number): void
}

/** Dials one device until it is connected: best addresses first, each one retried after a backoff delay. */
export class DialLoop implements Service {
  readonly name: string
  readonly #deps: DialLoopDeps
  readonly #changed = new Wakeup()
  readonly #records = new Map<string, DialRecord>()
  #redials = NO_REDIALS
  #foundMs = Number.NEGATIVE_INFINITY
  /** Logged once until the device has connected. */
  #isNotAddedLogged = false
  /** Ends the dials under way. */
  #round = new AbortController()

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
    for (const [address, { latencyMs }] of this.#records) this.#records.set(address, fresh(latencyMs))
    this.#round.abort() // a dial under way may be one into the old network
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
    if (atOnce && this.#deps.present().priorities.length === 0) this.#round.abort() // it may take long
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
      if (device !== undefined) await this.#runRound(device, checkedMs, signal)
      await this.#sleepUntilDue(checkedMs, signal)
    }
  }

  async #runRound(device: DeviceConfig, nowMs: number, stop: AbortSignal): Promise<void> {
    this.#round = new AbortController()
    const signal = AbortSignal.any([stop, this.#round.signal])
    const { options, present, onDialed } = this.#deps
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
    const { usable, skipped } = targetsOf(this.#deps, device, await this.#addresses(device, signal))
    for (const [address, failure] of skipped) onDialed(address, failure)
    this.#forgetOthers(usable)
    const recordOf = (address: string): DialRecord | undefined => this.#records.get(address)
    await this.#dialGroups(planDials([...usable.values()], recordOf, present(), { nowMs, threshold }), signal)
  }

  /** Discovered addresses come and go: those that are no longer given are removed. */
  #forgetOthers(targets: ReadonlyMap<string, Target>): void {
    for (const address of this.#records.keys()) if (!targets.has(address)) this.#records.delete(address)
  }

  async #addresses(device: DeviceConfig, signal: AbortSignal): Promise<readonly string[]> {
    if (!device.addresses.includes('dynamic')) return device.addresses
    return [...device.addresses, ...(await this.#deps.lookup(device.deviceID, signal))]
  }

  /**
   * Dials the groups, best first. The next one is started when the one before has failed or takes long, so that an
   * address that does not answer does not delay the connection. A connection ends the dials of worse addresses; better
   * ones continue, and replace it if they succeed.
   */
  async #dialGroups(groups: readonly (readonly Target[])[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const started: { readonly stop: AbortController; readonly done: Promise<boolean> }[] = []
    for (const [at, targets] of groups.entries()) {
      const stop = new AbortController()
      const done = this.#dialGroup(targets, AbortSignal.any([signal, stop.signal])).then((connected) => {
        if (connected) for (const worse of started.slice(at + 1)) worse.stop.abort()
        return connected
      })
      started.push({ stop, done })
      if (at + 1 === groups.length) break
      const over = new AbortController()
      const pause = clock.sleep(GROUP_DELAY_MS, AbortSignal.any([signal, over.signal])).catch(() => {}) // ended early
      const connected = await Promise.race([anyConnected(started), pause.then(() => false)])
      over.abort()
      if (connected || signal.aborted) break
    }
    await Promise.all(started.map(({ done }) => done))
  }

  /** Dials all targets in parallel; the first established stream is used, the others are closed. */
  async #dialGroup(targets: readonly Target[], signal: AbortSignal): Promise<boolean> {
    const enough = new AbortController()
    const either = AbortSignal.any([signal, enough.signal])
    const places = new Semaphore(PARALLEL_MAX)
    let connected = false
    let accepted = false
    await Promise.all(
      targets.map(async (target) => {
        try {
          using _place = await places.acquire(either)
          using _slot = await this.#deps.slots.acquire(either)
          const startedMs = this.#deps.clock.monotonicMs()
          const stream = await target.dial(either)
          if (connected) return void (await stream[Symbol.asyncDispose]())
          connected = true
          enough.abort()
          accepted = await this.#accept(stream, target, this.#deps.clock.monotonicMs() - startedMs, signal)
        } catch (error) {
          if (!either.aborted || connected === false) this.#failed(target, error, signal)
        }
      }),
    )
    return accepted
  }

  async #accept(stream: TlsStream, target: Target, latencyMs: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#deps.accept(stream, target, signal)
      this.#isNotAddedLogged = false
      const { wanted, priorities } = this.#deps.present()
      const isMoreWanted = target.transport !== 'relay' && priorities.length < wanted
      const delayMs = isMoreWanted ? ADDITIONAL_DIAL_MS : this.#backoffMs(target, FAILURES_FULL_BACKOFF)
      const dueMs = this.#deps.clock.monotonicMs() + delayMs
      this.#records.set(target.text, { dueMs, failures: 0, latencyMs })
      this.#deps.onDialed(target.text, null)
      return true
    } catch (error) {
      this.#failed(target, error, signal)
      this.#changed.ring() // the dials that were ended for this one are due
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

  /** Sleeps until the next address is due, for at most a minute, or until a change. */
  async #sleepUntilDue(checkedMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const nowMs = clock.monotonicMs()
    const due = [...this.#records.values()].map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > checkedMs)
    const delayMs = due.reduce((least, dueMs) => Math.min(least, dueMs - nowMs), LOOP_MS_MAX)
    await this.#changed.waitAtMost(clock, delayMs, signal).catch(() => {}) // an abort ends the loop
  }
}

function fresh(latencyMs: number | undefined): DialRecord {
  return { dueMs: 0, failures: 0, ...(latencyMs !== undefined && { latencyMs }) }
}

/** Whether one of the groups connects; false when all of them have failed. */
async function anyConnected(groups: readonly { readonly done: Promise<boolean> }[]): Promise<boolean> {
  const connected = groups.map(async ({ done }) => ((await done) ? true : Promise.reject(new Error('not connected'))))
  return await Promise.any(connected).catch(() => false)
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
