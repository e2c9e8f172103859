import { messageOf, systemCode } from '../core/errors.ts'
import { compactTime } from '../core/local-time.ts'
import { ancestorsOf, baseOf, isCanonical, isInternal, isTemporary, joinPath, parentOf, temporaryName } from '../core/paths.ts'
import { parseVersionName, versionName } from '../core/version-names.ts'
import { surplusVersions, type VersionPolicy } from '../core/version-policy.ts'
import { Parents } from '../world/parents.ts'
import { ListedVersions } from './listed-versions.ts'
import { duplicate, moveNew, removeIfThere } from './moves.ts'
import type { FileVersion, KeptFile, Versioner, VersionerDeps, VersionerOptions } from './types.ts'
import { refused, VersionsDirectory, type KeptEntry } from './versions-directory.ts'

/** Versions of one file kept in the same second get the seconds after it. */
const TIMES_TRIED_MAX = 60

/**
 * Versions as files in a directory. Each gets a name with the time first, of which there is never one already, so keeping
 * one version replaces no other; then what the policy finds too many goes, or the name without a time is given.
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
    this.#versions = new VersionsDirectory(deps.disk, { folderRoot: root, configured: folder.versioning.fsPath, userHome })
    this.#listed = new ListedVersions({ clock: deps.clock, filesIn: (directory) => this.#versions.filesIn(directory) })
    this.#parents = new Parents({ disk: deps.disk, root, onMade: () => {} })
  }

  async keep(name: string): Promise<KeptFile> {
    const kept = await this.#take(name, duplicate)
    if (kept === undefined) return { gone: true, done: async () => {}, undo: async () => {} }
    return {
      gone: false,
      done: () => this.#quietly(kept, () => this.#settle(name, kept)),
      undo: () => this.#quietly(kept, () => this.#deps.disk.removeFile(this.#versions.path(kept))),
    }
  }

  async archive(name: string): Promise<void> {
    const kept = await this.#take(name, moveNew)
    if (kept !== undefined) await this.#quietly(kept, () => this.#settle(name, kept))
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

  async restore(name: string, versionMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#restore(name, versionMs)
    } catch (error) {
      signal.throwIfAborted()
      throw refused(`${this.#policy.kind} versioner: restore: ${messageOf(error)}`, error)
    }
  }

  async #restore(name: string, versionMs: number): Promise<void> {
    if (!isCanonical(name) || isInternal(name) || name.split('/').some(isTemporary)) throw refused('name is not one that a folder may hold')
    const version = await this.#find(name, Math.floor(versionMs / 1_000) * 1_000)
    if (version === undefined) throw refused('version not found')
    await this.#parents.ensure(name)
    const { disk } = this.#deps
    const path = joinPath(this.#root, name)
    const current = await disk.lstat(path).catch(unlessMissing)
    if (current?.type === 'directory') throw refused('cannot restore on top of a directory')
    if (current?.type === 'other') throw refused('cannot restore on top of something that is no file')
    if (current?.type !== 'file') {
      await this.#parents.inside(name, async () => {
        if (current !== undefined) await disk.removeFile(path)
        await moveNew(disk, this.#versions.path(version), path, this.#fsync)
      })
      return await this.#syncBoth(name, version)
    }
    const kept = await this.keep(name)
    try {
      await this.#parents.inside(name, () => this.#replace(version, name))
    } catch (error) {
      await kept.undo()
      throw error
    }
    await this.#syncBoth(name, version)
    await kept.done()
  }

  /** Whoever looks finds the file or the version, whole. */
  async #replace(version: string, name: string): Promise<void> {
    const { disk } = this.#deps
    const path = joinPath(this.#root, name)
    try {
      await disk.rename(this.#versions.path(version), path)
    } catch (error) {
      if (systemCode(error) !== 'EXDEV') throw error
      const temporary = joinPath(this.#root, temporaryName(name, 'linux'))
      await removeIfThere(disk, temporary)
      await moveNew(disk, this.#versions.path(version), temporary, this.#fsync)
      await disk.rename(temporary, path)
    }
  }

  async #syncBoth(name: string, version: string): Promise<void> {
    if (!this.#fsync) return
    const { disk } = this.#deps
    await disk.syncDirectory(joinPath(this.#root, parentOf(name)))
    await disk.syncDirectory(this.#versions.path(parentOf(version)))
  }

  /** The file that holds a version: with the time in its name, or in its own time. */
  async #find(name: string, versionMs: number): Promise<string | undefined> {
    if (!(await this.#versions.isUsable())) return undefined
    const tagged = versionName(name, compactTime(versionMs))
    for (const path of [tagged, name]) {
      const stat = await this.#versions.look(path)
      if (stat?.type !== 'file' || (path === name && stat.modifiedS * 1_000 !== versionMs)) continue
      await this.#versions.checkParents(path)
      return path
    }
    return undefined
  }

  /** Undefined when the file is not there. Resolves with where it is kept, which lasts. */
  async #take(name: string, bring: typeof moveNew): Promise<string | undefined> {
    const { clock, disk } = this.#deps
    await using above = await this.#parents.hold(name)
    const from = joinPath(above.path, baseOf(name))
    const stat = await disk.lstat(from).catch(unlessMissing)
    if (stat === undefined) return undefined
    if (stat.type !== 'file') throw refused('only files are kept')
    const nowMs = clock.nowMs()
    for (let tried = 0; tried < TIMES_TRIED_MAX; tried++) {
      const kept = versionName(name, compactTime(nowMs + tried * 1_000))
      if (tried === 0) await this.#makeWay(kept)
      await this.#versions.ensureParents(kept)
      try {
        await using place = await this.#versions.hold(kept)
        const to = joinPath(place.path, baseOf(kept))
        await this.#parents.inside(name, () => bring(disk, from, to, this.#fsync))
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error
        continue
      }
      if (this.#fsync) await this.#versions.sync(kept)
      return kept
    }
    throw refused('all names for a version of this file are taken')
  }

  /** A file that was kept under its own name is in the way where a directory has had that name since. */
  async #makeWay(kept: string): Promise<void> {
    await this.#versions.prepare()
    const { disk } = this.#deps
    for (const directory of ancestorsOf(kept).slice(1)) {
      const stat = await this.#versions.look(directory)
      if (stat === undefined) return
      if (stat.type !== 'file') continue
      await disk.renameNew(this.#versions.path(directory), this.#versions.path(versionName(directory, compactTime(stat.modifiedS * 1_000))))
      return
    }
  }

  /** What the policy wants done with a version that is safe. */
  async #settle(name: string, kept: string): Promise<void> {
    if (this.#policy.kind === 'trashcan') return await this.#givePlainName(name, kept)
    const paths = await this.#listed.of(name, kept)
    const entries: KeptEntry[] = []
    for (const path of paths) {
      const stat = await this.#versions.look(path)
      if (stat?.type === 'file') entries.push({ path, stat })
    }
    await this.#removeSurplus(entries)
  }

  /** In a trash can the newest replaces the older one, and its time says when it got there. */
  async #givePlainName(name: string, kept: string): Promise<void> {
    const { clock, disk } = this.#deps
    const nowMs = clock.nowMs()
    // Until the folder's directory has forgotten it for good, this may still be the file itself, and must look as it did.
    if (this.#fsync) await disk.syncDirectory(joinPath(this.#root, parentOf(name)))
    await disk.setModified(this.#versions.path(kept), Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000_000)
    const older = await this.#versions.look(name)
    // A directory by that name holds versions of its own: then the name with the time is good enough.
    if (older?.type === 'directory') return
    await disk.rename(this.#versions.path(kept), this.#versions.path(name))
    if (this.#fsync) await this.#versions.sync(name)
  }

  async #removeSurplus(entries: readonly KeptEntry[]): Promise<void> {
    const nowMs = this.#deps.clock.nowMs()
    const known = this.#policy.kind === 'trashcan' ? entries : entries.filter(({ path }) => parseVersionName(path) !== undefined)
    const agesS = known.map((entry) => (nowMs - this.#keptMs(entry)) / 1_000)
    for (const place of surplusVersions(this.#policy, agesS)) {
      const path = known[place]?.path
      if (path === undefined) continue
      await this.#versions.checkParents(path)
      await removeIfThere(this.#deps.disk, this.#versions.path(path))
    }
  }

  #keptMs(entry: KeptEntry): number {
    const tagged = this.#policy.kind === 'trashcan' ? undefined : parseVersionName(entry.path)
    return tagged?.versionMs ?? modifiedMs(entry)
  }

  /** In a trash can every file stands for itself. */
  #nameOf({ path }: KeptEntry): string {
    return this.#policy.kind === 'trashcan' ? path : (parseVersionName(path)?.name ?? path)
  }

  /** The version is safe, whatever happens now; trouble is for people to know. */
  async #quietly(kept: string, work: () => Promise<void>): Promise<void> {
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

function unlessMissing(error: unknown): undefined {
  const code = systemCode(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}
