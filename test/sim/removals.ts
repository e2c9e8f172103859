import type { ItemIdentity } from './contents.ts'
import { Unrecorded } from './unrecorded.ts'

/** A content that a user knowingly removed or replaced under a name. */
export interface Removal {
  readonly path: string
  readonly content: number
  /** A concurrent change won against it: its record is gone, and devices that still have the content keep it. */
  overruled: boolean
  /** The device lost power before it recorded the content: the removal cannot be detected. */
  unrecorded: boolean
}

/**
 * Which devices may have seen which removal, derived from user actions and pulls: the causal order that version vectors
 * should yield, found without them. Devices are given by name.
 */
export class Removals {
  readonly all: Removal[] = []
  readonly unrecorded = new Unrecorded()
  /** By device and path. */
  readonly #known = new Map<string, Map<string, Set<Removal>>>()
  /** By path and identity: the removals known where it was created. */
  readonly #knownTo = new Map<string, Set<Removal>>()

  removed(device: string, path: string, content: number): void {
    const removal = { path, content, overruled: false, unrecorded: false }
    this.unrecorded.removed(device, removal)
    this.all.push(removal)
    this.#knownBy(device, path).add(removal)
  }

  /** A user created this item. */
  put(device: string, path: string, identity: ItemIdentity): void {
    const known = this.#of(path, identity)
    for (const removal of this.#knownBy(device, path)) known.add(removal)
  }

  /** A device pulled a deletion. */
  pulledDeletion(device: string, path: string): void {
    const known = this.#knownBy(device, path)
    for (const removal of this.all) if (removal.path === path) known.add(removal)
  }

  /** A device pulled this item: removals that the item had not seen are overruled. */
  pulled(device: string, path: string, identity: ItemIdentity): void {
    const seen = this.#of(path, identity)
    const known = this.#knownBy(device, path)
    for (const removal of known) if (!seen.has(removal) && removal.content !== identity) removal.overruled = true
    for (const removal of seen) known.add(removal)
  }

  #knownBy(device: string, path: string): Set<Removal> {
    const byPath = this.#known.get(device) ?? new Map<string, Set<Removal>>()
    this.#known.set(device, byPath)
    const known = byPath.get(path) ?? new Set<Removal>()
    byPath.set(path, known)
    return known
  }

  #of(path: string, identity: ItemIdentity): Set<Removal> {
    const key = `${identity} ${path}`
    const known = this.#knownTo.get(key) ?? new Set<Removal>()
    this.#knownTo.set(key, known)
    return known
  }
}
