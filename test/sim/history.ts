/** The content of a name: a value that is written only once, or nothing. */
export type Value = string | undefined

/** A user wrote or removed a value. */
interface Write {
  readonly value: Value
  /** Its causal past: the write that its author had certainly read, and the past of that one. */
  readonly past: ReadonlySet<Write>
}

/**
 * A synchronizer as a black box: one name, some devices, and what users read and write there. A read is explained when
 * its write can have reached the device over existing links and is not in the causal past of what the device had: a
 * file never returns to a value that a user knowingly replaced. The idea is that of Hughes, Pierce, Arts and Norell in
 * "Mysteries of Dropbox"; here there is no server, deletions are values, and devices forward what they received.
 */
export class History {
  readonly #first: Write = { value: undefined, past: new Set() }
  readonly #writes: Write[] = [this.#first]
  /** The writes that each device may have: a read does not always identify one of several writes. */
  readonly #possible = new Map<string, ReadonlySet<Write>>()
  /** The writes that can have reached a device. */
  readonly #reachable = new Map<string, Set<Write>>()
  #links: readonly (readonly [string, string])[] = []
  readonly unexplained: string[] = []

  constructor(devices: readonly string[]) {
    for (const device of devices) {
      this.#possible.set(device, new Set([this.#first]))
      this.#reachable.set(device, new Set([this.#first]))
    }
  }

  /** Replaces the links between devices. */
  connect(links: readonly (readonly [string, string])[]): void {
    this.#links = links
    this.#spread()
  }

  read(device: string, value: Value): void {
    const before = [...(this.#possible.get(device) ?? [])]
    const now = [...(this.#reachable.get(device) ?? [])].filter((write) => {
      return write.value === value && before.some((current) => current === write || !current.past.has(write))
    })
    if (now.length === 0)
      this.unexplained.push(
        `${device} reads ${value ?? 'nothing'} after ${before.map((write) => write.value ?? 'nothing').join(' or ')}`,
      )
    else this.#possible.set(device, new Set(now))
  }

  /** A user who has just read the value replaces or removes it. */
  write(device: string, value: Value): void {
    const seen = [...(this.#possible.get(device) ?? [])]
    const pasts = seen.map((write) => new Set([...write.past, write]))
    const certain = pasts.reduce((all, past) => all.intersection(past), pasts[0] ?? new Set())
    const write = { value, past: certain }
    this.#writes.push(write)
    this.#possible.set(device, new Set([write]))
    this.#reachable.get(device)?.add(write)
    this.#spread()
  }

  /** Unsynced data may be lost: the device may have any value that ever reached it. */
  lostPower(device: string): void {
    this.#possible.set(device, new Set(this.#reachable.get(device)))
  }

  /**
   * All devices have converged. `everywhere` contains all values on any of them, under any name: each value that no
   * user knowingly replaced or removed has the name or is a conflict copy.
   */
  settled(values: ReadonlyMap<string, Value>, everywhere: ReadonlySet<string>): void {
    for (const [device, value] of values) this.read(device, value)
    const distinct = new Set(values.values())
    if (distinct.size > 1)
      this.unexplained.push(`converged, but different: ${[...distinct].map((value) => value ?? 'nothing').join(', ')}`)
    for (const { value } of this.latestWrites) {
      if (value !== undefined && !everywhere.has(value)) this.unexplained.push(`${value} is nowhere`)
    }
  }

  /** Writes that are not in the causal past of another one. */
  get latestWrites(): readonly { readonly value: Value }[] {
    return this.#writes.filter((write) => !this.#writes.some((other) => other.past.has(write)))
  }

  /** Propagates writes over all links, also indirectly. */
  #spread(): void {
    for (let grown = true; grown;) {
      grown = false
      for (const [a, b] of this.#links) {
        const [atA, atB] = [this.#reachable.get(a) ?? new Set(), this.#reachable.get(b) ?? new Set()]
        if (atA.size === atB.size && atA.isSubsetOf(atB)) continue
        for (const write of atA.union(atB)) {
          atA.add(write)
          atB.add(write)
        }
        grown = true
      }
    }
  }
}
