import type { JobQueue } from '../state/job-queue.ts'
import type { PullList } from './pull-list.ts'

export type NextJob =
  | { readonly kind: 'file'; readonly name: string; readonly sizeBytes: number }
  /** None is to be begun now: again at the next change, or after this time. */
  | { readonly kind: 'wait'; readonly ms: number }

/** The files of one pull, in the order in which they are begun. */
export interface FileFeed extends Disposable {
  /** To be awaited before `next`. */
  prepare(): Promise<void> | undefined
  /** Prioritized files before others; undefined when none is left. */
  next(): NextJob | undefined
  /** The file of `next` is being pulled from now on, until `ended`. */
  begin(name: string): void
  ended(name: string): void
  readonly hasMore: boolean
}

/** Fills the queue with the next files in pull order. It holds a part of them: their names are objects, and many. */
export class JobFeed implements FileFeed {
  readonly #jobs: JobQueue
  readonly #files: PullList
  readonly #order: Uint32Array
  #next = 0
  /** Of the queued files. */
  readonly #sizes = new Map<string, number>()

  constructor(jobs: JobQueue, files: PullList, order: Uint32Array) {
    this.#jobs = jobs
    this.#files = files
    this.#order = order
    for (const name of jobs.prioritized()) this.#prioritize(name)
    jobs.takeRequested() // they are among these
    this.#fill()
  }

  prepare(): undefined {
    return undefined
  }

  next(): NextJob | undefined {
    for (const name of this.#jobs.takeRequested()) this.#prioritize(name)
    const name = this.#jobs.peek()
    return name === undefined ? undefined : { kind: 'file', name, sizeBytes: this.#sizes.get(name) ?? 0 }
  }

  begin(name: string): void {
    this.#jobs.begin(name)
    this.#sizes.delete(name)
    this.#fill()
  }

  ended(): void {}

  get hasMore(): boolean {
    return this.#jobs.peek() !== undefined
  }

  [Symbol.dispose](): void {}

  #fill(): void {
    while (this.#next < this.#order.length && !this.#jobs.isFull) {
      const place = this.#order[this.#next++]!
      if (!this.#files.isRemoved(place)) this.#push(place, this.#files.name(place))
    }
  }

  #prioritize(name: string): void {
    const place = this.#files.find(name)
    if (place !== undefined) this.#push(place, name)
  }

  #push(place: number, name: string): void {
    this.#jobs.push(name)
    this.#sizes.set(name, this.#files.sizeBytes(place))
    this.#files.remove(place)
  }
}
