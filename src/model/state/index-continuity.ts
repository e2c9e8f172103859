import type { DeviceId, ShortId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

/** A smaller change of the clock is a correction. */
const CLOCK_JUMP_MS = 60_000

export interface IndexContinuityDeps {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  readonly random: Pick<Random, 'bytes'>
}

/**
 * Whether the index of a folder continues the last state that other devices received, or may have returned to an
 * earlier one (a restored backup, a reset virtual machine). Only the other devices can prove that it continues. Until
 * all have, changes are counted under an ID that no lost version contains: one of this process, and of the time since
 * the clock jumped, which is all that a process notices when its machine is reset while it runs.
 */
export class IndexContinuity {
  readonly #deps: IndexContinuityDeps
  /** By device: the first result counts, as what is sent afterwards hides what was lost. */
  #results = new Map<DeviceId, boolean>()
  #temporaryId: ShortId | undefined
  #clockOffsetMs: number
  #hasJumped = false

  constructor(deps: IndexContinuityDeps) {
    this.#deps = deps
    this.#clockOffsetMs = this.#offsetMs()
  }

  get temporaryId(): ShortId {
    this.#checkClock()
    this.#temporaryId ??= (Buffer.from(this.#deps.random.bytes(8)).readBigUInt64BE() || 1n) as ShortId
    return this.#temporaryId
  }

  /** A device announced how much it has of the index: `isContinued` if that is no more than it was sent. */
  note(device: DeviceId, isContinued: boolean): void {
    this.#checkClock()
    if (!this.#results.has(device)) this.#results.set(device, isContinued)
  }

  /** `isNew`: the index was created by this process, so that no earlier state of it exists. */
  isProven(devices: readonly DeviceId[], isNew: boolean): boolean {
    this.#checkClock()
    return (isNew && !this.#hasJumped) || devices.every((device) => this.#results.get(device) === true)
  }

  #checkClock(): void {
    const offsetMs = this.#offsetMs()
    const jumpedMs = Math.abs(offsetMs - this.#clockOffsetMs)
    this.#clockOffsetMs = offsetMs
    if (jumpedMs < CLOCK_JUMP_MS) return
    this.#hasJumped = true
    this.#temporaryId = undefined
    this.#results = new Map()
  }

  #offsetMs(): number {
    const { clock } = this.#deps
    return clock.nowMs() - clock.monotonicMs()
  }
}
