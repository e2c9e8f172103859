import { Store } from './store.ts'

/** A choice that this browser keeps; without local storage it lasts as long as the page. */
export class StoredChoice {
  readonly store: Store<string>
  readonly #name: string

  constructor(name: string) {
    this.#name = name
    this.store = new Store(this.#read())
  }

  set(value: string): void {
    try {
      localStorage.setItem(this.#name, value)
    } catch {
      // Kept by the store alone.
    }
    this.store.set(value)
  }

  #read(): string {
    try {
      return localStorage.getItem(this.#name) ?? ''
    } catch {
      return ''
    }
  }
}
