import type { Config } from '../core/config.ts'

/** A change that was asked for: the whole new configuration, made from the present one without touching it. */
export type ConfigChange = (current: Config) => Config

export interface ConfigChangeOptions {
  /** Keeps a copy of the file as it was, for changes that replace everything. Removals always do. */
  readonly keepCopy?: boolean
}

/** Reads and changes the configuration of a running daemon. */
export interface ConfigStore {
  readonly current: Config
  /** True once a change was made that only a restart applies. */
  readonly restartRequired: boolean
  /**
   * Normalises, checks, saves, tells the subscribers, in that order; resolves when all of them have handled it.
   * Rejects with `config-invalid`, nothing changed, when the result is not a valid configuration.
   */
  change(make: ConfigChange, options?: ConfigChangeOptions): Promise<Config>
  /** Called with old and new, one change at a time; the next one waits for the returned promise. */
  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void
}
