/** What is under a name: a value that was written once and nowhere else, or nothing. */
export type Value = string | undefined

/** Somebody put a value there, or took one away. */
interface Deed {
  readonly value: Value
  /** What its author certainly knew when doing it: what they had before their eyes, and what that one's author knew. */
  readonly past: ReadonlySet<Deed>
}

/**
 * A synchronizer as seen from outside: one name, some devices, and what people read and write there. What devices do
 * among themselves is hidden. A read is explained when a deed can have come to the device by those it could talk to, and
 * is not one that the device had already moved on from: a file never goes back to what somebody replaced knowingly. The
 * idea is that of Hughes, Pierce, Arts and Norell in "Mysteries of Dropbox"; here there is no server, deletions are
 * values, and devices that meet pass on what they have from others.
 */
export class History {
  readonly #first: Deed = { value: undefined, past: new Set() }
  readonly #deeds: Deed[] = [this.#first]
  /** What each device may have at this moment: reads do not always tell which of several deeds is meant. */
  readonly #possible = new Map<string, ReadonlySet<Deed>>()
  /** What can have come to a device by now. */
  readonly #reachable = new Map<string, Set<Deed>>()
  #links: readonly (readonly [string, string])[] = []
  readonly unexplained: string[] = []

  constructor(devices: readonly string[]) {
    for (const device of devices) {
      this.#possible.set(device, new Set([this.#first]))
      this.#reachable.set(device, new Set([this.#first]))
    }
  }

  /** Who can talk to whom from now on. */
  connect(links: readonly (readonly [string, string])[]): void {
    this.#links = links
    this.#spread()
  }

  read(device: string, value: Value): void {
    const before = [...(this.#possible.get(device) ?? [])]
    const now = [...(this.#reachable.get(device) ?? [])].filter((deed) => {
      return deed.value === value && before.some((current) => current === deed || !current.past.has(deed))
    })
    if (now.length === 0)
      this.unexplained.push(
        `${device} reads ${value ?? 'nothing'} after ${before.map((deed) => deed.value ?? 'nothing').join(' or ')}`,
      )
    else this.#possible.set(device, new Set(now))
  }

  /** A person who has just read what is there replaces it, or takes it away. */
  write(device: string, value: Value): void {
    const seen = [...(this.#possible.get(device) ?? [])]
    const pasts = seen.map((deed) => new Set([...deed.past, deed]))
    const certain = pasts.reduce((all, past) => all.intersection(past), pasts[0] ?? new Set())
    const deed = { value, past: certain }
    this.#deeds.push(deed)
    this.#possible.set(device, new Set([deed]))
    this.#reachable.get(device)?.add(deed)
    this.#spread()
  }

  /** Without power a disk may forget what was not synced: the device may have anything that ever reached it. */
  lostPower(device: string): void {
    this.#possible.set(device, new Set(this.#reachable.get(device)))
  }

  /**
   * All devices have met and are at rest. `everywhere` is all that can be found on any of them, under whatever name:
   * what nobody replaced or removed knowingly has the name or is a copy beside it.
   */
  settled(values: ReadonlyMap<string, Value>, everywhere: ReadonlySet<string>): void {
    for (const [device, value] of values) this.read(device, value)
    const distinct = new Set(values.values())
    if (distinct.size > 1)
      this.unexplained.push(`at rest, and different: ${[...distinct].map((value) => value ?? 'nothing').join(', ')}`)
    for (const { value } of this.lastWords) {
      if (value !== undefined && !everywhere.has(value)) this.unexplained.push(`${value} is nowhere`)
    }
  }

  /** Deeds that no other one was certainly done upon. */
  get lastWords(): readonly { readonly value: Value }[] {
    return this.#deeds.filter((deed) => !this.#deeds.some((other) => other.past.has(deed)))
  }

  /** What one has may come to all whom it can talk to, directly or by others. */
  #spread(): void {
    for (let grown = true; grown;) {
      grown = false
      for (const [a, b] of this.#links) {
        const [atA, atB] = [this.#reachable.get(a) ?? new Set(), this.#reachable.get(b) ?? new Set()]
        if (atA.size === atB.size && atA.isSubsetOf(atB)) continue
        for (const deed of atA.union(atB)) {
          atA.add(deed)
          atB.add(deed)
        }
        grown = true
      }
    }
  }
}
