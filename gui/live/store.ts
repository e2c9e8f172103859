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
    for (const listener of Array.from(this.#listeners)) listener()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** What `select` makes of the value; the component is drawn again only when that changes. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [, redraw] = useState(0)
  const selected = select(store.get())
  useEffect(() => {
    let shown = select(store.get())
    if (!Object.is(shown, selected)) redraw((count) => count + 1)
    return store.subscribe(() => {
      const next = select(store.get())
      if (Object.is(next, shown)) return
      shown = next
      redraw((count) => count + 1)
    })
  }, [store])
  return selected
}
