import type { FileHead } from '../core/records/file-info.ts'
import { compareNames } from '../core/paths.ts'

/** The part of the folder's index that a scan reads in order. */
export interface PageSource {
  page(
    owner: 'local',
    options: { readonly within: string; readonly afterName: string; readonly limit: number },
  ): Promise<readonly FileHead[]>
}

const PAGE_RECORDS = 500

/** Says that the next page must be loaded before the question can be answered. */
export const NEED_PAGE = Symbol('need page')

/** Goes through our records at or below some paths, in the order of a walk, beside the walk. */
export class IndexCursor {
  readonly #source: PageSource
  readonly #subs: readonly string[]
  readonly #onAbsent: (record: FileHead) => void
  #sub = 0
  #afterName = ''
  #page: readonly FileHead[] = []
  #at = 0

  /** `onAbsent` hears of every record that the walk passed without meeting the item. */
  constructor(source: PageSource, subs: readonly string[], onAbsent: (record: FileHead) => void) {
    this.#source = source
    this.#subs = subs
    this.#onAbsent = onAbsent
  }

  /** Whether the page at hand holds anything that was not passed yet. */
  get hasRecords(): boolean {
    return this.#at < this.#page.length
  }

  /** The record of this name, if any. Names must come in ascending order. */
  seek(name: string): FileHead | undefined | typeof NEED_PAGE {
    for (;;) {
      const record = this.#page[this.#at]
      if (record === undefined) return this.#sub < this.#subs.length ? NEED_PAGE : undefined
      const order = record.name === name ? 0 : compareNames(record.name, name)
      if (order > 0) return undefined
      this.#at++
      if (order === 0) return record
      this.#onAbsent(record)
    }
  }

  /** Loads the next page. Every record of the one before must have been passed. */
  async load(): Promise<void> {
    const within = this.#subs[this.#sub]
    if (within === undefined) return
    this.#page = await this.#source.page('local', { within, afterName: this.#afterName, limit: PAGE_RECORDS })
    this.#at = 0
    const last = this.#page.at(-1)
    if (last !== undefined && this.#page.length >= PAGE_RECORDS) {
      this.#afterName = last.name
    } else {
      this.#sub++
      this.#afterName = ''
    }
  }

  /** Passes everything that is left. */
  async finish(): Promise<void> {
    for (;;) {
      for (; this.#at < this.#page.length; this.#at++) this.#onAbsent(this.#page[this.#at]!)
      if (this.#sub >= this.#subs.length) return
      await this.load()
    }
  }
}
