import type { JobQueue } from '../state/job-queue.ts'
import type { PullList } from './pull-list.ts'

/** Fills the queue with the next files in pull order. It holds a part of them: their names are objects, and many. */
export class JobFeed {
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

  /** The first file of the queue, prioritized ones before others; undefined when none is left. */
  first(): string | undefined {
    for (const name of this.#jobs.takeRequested()) this.#prioritize(name)
    return this.#jobs.peek()
  }

  sizeBytes(name: string): number {
    return this.#sizes.get(name) ?? 0
  }

  /** The first file of the queue is being pulled from now on. */
  begin(name: string): void {
    this.#jobs.pop()
    this.#sizes.delete(name)
    this.#fill()
  }

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
