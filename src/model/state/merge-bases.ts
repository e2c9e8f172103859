import { messageOf } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { contentHash } from '../../core/records/block-range.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'
import type { Bases, NewBase } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'

/**
 * The bases of a folder's merges. No method rejects: without a base a conflict is an ordinary one, and nothing else of
 * the folder depends on them.
 */
export class MergeBases {
  readonly #bases: Bases
  readonly #folder: FolderId
  readonly #log: Logger

  constructor(bases: Bases, folder: FolderId, log: Logger) {
    this.#bases = bases
    this.#folder = folder
    this.#log = log
  }

  /** The content of the newest stored version that all of these follow. */
  async find(name: string, versions: readonly VersionVector[]): Promise<Uint8Array | undefined> {
    return await this.#attempt(name, async () => {
      const stored = await this.#bases.of(this.#folder, name)
      const base = stored.find(({ version }) => versions.every((each) => isSameOrOlder(version, each)))
      return base && (await this.#bases.content(base.content))
    })
  }

  /** Whether this version of a name is stored. */
  async has({ name, version }: FileHead): Promise<boolean> {
    const stored = await this.#attempt(name, () => this.#bases.of(this.#folder, name))
    return stored?.some((each) => compareVersions(each.version, version) === 'equal') ?? false
  }

  async put(bases: readonly NewBase[]): Promise<void> {
    await this.#attempt(bases[0]?.name ?? '', () => this.#bases.put(this.#folder, bases))
  }

  /** Removes all of the folder. */
  async drop(): Promise<void> {
    await this.#attempt('', () => this.#bases.dropFolder(this.#folder))
  }

  /**
   * Remembers the base of two concurrent versions. One of them becomes a conflict copy, here or elsewhere, whose record
   * does not have its version: it is found by its content.
   */
  async noteConflict(local: FileHead, remote: FileHead): Promise<void> {
    const { name } = local
    const content = await this.find(name, [local.version, remote.version])
    if (content === undefined) return
    await this.put([local, remote].map((side) => ({ name: loserKey(name, side), version: [], content })))
  }

  /** The base of a conflict copy, and of the file of which it is one. */
  async ofCopy(original: string, copy: FileHead): Promise<Uint8Array | undefined> {
    return await this.find(loserKey(original, copy), [])
  }

  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#log.debug(() => `folder ${this.#folder}: no base of ${JSON.stringify(name)}: ${messageOf(error)}`)
      return undefined
    }
  }
}

function isSameOrOlder(version: VersionVector, than: VersionVector): boolean {
  const order = compareVersions(version, than)
  return order === 'equal' || order === 'older'
}

/** No item has such a name. */
function loserKey(name: string, side: FileHead): string {
  return `${name}\0${contentHash(side)}`
}
