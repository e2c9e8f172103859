import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'

/** More files than are ever pulled at once. */
const FILES_MAX = 256

interface Entry {
  readonly version: VersionVector
  readonly holders: ReadonlySet<DeviceId>
}

/** Which devices have which version of the files being requested: looked up once per file, not once per block. */
export class HolderCache {
  readonly #entries = new Map<string, Entry>()
  /** Counts invalidations, so that the result of a lookup that was under way meanwhile is not cached. */
  #generation = 0

  get(folder: FolderId, { name, version }: FileHead): ReadonlySet<DeviceId> | undefined {
    const entry = this.#entries.get(keyOf(folder, name))
    return entry !== undefined && compareVersions(entry.version, version) === 'equal' ? entry.holders : undefined
  }

  /** To be called before the index is read; the returned function stores the result. */
  beginLookup(folder: FolderId): (file: FileHead, holders: ReadonlySet<DeviceId>) => void {
    const generation = this.#generation
    return ({ name, version }, holders) => {
      if (generation !== this.#generation) return
      for (const key of this.#entries.keys()) {
        if (this.#entries.size < FILES_MAX) break
        this.#entries.delete(key)
      }
      this.#entries.set(keyOf(folder, name), { version, holders })
    }
  }

  /** Undefined: everything about the folder. */
  invalidate(folder: FolderId, names: readonly string[] | undefined): void {
    this.#generation++
    if (names === undefined) {
      for (const key of this.#entries.keys()) if (key.startsWith(keyOf(folder, ''))) this.#entries.delete(key)
    } else if (this.#entries.size > 0) {
      for (const name of names) this.#entries.delete(keyOf(folder, name))
    }
  }
}

function keyOf(folder: FolderId, name: string): string {
  return `${folder.length}:${folder}/${name}`
}
