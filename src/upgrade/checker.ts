import type { Config } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Installation } from '../core/releases/installation.ts'
import { releaseSource } from '../core/releases/release-source.ts'
import type { Logger } from '../events/types.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import { findRelease, type RegistryDeps } from './registry.ts'
import type { FoundRelease, UpgradeChecks, UpgradeState, UpgradeView } from './types.ts'

const HOUR_MS = 3_600_000
const INTERVAL_H_MAX = 365 * 24
/** Delay after the start: avoids a request per restart, and simultaneous requests of many devices. */
const FIRST_MS_MIN = 30_000
const FIRST_MS_SPREAD = 60_000
/** Fraction of the interval: spreads the requests of devices that started together. */
const JITTER = 0.1
/** How long a result is cached, because clients poll often. */
const RESULT_KEPT_MS = 10 * 60_000
const FAILURE_KEPT_MS = 60_000

export interface UpgradeDeps extends RegistryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly config: {
    readonly current: Config
    subscribe(listener: (from: Config, to: Config) => void): void
  }
}

export interface UpgradeOptions {
  /** With or without a leading `v`. */
  readonly running: string
  /** False under `--no-upgrade`: then no request is ever sent. */
  readonly allowed: boolean
  readonly installation: Installation
}

/** The last result, and the settings it applies to. */
interface Checked {
  readonly settings: string
  readonly release: FoundRelease | undefined
  readonly error: string
  readonly atMs: number
  readonly atMonotonicMs: number
}

/** Checks for newer releases at the configured interval and caches the result. Never installs anything. */
export class UpgradeChecker implements UpgradeView {
  readonly name = 'upgrade'
  readonly #deps: UpgradeDeps
  readonly #options: UpgradeOptions
  readonly #running: string
  readonly #changed = new Wakeup()
  readonly #stop = new AbortController()
  #checked: Checked | undefined
  #request: Promise<Checked> | undefined
  #announced = ''

  constructor(deps: UpgradeDeps, options: UpgradeOptions) {
    this.#deps = deps
    this.#options = options
    this.#running = options.running.replace(/^v/, '')
    deps.config.subscribe((from, to) => {
      const isSameInterval = from.options.autoUpgradeIntervalH === to.options.autoUpgradeIntervalH
      const isSameSource = settingsOf(from) === settingsOf(to)
      if (!isSameSource) this.#checked = undefined
      if (!isSameInterval || !isSameSource) this.#changed.ring()
    })
  }

  state(): UpgradeState {
    const checked = this.#valid()
    const { installation } = this.#options
    return {
      checks: this.#checks(),
      running: this.#running,
      source: this.#source(),
      release: checked?.release,
      checkedMs: checked?.atMs,
      error: checked?.error ?? '',
      installation: installation.kind,
      command: installation.upgradeCommand(checked?.release?.version ?? 'latest'),
    }
  }

  async check(): Promise<UpgradeState> {
    if (this.#checks() !== 'on') throw new TwinfoldError('upgrade-off', 'upgrade unsupported')
    const { error } = this.#recent() ?? (await this.#fetchShared())
    if (error !== '') throw new TwinfoldError('upgrade-failed', error)
    return this.state()
  }

  async run(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#stop.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    let isFirst = true
    while (!signal.aborted) {
      const isDue = await this.#pause(this.#checks() === 'on' ? this.#delayMs(isFirst) : undefined, signal)
      if (signal.aborted) break
      if (isDue) await this.#fetchShared().catch(() => {}) // rejects only when the signal aborts
      isFirst = !isDue // enabled or changed: the short first delay applies
    }
    await this.#request?.catch(() => {})
  }

  /** True once the delay is over; false when the settings changed first. Without a delay only a change ends it. */
  async #pause(delayMs: number | undefined, signal: AbortSignal): Promise<boolean> {
    try {
      if (delayMs !== undefined) return !(await this.#changed.waitAtMost(this.#deps.clock, delayMs, signal))
      await this.#changed.wait(signal)
    } catch {
      // aborted, which ends the loop
    }
    return false
  }

  #delayMs(isFirst: boolean): number {
    if (isFirst) return FIRST_MS_MIN + this.#deps.random.int(FIRST_MS_SPREAD)
    const intervalMs = Math.min(this.#deps.config.current.options.autoUpgradeIntervalH, INTERVAL_H_MAX) * HOUR_MS
    const spreadMs = Math.floor(intervalMs * JITTER)
    return intervalMs - spreadMs + this.#deps.random.int(2 * spreadMs + 1)
  }

  /** Concurrent callers share one request. Rejects only when the daemon stops: other failures are stored. */
  #fetchShared(): Promise<Checked> {
    this.#request ??= this.#fetchRelease().finally(() => {
      this.#request = undefined
    })
    return this.#request
  }

  async #fetchRelease(): Promise<Checked> {
    const { clock, config, log } = this.#deps
    const settings = settingsOf(config.current)
    const note = (release: FoundRelease | undefined, error: string): Checked =>
      (this.#checked = { settings, release, error, atMs: clock.nowMs(), atMonotonicMs: clock.monotonicMs() })
    try {
      const { releasesURL, upgradeToPreReleases: preReleases } = config.current.options
      const source = releaseSource(releasesURL)
      log.debug(() => `requesting releases newer than ${this.#running} from ${source}`)
      const release = await findRelease(this.#deps, { source, running: this.#running, preReleases }, this.#stop.signal)
      const checked = note(release, '')
      this.#announce(release)
      return checked
    } catch (error) {
      this.#stop.signal.throwIfAborted()
      log.info(`checking for a newer release failed: ${messageOf(error)}`)
      return note(this.#checked?.settings === settings ? this.#checked.release : undefined, messageOf(error))
    }
  }

  #announce({ version, relation }: FoundRelease): void {
    const { log } = this.#deps
    log.debug(() => `the latest release is ${version}, which is ${relation} (running ${this.#running})`)
    if (!relation.endsWith('newer') || this.#announced === version) return
    this.#announced = version
    const command = this.#options.installation.upgradeCommand(version)
    const how = command === undefined ? '' : `; to upgrade: ${command}`
    log.info(`Twinfold v${version} is available, this is v${this.#running}${how}`)
  }

  #checks(): UpgradeChecks {
    if (!this.#options.allowed) return 'forbidden'
    return this.#deps.config.current.options.autoUpgradeIntervalH > 0 ? 'on' : 'off'
  }

  #source(): string | undefined {
    try {
      return releaseSource(this.#deps.config.current.options.releasesURL)
    } catch {
      return undefined // `check` reports the reason
    }
  }

  /** Discards a result for other settings: they may change during a request. */
  #valid(): Checked | undefined {
    const isCurrent = this.#checks() === 'on' && this.#checked?.settings === settingsOf(this.#deps.config.current)
    return isCurrent ? this.#checked : undefined
  }

  #recent(): Checked | undefined {
    const checked = this.#valid()
    if (checked === undefined) return undefined
    const keptMs = checked.error === '' ? RESULT_KEPT_MS : FAILURE_KEPT_MS
    return this.#deps.clock.monotonicMs() - checked.atMonotonicMs < keptMs ? checked : undefined
  }
}

/** What a check depends on. */
function settingsOf({ options }: Config): string {
  return JSON.stringify([options.autoUpgradeIntervalH > 0, options.releasesURL, options.upgradeToPreReleases])
}
