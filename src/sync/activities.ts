import type { Service } from './supervisor.ts'

interface Running {
  readonly stop: AbortController
  readonly done: Promise<void>
}

/** Running services that follow the wanted set: added ones start, removed ones stop, the rest keep running. */
export class Activities {
  readonly #run: (service: Service, signal: AbortSignal) => Promise<void>
  readonly #running = new Map<string, Running>()

  /** `run` must not reject. */
  constructor(run: (service: Service, signal: AbortSignal) => Promise<void>) {
    this.#run = run
  }

  /** Services are identified by name. Resolves when the services that are no longer wanted have ended. */
  async follow(wanted: ReadonlyMap<string, () => Service>): Promise<void> {
    const ending = [...this.#running.keys()].filter((name) => !wanted.has(name)).map((name) => this.#end(name))
    await Promise.all(ending)
    for (const [name, make] of wanted) {
      if (!this.#running.has(name)) this.#begin(name, make())
    }
  }

  #begin(name: string, service: Service): void {
    const stop = new AbortController()
    this.#running.set(name, { stop, done: this.#run(service, stop.signal) })
  }

  async #end(name: string): Promise<void> {
    const running = this.#running.get(name)
    this.#running.delete(name)
    running?.stop.abort()
    await running?.done
  }
}
