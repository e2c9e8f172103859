/** A content that somebody who knew it removed or replaced under a name. */
export interface Farewell {
  readonly path: string
  readonly content: number
  /** What had not seen it won against it: the record of it is gone, and whoever still has the content keeps it. */
  overruled: boolean
}

/**
 * Who could know of which farewell, by what people did and what devices took from each other: the order of events as
 * the version vectors should have it, found without them. Devices go by their names.
 */
export class Past {
  readonly farewells: Farewell[] = []
  /** By device and path. */
  readonly #known = new Map<string, Map<string, Set<Farewell>>>()
  /** By path and content: what was known where the content was put there. */
  readonly #knownTo = new Map<string, Set<Farewell>>()

  farewell(device: string, path: string, content: number): void {
    const farewell = { path, content, overruled: false }
    this.farewells.push(farewell)
    this.#knownBy(device, path).add(farewell)
  }

  /** A person put this content there. */
  put(device: string, path: string, content: number): void {
    const known = this.#of(path, content)
    for (const farewell of this.#knownBy(device, path)) known.add(farewell)
  }

  /** A device took a deletion from another one. */
  tookDeletion(device: string, path: string): void {
    const known = this.#knownBy(device, path)
    for (const farewell of this.farewells) if (farewell.path === path) known.add(farewell)
  }

  /** A device took this content from another one: the farewells that it had not seen are overruled. */
  tookContent(device: string, path: string, content: number): void {
    const seen = this.#of(path, content)
    const known = this.#knownBy(device, path)
    for (const farewell of known) if (!seen.has(farewell) && farewell.content !== content) farewell.overruled = true
    for (const farewell of seen) known.add(farewell)
  }

  #knownBy(device: string, path: string): Set<Farewell> {
    const byPath = this.#known.get(device) ?? new Map<string, Set<Farewell>>()
    this.#known.set(device, byPath)
    const known = byPath.get(path) ?? new Set<Farewell>()
    byPath.set(path, known)
    return known
  }

  #of(path: string, content: number): Set<Farewell> {
    const key = `${content} ${path}`
    const known = this.#knownTo.get(key) ?? new Set<Farewell>()
    this.#knownTo.set(key, known)
    return known
  }
}
