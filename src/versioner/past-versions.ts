import { baseOf, joinPath, parentOf } from '../core/paths.ts'
import { versionKey, versionKeyOf } from '../core/records/version-names.ts'
import type { Disk } from '../platform/disk.ts'
import type { VersionerOptions } from './types.ts'
import { unlessMissing, VersionsDirectory } from './versions-directory.ts'

/** A stored version of a file. */
export interface PastVersion {
  /** Absolute. */
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** Copies it to a new file. The caller verifies the content. */
  copyTo(path: string, permissions: number): Promise<void>
}

/** Finds stored versions by the name of their file, of whatever policy. Only reads. */
export class PastVersions {
  readonly #disk: Disk
  readonly #versions: VersionsDirectory
  /** One listing serves all files of a directory. */
  #listed: { readonly directory: string; readonly paths: ReadonlyMap<string, readonly string[]> } | undefined

  constructor(disk: Disk, { folder, root, userHome }: Pick<VersionerOptions, 'folder' | 'root' | 'userHome'>) {
    this.#disk = disk
    const configured = folder.versioning.fsPath
    this.#versions = new VersionsDirectory(disk, { folderRoot: root, configured, userHome })
  }

  /** Forgets the listing: versions may have been stored since. */
  refresh(): void {
    this.#listed = undefined
  }

  /** Those of one size. */
  async find(name: string, sizeBytes: number): Promise<readonly PastVersion[]> {
    const found: PastVersion[] = []
    for (const path of await this.#pathsOf(name)) {
      const stat = await this.#versions.stat(path)
      if (stat?.type !== 'file' || stat.sizeBytes !== sizeBytes) continue
      const { modifiedS, modifiedNs } = stat
      const copyTo = (to: string, permissions: number) => this.#copy(path, to, permissions)
      found.push({ path: this.#versions.path(path), sizeBytes, modifiedS, modifiedNs, copyTo })
    }
    return found
  }

  async #copy(path: string, to: string, permissions: number): Promise<void> {
    await using above = await this.#versions.hold(path)
    await this.#disk.copyNew(joinPath(above.path, baseOf(path)), to, permissions)
  }

  /** The one without a time, as in a trash can, and those with one. */
  async #pathsOf(name: string): Promise<readonly string[]> {
    const directory = parentOf(name)
    if (this.#listed?.directory !== directory) this.#listed = { directory, paths: await this.#list(directory) }
    const { paths } = this.#listed
    return [...(paths.get(name) ?? []), ...(paths.get(versionKeyOf(name)) ?? [])]
  }

  async #list(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const paths = new Map<string, string[]>()
    if (!(await this.#versions.isUsable())) return paths
    const isReachable = await this.#versions.checkParents(directory === '' ? 'x' : `${directory}/x`).then(
      () => true,
      () => false, // no version was ever stored there
    )
    if (!isReachable) return paths
    for (const path of (await this.#versions.filesIn(directory).catch(unlessMissing)) ?? []) {
      add(paths, path, path)
      const key = versionKey(path)
      if (key !== undefined) add(paths, key, path)
    }
    return paths
  }
}

function add(paths: Map<string, string[]>, key: string, path: string): void {
  const known = paths.get(key)
  if (known === undefined) paths.set(key, [path])
  else known.push(path)
}
