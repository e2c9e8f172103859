import type { HistoryEntry, PastItem } from '../history/entry.ts'
import { isAtOrBelow } from '../paths.ts'

/** An item that changed since the moment. */
export interface ChangedItem {
  /** As it was at the moment; undefined: there was none. */
  readonly past: PastItem | undefined
  /** All that happened to it since was a rewind. */
  readonly isOnlyRewound: boolean
}

/** What changed since a moment, at and below a path. Entries are added in their order. */
export class Moment {
  readonly #path: string
  readonly #items = new Map<string, ChangedItem>()

  constructor(path: string) {
    this.#path = path
  }

  add({ kind, name, before, origin }: HistoryEntry): void {
    if (kind === 'baseline' || (this.#path !== '' && !isAtOrBelow(name, this.#path))) return
    const known = this.#items.get(name)
    const isRewind = origin === 'rewind'
    if (known === undefined) this.#items.set(name, { past: before, isOnlyRewound: isRewind })
    else if (known.isOnlyRewound && !isRewind) this.#items.set(name, { ...known, isOnlyRewound: false })
  }

  get(name: string): ChangedItem | undefined {
    return this.#items.get(name)
  }

  /** Directories before their contents. */
  names(): readonly string[] {
    return [...this.#items.keys()].sort()
  }
}
