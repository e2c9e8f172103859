import type { ConfigChange, ConfigStore } from '../config/types.ts'
import type { Config } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import { NO_EFFECT, type ScheduleEffect } from '../core/schedule/effect.ts'
import { Mutex } from '../sync/mutex.ts'
import { scheduledConfig } from './scheduled-config.ts'

type Listener = (from: Config, to: Config) => void | Promise<void>

interface EffectiveConfigDeps {
  /** As its owner has set it: what is saved, and what REST shows. */
  readonly config: ConfigStore
  report(problem: string): void
}

/**
 * The configuration that is in force: the saved one with what rules and conditions change in it. Changes go to the
 * saved one, so that its own values stay in it.
 */
export class EffectiveConfig implements ConfigStore {
  readonly #deps: EffectiveConfigDeps
  readonly #lock = new Mutex()
  readonly #listeners: Listener[] = []
  #saved: Config
  #effect: ScheduleEffect = NO_EFFECT
  #current: Config

  constructor(deps: EffectiveConfigDeps) {
    this.#deps = deps
    this.#saved = deps.config.current
    this.#current = this.#saved
    deps.config.subscribe((_, to) => this.#update({ saved: to }))
  }

  get current(): Config {
    return this.#current
  }

  get restartRequired(): boolean {
    return this.#deps.config.restartRequired
  }

  async change(make: ConfigChange): Promise<Config> {
    await this.#deps.config.change(make)
    return this.#current
  }

  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves when all subscribers have handled what this changes. */
  async apply(effect: ScheduleEffect): Promise<void> {
    await this.#update({ effect })
  }

  async #update({ saved, effect }: { readonly saved?: Config; readonly effect?: ScheduleEffect }): Promise<void> {
    using _lock = await this.#lock.lock()
    this.#saved = saved ?? this.#saved
    this.#effect = effect ?? this.#effect
    const [from, to] = [this.#current, scheduledConfig(this.#saved, this.#effect)]
    if (from === to) return
    this.#current = to
    for (const listener of this.#listeners) await this.#notify(listener, from, to)
  }

  /** The change is in force already, so one that fails must not keep the others from being notified. */
  async #notify(listener: Listener, from: Config, to: Config): Promise<void> {
    try {
      await listener(from, to)
    } catch (error) {
      this.#deps.report(`a component failed to apply a change of the configuration: ${messageOf(error)}`)
    }
  }
}
