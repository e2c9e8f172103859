import type { Config } from '../core/config/config.ts'
import { fieldsOf } from '../core/config/field.ts'
import { detach, messageOf, TwinfoldError } from '../core/errors.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { ConfigStore, PauseTarget, TimedPause, TimedPausesView } from './types.ts'

export interface TimedPausesDeps {
  readonly clock: Clock
  readonly config: ConfigStore
  readonly log: Logger
  /** Where deadlines are kept across restarts. */
  readonly keyValue: {
    get(key: string): Promise<Uint8Array | undefined>
    set(key: string, value: Uint8Array): Promise<void>
  }
}

const KEY = 'config/pauses'
/** The wall clock may jump, so a long pause is checked in between. */
const CHECK_MS_MAX = 60_000

/** Pauses folders and devices for a time, and resumes them. A resume by the user ends the pause early. */
export class TimedPauses implements TimedPausesView {
  readonly name = 'timed pauses'
  readonly #deps: TimedPausesDeps
  readonly #changed = new Wakeup()
  #pauses: readonly TimedPause[] = []

  constructor(deps: TimedPausesDeps) {
    this.#deps = deps
    deps.config.subscribe((_, to) => {
      const left = this.#pauses.filter(({ target }) => isPaused(to, target))
      if (left.length < this.#pauses.length) detach(this.#keep(left))
    })
  }

  all(): readonly TimedPause[] {
    return this.#pauses
  }

  async pause(target: PauseTarget, forMs: number): Promise<void> {
    const { clock, config } = this.#deps
    await config.change((current) => withPaused(current, target, true))
    const others = this.#pauses.filter((each) => !isSame(each.target, target))
    await this.#keep([...others, { target, untilMs: clock.nowMs() + forMs }])
  }

  async run(signal: AbortSignal): Promise<void> {
    const { config, keyValue } = this.#deps
    const read = parsePauses(await keyValue.get(KEY)).filter(({ target }) => isPaused(config.current, target))
    this.#pauses = sorted([...this.#pauses, ...read])
    while (!signal.aborted) {
      await this.#resumeDue()
      await this.#untilNext(signal).catch(() => {}) // an abort ends the loop
    }
  }

  async #untilNext(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const [next] = this.#pauses
    if (next === undefined) return this.#changed.wait(signal)
    const delayMs = Math.max(0, next.untilMs - clock.nowMs())
    await this.#changed.waitAtMost(clock, Math.min(delayMs, CHECK_MS_MAX), signal)
  }

  async #resumeDue(): Promise<void> {
    const { clock, config, log } = this.#deps
    const due = this.#pauses.filter(({ untilMs }) => untilMs <= clock.nowMs())
    if (due.length === 0) return
    await config.change((current) => due.reduce(resumed, current))
    for (const { target } of due) log.info(`${target.kind} ${target.id}: resumed, the time of its pause is over`)
    await this.#keep(this.#pauses.filter((each) => !due.includes(each)))
  }

  async #keep(pauses: readonly TimedPause[]): Promise<void> {
    this.#pauses = sorted(pauses)
    this.#changed.ring()
    try {
      await this.#deps.keyValue.set(KEY, new TextEncoder().encode(JSON.stringify(this.#pauses)))
    } catch (error) {
      this.#deps.log.warn(`saving when pauses end failed: ${messageOf(error)}`)
    }
  }
}

function sorted(pauses: readonly TimedPause[]): readonly TimedPause[] {
  return pauses.toSorted((one, other) => one.untilMs - other.untilMs)
}

function isSame(one: PauseTarget, other: PauseTarget): boolean {
  return one.kind === other.kind && one.id === other.id
}

function isPaused(config: Config, { kind, id }: PauseTarget): boolean {
  return kind === 'folder'
    ? config.folders.some((folder) => folder.id === id && folder.paused)
    : config.devices.some((device) => device.deviceID === id && device.paused)
}

/** A target that was removed or resumed meanwhile is left as it is. */
function resumed(config: Config, { target }: TimedPause): Config {
  return isPaused(config, target) ? withPaused(config, target, false) : config
}

function withPaused(config: Config, { kind, id }: PauseTarget, paused: boolean): Config {
  if (kind === 'folder') {
    if (!config.folders.some((folder) => folder.id === id)) throw new TwinfoldError('folder-missing', 'not found')
    return { ...config, folders: config.folders.map((folder) => (folder.id === id ? { ...folder, paused } : folder)) }
  }
  if (!config.devices.some((device) => device.deviceID === id)) throw new TwinfoldError('device-missing', 'not found')
  return {
    ...config,
    devices: config.devices.map((device) => (device.deviceID === id ? { ...device, paused } : device)),
  }
}

/** What cannot be read counts as no pause: the target stays paused until it is resumed. */
function parsePauses(bytes: Uint8Array | undefined): readonly TimedPause[] {
  if (bytes === undefined) return []
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return Array.isArray(read) ? read.flatMap((each) => parsePause(each) ?? []) : []
  } catch {
    return []
  }
}

function parsePause(read: unknown): TimedPause | undefined {
  const { target, untilMs } = fieldsOf(read)
  const { kind, id } = fieldsOf(target)
  if (typeof untilMs !== 'number' || typeof id !== 'string') return undefined
  return kind === 'folder' || kind === 'device' ? { target: { kind, id }, untilMs } : undefined
}
