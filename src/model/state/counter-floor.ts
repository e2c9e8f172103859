import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import { lostCounter, type Counting } from '../../core/records/version-vector.ts'
import type { ExchangeState, KeyValue } from '../../db/types.ts'
import type { IndexContinuity } from './index-continuity.ts'

/**
 * Higher counters are ignored: other devices can write any value into a version. Counting on from here is harmless, as
 * it is far below the highest accepted counter; and far above every clock, right or wrong, so that a device whose clock
 * starts in 1970 does not ignore its own counters.
 */
const COUNTER_TRUSTED_MAX = 1n << 40n
const WHOLE_NUMBER = /^[1-9]\d{0,15}$/

export interface CounterFloorDeps {
  readonly keyValue: Pick<KeyValue, 'get'>
  readonly continuity: Pick<IndexContinuity, 'isProven' | 'temporaryId'>
  exchange(): Promise<Pick<ExchangeState, 'counterId' | 'hasNewIds' | 'minCounter' | 'setMinCounter'>>
}

export interface CounterFloorOptions {
  readonly folder: FolderId
  readonly ownShortId: ShortId
  /** The others that share the folder. */
  readonly otherDevices: readonly DeviceId[]
}

/** Where earlier releases stored it: in a database that can be lost while the index is not. */
export function earlierCounterKey(folder: FolderId): string {
  return `count-from/${folder}`
}

/**
 * The smallest counter that this device may use for its next version in a folder. A record that is replaced by a
 * concurrent one loses its counter here while other devices still have it. A later edit must not reuse a counter up to
 * that value, even if the clock was set back or both edits fall into one second: others would ignore it as known.
 */
export class CounterFloor {
  readonly #deps: CounterFloorDeps
  readonly #options: CounterFloorOptions
  #ids: Omit<Counting, 'minCounter'>
  #minCounter = 0
  #stored = 0
  #loaded: Promise<void> | undefined

  constructor(deps: CounterFloorDeps, options: CounterFloorOptions) {
    this.#deps = deps
    this.#options = options
    this.#ids = { ownShortId: options.ownShortId }
  }

  /** How the next edits are counted. Valid after `load`, which must be called under the lock of the folder. */
  get counting(): Counting {
    return { ...this.#ids, minCounter: this.#minCounter }
  }

  /** Reads what was stored, once, and the IDs. Rejects when the index cannot be read; then the next call repeats. */
  async load(): Promise<void> {
    const { continuity } = this.#deps
    const { ownShortId, otherDevices } = this.#options
    const exchange = await this.#deps.exchange()
    const isProven = continuity.isProven(otherDevices, await exchange.hasNewIds())
    this.#ids = {
      ownShortId,
      counterId: await exchange.counterId(),
      temporaryId: isProven ? undefined : continuity.temporaryId,
    }
    this.#loaded ??= this.#read()
    try {
      await this.#loaded
    } catch (error) {
      this.#loaded = undefined
      throw error
    }
  }

  async #read(): Promise<void> {
    const bytes = await this.#deps.keyValue.get(earlierCounterKey(this.#options.folder))
    const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
    this.#stored = await (await this.#deps.exchange()).minCounter()
    this.#minCounter = Math.max(this.#minCounter, this.#stored, WHOLE_NUMBER.test(text) ? Number(text) : 0)
  }

  /** Our record is about to be replaced by another. Repeated calls are harmless. */
  note(replaced: Pick<FileHead, 'version'> | undefined, successor: Pick<FileHead, 'version'>): void {
    if (replaced === undefined) return
    const { ownShortId, counterId = ownShortId, temporaryId = counterId } = this.#ids
    for (const id of [counterId, temporaryId]) {
      const count = lostCounter(replaced.version, successor.version, id)
      if (count === 0n || count < BigInt(this.#minCounter) || count > COUNTER_TRUSTED_MAX) continue
      this.#minCounter = Number(count) + 1
    }
  }

  /** To be called before the replacing records are stored. */
  async store(): Promise<void> {
    const minCounter = this.#minCounter
    if (minCounter <= this.#stored) return
    await (await this.#deps.exchange()).setMinCounter(minCounter)
    this.#stored = Math.max(this.#stored, minCounter)
  }
}
