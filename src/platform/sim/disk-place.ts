import { checkPath } from '../disk-error.ts'
import { diskError } from './disk-faults.ts'
import type { SimDirectoryNode, SimEntry, SimNode } from './disk-node.ts'

/** A resolved path whose last name may not exist yet. */
export interface Place {
  readonly directory: SimDirectoryNode
  readonly key: string
  readonly name: string
  readonly entry: SimEntry | undefined
  /** Without symlinks and dots, except perhaps the last name. */
  readonly path: string
}

export interface SimPlacesOptions {
  /** Names that differ only in case are the same item, as on macOS and Windows. */
  readonly caseInsensitive: boolean
  /** False: as for root. */
  readonly enforcePermissions: boolean
}

const NAME_BYTES_MAX = 255
const PATH_BYTES_MAX = 4095
const SYMLINKS_MAX = 40
const SEARCH = 1

/** Resolves paths, with symlinks, limits and permissions. */
export class SimPlaces {
  readonly #options: SimPlacesOptions
  readonly #root: SimDirectoryNode

  constructor(root: SimDirectoryNode, options: SimPlacesOptions) {
    this.#root = root
    this.#options = options
  }

  /** Rejects access that the permission bits of the owner do not allow; `bits` as in one digit of a mode. */
  demand(node: SimNode, bits: number, call: string, path: string): void {
    if (!this.#options.enforcePermissions) return
    if (((node.metadata.mode >> 6) & bits) !== bits) throw diskError('EACCES', call, path)
  }

  existing(path: string, call: string): Place & { readonly entry: SimEntry } {
    const place = this.find(path, call, false)
    if (place === undefined) throw diskError('EBUSY', call, path)
    const { entry } = place
    if (entry === undefined) throw diskError('ENOENT', call, path)
    return { ...place, entry }
  }

  /** Undefined for the root, which has no parent directory. */
  find(path: string, call: string, follow: boolean): Place | undefined {
    checkPath(path, call)
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw diskError('ENAMETOOLONG', call, path)
    const parts = path.split('/').reverse()
    const trail: Place[] = []
    for (let part = parts.pop(), symlinks = 0; part !== undefined; part = parts.pop()) {
      if (part === '' || part === '.') continue
      const here = this.#enter(trail.at(-1), call, path)
      if (part === '..') {
        trail.pop()
        continue
      }
      const place = this.#lookup(here, trail.at(-1)?.path ?? '', part, call, path)
      const node = place.entry?.node
      const last = parts.every((rest) => rest === '')
      if (node?.type === 'symlink' && (follow || !last)) {
        if (++symlinks > SYMLINKS_MAX) throw diskError('ELOOP', call, path)
        if (node.target.startsWith('/')) trail.length = 0
        for (const part of node.target.split('/').reverse()) parts.push(part)
      } else trail.push(place)
    }
    return trail.at(-1)
  }

  #enter(place: Place | undefined, call: string, path: string): SimDirectoryNode {
    const node = place === undefined ? this.#root : place.entry?.node
    if (node === undefined) throw diskError('ENOENT', call, path)
    if (node.type !== 'directory') throw diskError('ENOTDIR', call, path)
    this.demand(node, SEARCH, call, path)
    return node
  }

  #lookup(directory: SimDirectoryNode, parent: string, name: string, call: string, path: string): Place {
    if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw diskError('ENAMETOOLONG', call, path)
    const key = this.#options.caseInsensitive ? name.normalize('NFC').toLowerCase() : name
    const entry = directory.entries.get(key)
    return { directory, key, name, entry, path: `${parent}/${entry?.name ?? name}` }
  }
}
