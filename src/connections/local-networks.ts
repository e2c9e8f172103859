import type { OptionsConfig } from '../core/config/config.ts'
import { lanCheck, type LanCheck } from '../core/network/lan.ts'
import type { Clock } from '../platform/clock.ts'
import type { System } from '../platform/platform.ts'

const CACHED_MS = 10_000

/** Which addresses are local. Cached only briefly, because a machine may change networks while it runs. */
export class LocalNetworks {
  readonly #clock: Clock
  readonly #system: Pick<System, 'networks'>
  #cached: { readonly check: LanCheck; readonly untilMs: number } | undefined

  constructor(clock: Clock, system: Pick<System, 'networks'>) {
    this.#clock = clock
    this.#system = system
  }

  check({ alwaysLocalNets }: OptionsConfig): LanCheck {
    const nowMs = this.#clock.monotonicMs()
    if (this.#cached !== undefined && nowMs < this.#cached.untilMs) return this.#cached.check
    const check = lanCheck(this.#system.networks(), alwaysLocalNets)
    this.#cached = { check, untilMs: nowMs + CACHED_MS }
    return check
  }

  /** The networks or their settings have changed. */
  forget(): void {
    this.#cached = undefined
  }
}
