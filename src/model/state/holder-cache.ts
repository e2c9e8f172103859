import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'

/** More files than are ever pulled at once. */
const FILES_MAX = 256

interface Entry {
  readonly version: VersionVector
  readonly holders: ReadonlySet<DeviceId>
}

/** Who has which version of the files that are being asked for right now: asked once for a file, not once for a block. */
export class HolderCache {
  readonly #entries = new Map<string, Entry>()
  /** Counts what was forgotten, so that an answer that was on its way meanwhile is not remembered. */
  #changes = 0

  get(folder: FolderId, { name, version }: FileHead): ReadonlySet<DeviceId> | undefined {
    const entry = this.#entries.get(keyOf(folder, name))
    return entry !== undefined && compareVersions(entry.version, version) === 'equal' ? entry.holders : undefined
  }

  /** Called before the question is asked; what it returns is called with the answer. */
  remember(folder: FolderId): (file: FileHead, holders: ReadonlySet<DeviceId>) => void {
    const asked = this.#changes
    return ({ name, version }, holders) => {
      if (asked !== this.#changes) return
      for (const key of this.#entries.keys()) {
        if (this.#entries.size < FILES_MAX) break
        this.#entries.delete(key)
      }
      this.#entries.set(keyOf(folder, name), { version, holders })
    }
  }

  /** Undefined: everything about the folder. */
  forget(folder: FolderId, names: readonly string[] | undefined): void {
    this.#changes++
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
