import { useEffect, useState } from 'preact/hooks'

/** An observable value. */
export class Store<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get(): T {
    return this.#value
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    const errors = [...this.#listeners].map((listener) => attempt(listener)).filter((error) => error !== undefined)
    if (errors.length > 0) throw errors[0]
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** What fails, so that no other listener fails with it. */
function attempt(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

/** What `select` makes of the value; the component is drawn again only when that changes. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [, redraw] = useState(0)
  const selected = select(store.get())
  useEffect(() => {
    let shown: unknown = select(store.get())
    if (!Object.is(shown, selected)) redraw((count) => count + 1)
    return store.subscribe(() => {
      let next: unknown
      const error = attempt(() => (next = select(store.get())))
      if (error === undefined && Object.is(next, shown)) return
      shown = error ?? next // with an error the component fails when it is drawn, which is shown in its place
      redraw((count) => count + 1)
    })
  }, [store])
  return selected
}
