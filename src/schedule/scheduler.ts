import type { ConfigStore, ExtensionStore } from '../config/types.ts'
import type { Extensions } from '../core/config/extensions.ts'
import { fieldsOf } from '../core/config/field.ts'
import { TwinfoldError } from '../core/errors.ts'
import { localMs, openZone, UTC_ZONE, type Zone } from '../core/schedule/zone.ts'
import {
  NO_EFFECT,
  resumeUntil,
  scheduleEffect,
  type ManualResume,
  type ScheduledPause,
  type ScheduleEffect,
  type ScheduleTarget,
} from '../core/schedule/effect.ts'
import { makeRule, withRule, type NewScheduleRule, type ScheduleRule } from '../core/schedule/rule.ts'
import { NEVER } from '../core/never.ts'
import type { EventSink } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { System } from '../platform/platform.ts'
import type { Programs } from '../platform/programs.ts'
import { Mutex } from '../sync/mutex.ts'
import { Wakeup } from '../sync/wakeup.ts'
import { readBattery, readMetered } from './conditions.ts'
import type { EffectiveConfig } from './effective-config.ts'
import type { SleepInhibitor } from './sleep-inhibitor.ts'
import type { ConditionState, ScheduleStatus, ScheduleView } from './types.ts'

export interface SchedulerDeps {
  readonly clock: Clock
  readonly system: Pick<System, 'platform' | 'powerSupplies' | 'timeZone'>
  readonly programs: Programs
  /** The saved configuration. */
  readonly config: ConfigStore
  readonly extensions: ExtensionStore
  readonly effective: EffectiveConfig
  readonly inhibitor: Pick<SleepInhibitor, 'state'>
  readonly events: EventSink
  /** Where resumes by the user are kept across restarts. */
  readonly keyValue: {
    get(key: string): Promise<Uint8Array | undefined>
    set(key: string, value: Uint8Array): Promise<void>
  }
  /** Called with what a person should know. */
  report(line: string, kind: 'info' | 'problem'): void
}

const KEY = 'schedule/resumed'
/** The wall clock may jump, and the machine may move to another time zone or leave its charger. */
const CHECK_MS_MAX = 60_000

/** Applies weekly rules and conditions of the machine. Costs nothing without any. */
export class Scheduler implements ScheduleView {
  readonly name = 'schedule'
  readonly #deps: SchedulerDeps
  readonly #woken = new Wakeup()
  readonly #rulesLock = new Mutex()
  readonly #updateLock = new Mutex()
  #resumed: readonly ManualResume[] = []
  #effect: ScheduleEffect = NO_EFFECT
  #zone: Zone = UTC_ZONE
  #conditions: { readonly metered: ConditionState; readonly battery: ConditionState } = {
    metered: 'off',
    battery: 'off',
  }

  private constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  /** What is paused now is so before the first folder runs. */
  static async open(deps: SchedulerDeps): Promise<Scheduler> {
    const scheduler = new Scheduler(deps)
    scheduler.#resumed = parseResumed(await deps.keyValue.get(KEY))
    await scheduler.#update(NEVER)
    deps.config.subscribe((from, to) => {
      if (from.folders !== to.folders) scheduler.#woken.ring()
    })
    deps.extensions.subscribe(async (from, to) => {
      if (isSameJson(relevant(from), relevant(to))) return
      await scheduler.#update(NEVER)
      scheduler.#woken.ring()
    })
    return scheduler
  }

  /** In KiB/s, 0 is unlimited. */
  folderRates(folder: string): { readonly sendKbps: number; readonly receiveKbps: number } {
    const { maxSendKbps, maxRecvKbps } = this.#effect.folderLimits.get(folder) ?? {}
    return { sendKbps: maxSendKbps ?? 0, receiveKbps: maxRecvKbps ?? 0 }
  }

  status(): ScheduleStatus {
    const { active, pauses, nextMs } = this.#effect
    return {
      timeZone: this.#zone.name,
      rules: this.#rules().map((rule) => ({ rule, untilMs: active.get(rule.name) })),
      pauses,
      nextMs,
      ...this.#conditions,
      sleep: this.#deps.inhibitor.state,
    }
  }

  async set(wanted: NewScheduleRule): Promise<ScheduleRule> {
    using _lock = await this.#rulesLock.lock()
    const rule = makeRule(wanted)
    const { folders, devices } = this.#deps.config.current
    if (rule.folder !== null && !folders.some(({ id }) => id === rule.folder))
      throw new TwinfoldError('bad-request', `there is no folder ${rule.folder}`)
    if (rule.device !== null && !devices.some(({ deviceID }) => deviceID === rule.device))
      throw new TwinfoldError('bad-request', `there is no device ${rule.device}`)
    await this.#deps.extensions.change({ schedule: withRule(this.#rules(), rule) })
    return rule
  }

  async remove(name: string): Promise<void> {
    using _lock = await this.#rulesLock.lock()
    const rules = this.#rules()
    const left = rules.filter((rule) => rule.name !== name)
    if (left.length === rules.length) throw new TwinfoldError('file-missing', `there is no rule ${name}`)
    await this.#deps.extensions.change({ schedule: left })
  }

  async resume(targets: readonly ScheduleTarget[]): Promise<boolean> {
    const { clock, keyValue } = this.#deps
    const added = targets.flatMap((target): readonly ManualResume[] => {
      const isPaused = this.#effect.pauses.some((pause) => isSame(pause, target) && pause.rule !== undefined)
      const untilMs = resumeUntil(this.#effect.pauses, target) ?? this.#effect.nextMs
      return isPaused && untilMs !== undefined ? [{ kind: target.kind, id: target.id, untilMs }] : []
    })
    if (added.length === 0) return false
    const kept = this.#resumed.filter(
      (each) => each.untilMs > clock.nowMs() && !added.some((target) => isSame(each, target)),
    )
    this.#resumed = [...kept, ...added]
    await keyValue.set(KEY, new TextEncoder().encode(JSON.stringify(this.#resumed)))
    await this.#update(NEVER)
    this.#woken.ring()
    return true
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      await this.#update(signal)
      const { nextMs } = this.#effect
      const isPolled = this.#rules().length > 0 || this.#wants.metered || this.#wants.battery.length > 0
      if (!isPolled) await this.#woken.wait(signal)
      else {
        const delayMs = Math.max(0, (nextMs ?? Number.POSITIVE_INFINITY) - clock.nowMs())
        await this.#woken.waitAtMost(clock, Math.min(delayMs, CHECK_MS_MAX), signal)
      }
    }
  }

  #rules(): readonly ScheduleRule[] {
    return this.#deps.extensions.current.schedule
  }

  get #wants(): { readonly metered: boolean; readonly battery: readonly string[] } {
    const { meteredLocalOnly, folders } = this.#deps.extensions.current
    const battery = Object.keys(folders).filter((id) => folders[id]!.pauseOnBattery)
    return { metered: meteredLocalOnly, battery }
  }

  async #update(signal: AbortSignal): Promise<void> {
    using _lock = await this.#updateLock.lock()
    const { clock, config, effective, system, events } = this.#deps
    const wants = this.#wants
    const metered = wants.metered ? await readMetered(this.#deps, signal) : 'off'
    const battery = wants.battery.length > 0 ? await readBattery(this.#deps) : 'off'
    signal.throwIfAborted()
    const rules = this.#rules()
    if (rules.length > 0) this.#zone = openZone(await system.timeZone()) ?? UTC_ZONE
    const from = { effect: this.#effect, conditions: this.#conditions }
    this.#conditions = { metered, battery }
    this.#effect = scheduleEffect(rules, {
      nowMs: clock.nowMs(),
      zone: this.#zone,
      folders: config.current.folders.map(({ id }) => id),
      resumed: this.#resumed,
      onBattery: battery === 'yes' ? wants.battery : [],
      isLocalOnly: metered === 'yes',
    })
    if (isSameJson(from, { effect: this.#effect, conditions: this.#conditions })) return
    this.#reportChanges(from.effect)
    await effective.apply(this.#effect)
    events.emit('ScheduleChanged', {})
  }

  #reportChanges(from: ScheduleEffect): void {
    const { report } = this.#deps
    const { pauses, active, isLocalOnly } = this.#effect
    for (const pause of pauses) {
      if (!from.pauses.some((each) => isSame(each, pause))) report(this.#pauseText(pause), 'info')
    }
    for (const pause of from.pauses) {
      if (!pauses.some((each) => isSame(each, pause)))
        report(`${pause.kind} ${pause.id}: no longer paused by the schedule`, 'info')
    }
    const limiting = (name: string): boolean => this.#rules().some((rule) => rule.name === name && !rule.pause)
    for (const [name, untilMs] of active) {
      if (limiting(name) && !from.active.has(name))
        report(`the limits of the rule ${name} are in force until ${this.#clockText(untilMs)}`, 'info')
    }
    for (const name of from.active.keys()) {
      if (limiting(name) && !active.has(name)) report(`the limits of the rule ${name} are over`, 'info')
    }
    if (isLocalOnly !== from.isLocalOnly)
      report(
        isLocalOnly
          ? 'the connection is metered: only devices at local addresses are connected'
          : 'the connection is not metered any more: all devices are connected again',
        'info',
      )
  }

  #pauseText({ kind, id, rule, untilMs }: ScheduledPause): string {
    if (rule === undefined) return `${kind} ${id}: paused while the machine runs on its battery`
    const until = untilMs === undefined ? '' : ` until ${this.#clockText(untilMs)}`
    return `${kind} ${id}: paused by the rule ${rule}${until}`
  }

  /** As the clock of the zone shows it. */
  #clockText(timeMs: number): string {
    return new Date(localMs(this.#zone, timeMs)).toISOString().slice(0, 16).replace('T', ' ')
  }
}

/** What of the settings rules and conditions depend on. */
function relevant({ schedule, meteredLocalOnly, folders }: Extensions): unknown {
  return [schedule, meteredLocalOnly, Object.keys(folders).filter((id) => folders[id]!.pauseOnBattery)]
}

function isSame(one: ScheduleTarget, other: ScheduleTarget): boolean {
  return one.kind === other.kind && one.id === other.id
}

function isSameJson(one: unknown, other: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part))
  return text(one) === text(other)
}

/** What cannot be read counts as not resumed. */
function parseResumed(bytes: Uint8Array | undefined): readonly ManualResume[] {
  if (bytes === undefined) return []
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return Array.isArray(read) ? read.flatMap((each) => parseResume(each) ?? []) : []
  } catch {
    return []
  }
}

function parseResume(read: unknown): ManualResume | undefined {
  const { kind, id, untilMs } = fieldsOf(read)
  if (typeof untilMs !== 'number' || typeof id !== 'string') return undefined
  return kind === 'folder' || kind === 'device' ? { kind, id, untilMs } : undefined
}
