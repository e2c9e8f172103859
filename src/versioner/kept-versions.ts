import { messageOf, systemCode } from '../core/errors.ts'
import { compactTime } from '../core/formats/local-time.ts'
import { ancestorsOf, baseOf, joinPath, parentOf } from '../core/paths.ts'
import { parseVersionName, versionName } from '../core/records/version-names.ts'
import { surplusVersions, type VersionPolicy } from '../core/records/version-policy.ts'
import { Parents } from '../platform/files/parents.ts'
import { ListedVersions } from './listed-versions.ts'
import { linkOrCopy, moveNew } from './moves.ts'
import { restoreVersion } from './restore.ts'
import type { FileVersion, KeptFile, Versioner, VersionerDeps, VersionerOptions, VersionPlace } from './types.ts'
import { refused, unlessMissing, VersionsDirectory, type KeptEntry } from './versions-directory.ts'

/** Versions of one file archived in the same second use the following seconds. */
const TIMES_TRIED_MAX = 60

/**
 * Versions as files in a directory. Each is first stored under an unused name with a time tag, so it never replaces
 * another one. Then surplus versions are removed or, in a trash can, the tag is dropped.
 */
export class KeptVersions implements Versioner {
  readonly #deps: VersionerDeps
  readonly #policy: VersionPolicy
  readonly #root: string
  readonly #fsync: boolean
  readonly #versions: VersionsDirectory
  readonly #listed: ListedVersions
  readonly #parents: Parents

  constructor(deps: VersionerDeps, { folder, root, userHome }: VersionerOptions, policy: VersionPolicy) {
    this.#deps = deps
    this.#policy = policy
    this.#root = root
    this.#fsync = !folder.disableFsync
    this.#versions = new VersionsDirectory(deps.disk, {
      folderRoot: root,
      configured: folder.versioning.fsPath,
      userHome,
    })
    this.#listed = new ListedVersions({ clock: deps.clock, filesIn: (directory) => this.#versions.filesIn(directory) })
    this.#parents = new Parents({ disk: deps.disk, root, onMade: () => {} })
  }

  async keep(name: string): Promise<KeptFile> {
    const kept = await this.#store(name, linkOrCopy)
    if (kept === undefined) return { gone: true, done: async () => {}, undo: async () => {} }
    return {
      gone: false,
      done: () => this.#logFailure(kept, () => this.#applyPolicy(name, kept)),
      undo: () => this.#logFailure(kept, () => this.#versions.remove(kept)),
    }
  }

  async archive(name: string): Promise<void> {
    const kept = await this.#store(name, moveNew)
    if (kept !== undefined) await this.#logFailure(kept, () => this.#applyPolicy(name, kept))
  }

  async clean(signal: AbortSignal): Promise<void> {
    const entries = await Array.fromAsync(this.#versions.files(signal))
    for (const versions of Map.groupBy(entries, (entry) => this.#nameOf(entry)).values()) {
      signal.throwIfAborted()
      await this.#removeSurplus(versions)
    }
    await this.#versions.tidy(signal)
  }

  async versions(signal: AbortSignal): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    const entries = await Array.fromAsync(this.#versions.files(signal))
    const found = new Map<string, FileVersion[]>()
    for (const entry of entries) {
      const { path, stat } = entry
      const { name, versionMs } = parseVersionName(path) ?? { name: path, versionMs: stat.modifiedS * 1_000 }
      const version = { versionMs, modifiedMs: modifiedMs(entry), sizeBytes: stat.sizeBytes }
      const known = found.get(name)
      if (known === undefined) found.set(name, [version])
      else known.push(version)
    }
    for (const list of found.values()) list.sort((a, b) => b.versionMs - a.versionMs)
    return found
  }

  async newest(name: string): Promise<FileVersion | undefined> {
    const found: FileVersion[] = []
    for (const path of (await this.#versions.filesIn(parentOf(name)).catch(unlessMissing)) ?? []) {
      const tagged = parseVersionName(path)
      if ((tagged?.name ?? path) !== name) continue
      const stat = await this.#versions.stat(path)
      if (stat?.type !== 'file') continue
      const versionMs = tagged?.versionMs ?? stat.modifiedS * 1_000
      found.push({ versionMs, modifiedMs: modifiedMs({ path, stat }), sizeBytes: stat.sizeBytes })
    }
    return found.toSorted((a, b) => b.versionMs - a.versionMs)[0]
  }

  async restore(name: string, versionMs: number, place: VersionPlace, signal: AbortSignal): Promise<void> {
    const deps = { disk: this.#deps.disk, fsync: this.#fsync, versions: this.#versions, place }
    try {
      await restoreVersion(deps, name, versionMs)
    } catch (error) {
      signal.throwIfAborted()
      throw refused(`${this.#policy.kind} versioner: restore: ${messageOf(error)}`, error)
    }
  }

  /** Undefined when the file does not exist. Resolves with the path of the version, which is durable. */
  async #store(name: string, transfer: typeof moveNew): Promise<string | undefined> {
    const { clock, disk } = this.#deps
    await using above = await this.#parents.hold(name)
    const from = joinPath(above.path, baseOf(name))
    const stat = await disk.lstat(from).catch(unlessMissing)
    if (stat === undefined) return undefined
    if (stat.type !== 'file') throw refused('only files are kept')
    const nowMs = clock.nowMs()
    for (let tried = 0; tried < TIMES_TRIED_MAX; tried++) {
      const kept = versionName(name, compactTime(nowMs + tried * 1_000))
      if (tried === 0) await this.#tagBlockingVersion(kept)
      await this.#versions.ensureParents(kept)
      if (this.#fsync) await this.#versions.syncMade()
      try {
        await using place = await this.#versions.hold(kept)
        const to = joinPath(place.path, baseOf(kept))
        await this.#parents.inside(name, () => transfer(disk, from, to, this.#fsync))
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error
        continue
      }
      if (this.#fsync) await this.#versions.sync(kept)
      return kept
    }
    throw refused('all names for a version of this file are in use')
  }

  /** A version stored without a tag blocks a directory of the same name: it gets a tag. */
  async #tagBlockingVersion(kept: string): Promise<void> {
    await this.#versions.prepare()
    const { disk } = this.#deps
    for (const directory of ancestorsOf(kept).slice(1)) {
      const stat = await this.#versions.stat(directory)
      if (stat === undefined) return
      if (stat.type !== 'file') continue
      await using above = await this.#versions.hold(directory)
      const dated = versionName(directory, compactTime(stat.modifiedS * 1_000))
      return await disk.renameNew(joinPath(above.path, baseOf(directory)), joinPath(above.path, baseOf(dated)))
    }
  }

  /** Applies the policy after the version is durable. */
  async #applyPolicy(name: string, kept: string): Promise<void> {
    if (this.#policy.kind === 'trashcan') return await this.#removeTag(name, kept)
    const paths = await this.#listed.of(name, kept)
    const entries: KeptEntry[] = []
    for (const path of paths) {
      const stat = await this.#versions.stat(path)
      if (stat?.type === 'file') entries.push({ path, stat })
    }
    await this.#removeSurplus(entries)
  }

  /** In a trash can the newest version replaces the older one; its modification time is the time of the move. */
  async #removeTag(name: string, kept: string): Promise<void> {
    const { clock, disk } = this.#deps
    const nowMs = clock.nowMs()
    // Until the removal from the folder's directory is durable, this may be the same inode, so its time must not
    // change.
    if (this.#fsync) await disk.syncDirectory(joinPath(this.#root, parentOf(name)))
    await using above = await this.#versions.hold(kept)
    const from = joinPath(above.path, baseOf(kept))
    await disk.setModified(from, Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000_000)
    const older = await this.#versions.stat(name)
    // A directory of that name holds other versions: the name with the tag is kept.
    if (older?.type === 'directory') return
    await disk.rename(from, joinPath(above.path, baseOf(name)))
    if (this.#fsync) await this.#versions.sync(name)
  }

  async #removeSurplus(entries: readonly KeptEntry[]): Promise<void> {
    const nowMs = this.#deps.clock.nowMs()
    const known =
      this.#policy.kind === 'trashcan' ? entries : entries.filter(({ path }) => parseVersionName(path) !== undefined)
    const agesS = known.map((entry) => (nowMs - this.#keptMs(entry)) / 1_000)
    for (const place of surplusVersions(this.#policy, agesS)) {
      const path = known[place]?.path
      if (path !== undefined) await this.#versions.remove(path)
    }
  }

  #keptMs(entry: KeptEntry): number {
    const tagged = this.#policy.kind === 'trashcan' ? undefined : parseVersionName(entry.path)
    return tagged?.versionMs ?? modifiedMs(entry)
  }

  /** In a trash can every file is its only version. */
  #nameOf({ path }: KeptEntry): string {
    return this.#policy.kind === 'trashcan' ? path : (parseVersionName(path)?.name ?? path)
  }

  /** The version is durable at this point, so failures are only logged. */
  async #logFailure(kept: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#deps.log.warn(`old version ${JSON.stringify(baseOf(kept))}: ${messageOf(error)}`)
    }
  }
}

function modifiedMs({ stat }: KeptEntry): number {
  return stat.modifiedS * 1_000 + Math.floor(stat.modifiedNs / 1_000_000)
}
