/** Work that is in progress, each task until it has ended. */
export class TaskSet {
  readonly #tasks = new Set<Promise<unknown>>()

  get size(): number {
    return this.#tasks.size
  }

  /** The task must handle its own failures: a rejection is one of `ended` as well. */
  add(task: Promise<unknown>): void {
    const tracked: Promise<unknown> = task.finally(() => this.#tasks.delete(tracked))
    this.#tasks.add(tracked)
  }

  /** Resolves when one of the tasks has ended. */
  async anyEnded(): Promise<void> {
    await Promise.race(this.#tasks)
  }

  /** Resolves when all tasks have ended, those that were added meanwhile included. */
  async ended(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
  }
}
