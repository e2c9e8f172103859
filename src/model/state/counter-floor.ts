import type { FileHead } from '../../core/records/file-info.ts'
import type { FolderId, ShortId } from '../../core/ids.ts'
import { forgottenCount } from '../../core/records/version-vector.ts'
import type { KeyValue } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'

const KEY_PREFIX = 'count-from/'
/**
 * Counts further ahead of the clock are left alone: others can write anything into a version, and would push the counts
 * of a whole folder to the end of numbers.
 */
const AHEAD_S_MAX = 366 * 86_400
const WHOLE_NUMBER = /^[1-9]\d{0,15}$/

export interface OwnCountsDeps {
  readonly keyValue: Pick<KeyValue, 'get' | 'set'>
  readonly clock: Pick<Clock, 'nowMs'>
}

/**
 * From which count on this device has used none in a folder and forgotten it. A record that gives way to one that never
 * saw it takes its count along. Others still know that count, so the next edit must not come below it again, be it that
 * the clock was set back or that both fall into one second: it would look like something they have seen.
 */
export class CounterFloor {
  readonly #deps: OwnCountsDeps
  readonly #key: string
  readonly #ownShortId: ShortId
  #minCounter = 0
  #stored = 0
  #loaded: Promise<void> | undefined

  constructor(deps: OwnCountsDeps, folder: FolderId, ownShortId: ShortId) {
    this.#deps = deps
    this.#key = KEY_PREFIX + folder
    this.#ownShortId = ownShortId
  }

  /** As far as is known: to be asked after `load`. */
  get minCounter(): number {
    return this.#minCounter
  }

  /** Reads what was stored, once. Rejects when the index cannot be read; then the next call tries again. */
  async load(): Promise<void> {
    this.#loaded ??= this.#read()
    try {
      await this.#loaded
    } catch (error) {
      this.#loaded = undefined
      throw error
    }
  }

  async #read(): Promise<void> {
    const bytes = await this.#deps.keyValue.get(this.#key)
    const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
    if (!WHOLE_NUMBER.test(text)) return
    this.#stored = Number(text)
    this.#minCounter = Math.max(this.#minCounter, this.#stored)
  }

  /** Our record is about to give way to another. Once too often does no harm. */
  note(replaced: Pick<FileHead, 'version'> | undefined, successor: Pick<FileHead, 'version'>): void {
    if (replaced === undefined) return
    const count = forgottenCount(replaced.version, successor.version, this.#ownShortId)
    if (count === 0n || count < BigInt(this.#minCounter)) return
    const nowS = Math.floor(this.#deps.clock.nowMs() / 1_000)
    if (count <= BigInt(nowS + AHEAD_S_MAX)) this.#minCounter = Number(count) + 1
  }

  /** To be done before the records are stored that no longer have what was noted. */
  async store(): Promise<void> {
    const minCounter = this.#minCounter
    if (minCounter <= this.#stored) return
    await this.#deps.keyValue.set(this.#key, new TextEncoder().encode(String(minCounter)))
    this.#stored = Math.max(this.#stored, minCounter)
  }
}
