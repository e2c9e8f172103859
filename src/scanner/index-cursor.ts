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

/** The next page must be loaded first. */
export const NEED_PAGE = Symbol('need page')

/** Iterates over our records at or below some paths, in the order of the walk and in step with it. */
export class IndexCursor {
  readonly #source: PageSource
  readonly #subs: readonly string[]
  readonly #onAbsent: (record: FileHead) => void
  #sub = 0
  #afterName = ''
  #page: readonly FileHead[] = []
  #at = 0

  /** `onAbsent` receives every record that the walk passed without finding the item. */
  constructor(source: PageSource, subs: readonly string[], onAbsent: (record: FileHead) => void) {
    this.#source = source
    this.#subs = subs
    this.#onAbsent = onAbsent
  }

  /** Whether the current page has unread records. */
  get hasRecords(): boolean {
    return this.#at < this.#page.length
  }

  /** The record of this name, if any. Names must be given in ascending order. */
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

  /** Loads the next page. All records of the previous one must have been read. */
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

  /** Reports all remaining records as absent, and waits for `onPage` after each page: there may be very many. */
  async finish(onPage: () => Promise<void>): Promise<void> {
    for (;;) {
      for (; this.#at < this.#page.length; this.#at++) this.#onAbsent(this.#page[this.#at]!)
      await onPage()
      if (this.#sub >= this.#subs.length) return
      await this.load()
    }
  }
}
