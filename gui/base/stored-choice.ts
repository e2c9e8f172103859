import { Store } from './store.ts'

/** A choice that this browser remembers; without local storage it lasts as long as the page. */
export class StoredChoice<T extends string = string> extends Store<T> {
  readonly #name: string

  /** `parse` gets what was stored, empty for nothing. */
  constructor(name: string, parse: (stored: string) => T) {
    super(parse(read(name)))
    this.#name = name
  }

  override set(value: T): void {
    try {
      localStorage.setItem(this.#name, value)
    } catch {
      // The store alone has it.
    }
    super.set(value)
  }
}

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    return ''
  }
}
