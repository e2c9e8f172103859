import type { Config } from '../core/config/config.ts'

/** A change that was asked for: the whole new configuration, made from the present one without touching it. */
export type ConfigChange = (current: Config) => Config

/** Reads and changes the configuration of a running daemon. */
export interface ConfigStore {
  readonly current: Config
  /** True once a change was made that only a restart applies. */
  readonly restartRequired: boolean
  /**
   * Normalises, checks, saves, tells the subscribers, in that order; resolves when all of them have handled it.
   * A copy of the file is kept before something is removed from it or all of it is replaced.
   * Rejects with `config-invalid`, nothing changed, when the result is not a valid configuration.
   */
  change(make: ConfigChange): Promise<Config>
  /** Called with old and new, one change at a time; the next one waits for the returned promise. */
  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void
}
