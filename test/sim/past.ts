import type { Shape } from './contents.ts'
import { Unrecorded } from './unrecorded.ts'

/** A content that somebody who knew it removed or replaced under a name. */
export interface Farewell {
  readonly path: string
  readonly content: number
  /** What had not seen it won against it: the record of it is gone, and whoever still has the content keeps it. */
  overruled: boolean
  /** The device lost power before its index knew of the content: nobody can tell that it was removed. */
  untold: boolean
}

/**
 * Who could know of which farewell, by what people did and what devices took from each other: the order of events as
 * the version vectors should have it, found without them. Devices go by their names.
 */
export class Past {
  readonly farewells: Farewell[] = []
  readonly unrecorded = new Unrecorded()
  /** By device and path. */
  readonly #known = new Map<string, Map<string, Set<Farewell>>>()
  /** By path and shape: what was known where it was put there. */
  readonly #knownTo = new Map<string, Set<Farewell>>()

  farewell(device: string, path: string, content: number): void {
    const farewell = { path, content, overruled: false, untold: false }
    this.unrecorded.farewell(device, farewell)
    this.farewells.push(farewell)
    this.#knownBy(device, path).add(farewell)
  }

  /** A person put this there. */
  put(device: string, path: string, shape: Shape): void {
    const known = this.#of(path, shape)
    for (const farewell of this.#knownBy(device, path)) known.add(farewell)
  }

  /** A device took a deletion from another one. */
  tookDeletion(device: string, path: string): void {
    const known = this.#knownBy(device, path)
    for (const farewell of this.farewells) if (farewell.path === path) known.add(farewell)
  }

  /** A device took this from another one: the farewells that it had not seen are overruled. */
  took(device: string, path: string, shape: Shape): void {
    const seen = this.#of(path, shape)
    const known = this.#knownBy(device, path)
    for (const farewell of known) if (!seen.has(farewell) && farewell.content !== shape) farewell.overruled = true
    for (const farewell of seen) known.add(farewell)
  }

  #knownBy(device: string, path: string): Set<Farewell> {
    const byPath = this.#known.get(device) ?? new Map<string, Set<Farewell>>()
    this.#known.set(device, byPath)
    const known = byPath.get(path) ?? new Set<Farewell>()
    byPath.set(path, known)
    return known
  }

  #of(path: string, shape: Shape): Set<Farewell> {
    const key = `${shape} ${path}`
    const known = this.#knownTo.get(key) ?? new Set<Farewell>()
    this.#knownTo.set(key, known)
    return known
  }
}
