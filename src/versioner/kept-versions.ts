import { dirname } from 'node:path'
import { messageOf, systemCode } from '../core/errors.ts'
import { compactTime } from '../core/formats/local-time.ts'
import { ancestorsOf, baseOf, isAtOrBelow, joinPath, parentOf } from '../core/paths.ts'
import { parseVersionName, versionName } from '../core/records/version-names.ts'
import { secondsToSurplus, surplusVersions, type VersionPolicy } from '../core/records/version-policy.ts'
import type { DiskStat, HeldDirectory } from '../platform/disk.ts'
import { Parents } from '../platform/files/parents.ts'
import { ListedVersions } from './listed-versions.ts'
import { linkOrCopy, moveNew } from './moves.ts'
import { restoreVersion } from './restore.ts'
import type {
  EmptyOptions,
  FileVersion,
  KeptFile,
  Versioner,
  VersionerDeps,
  VersionerOptions,
  VersionPlace,
  VersionsUsed,
} from './types.ts'
import { refused, unlessMissing, VersionsDirectory, type KeptEntry } from './versions-directory.ts'
import { VersionsUsage, YOUNG_MS } from './versions-usage.ts'

/** Versions of one file archived in the same second use the following seconds. */
const TIMES_TRIED_MAX = 60

/** A version that was just archived. */
interface StoredVersion {
  readonly path: string
  readonly sizeBytes: number
  /** The directory that it came from. */
  readonly source: string
}

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
  readonly #usage: VersionsUsage
  readonly #options: VersionerOptions
  /** Versions of files that are not replaced yet. */
  readonly #unfinished = new Set<string>()
  /** When a clean-up may find something; undefined when that is unknown. */
  #cleanDueMs: number | undefined

  constructor(deps: VersionerDeps, options: VersionerOptions, policy: VersionPolicy) {
    const { folder, root, userHome } = options
    this.#deps = deps
    this.#options = options
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
    this.#usage = new VersionsUsage({
      ...deps,
      versions: this.#versions,
      keptMs: (entry) => this.#keptMs(entry),
      isInUse: (path) => this.#unfinished.has(path),
      percentMax: () => options.versionsPercentMax(),
    })
  }

  async keep(name: string, signal: AbortSignal): Promise<KeptFile> {
    const stored = await this.#store(name, linkOrCopy)
    if (stored === undefined) return { gone: true, done: async () => {}, undo: async () => {} }
    const { path } = stored
    this.#unfinished.add(path)
    return {
      gone: false,
      done: () => this.#logFailure(path, () => this.#finish(name, stored, signal)),
      undo: () => this.#logFailure(path, () => this.#undo(path)),
    }
  }

  async archive(name: string, signal: AbortSignal): Promise<void> {
    const stored = await this.#store(name, moveNew)
    if (stored !== undefined) await this.#logFailure(stored.path, () => this.#finish(name, stored, signal))
  }

  async archiveCopy(name: string, from: string, signal: AbortSignal): Promise<void> {
    const { disk } = this.#deps
    const { type, sizeBytes } = await disk.lstat(from)
    if (type !== 'file') throw refused('only files are kept')
    const path = await this.#storeAs(name, (to) => moveNew(disk, from, to, this.#fsync))
    const stored = { path, sizeBytes, source: dirname(from) }
    await this.#logFailure(path, () => this.#finish(name, stored, signal))
  }

  async #undo(kept: string): Promise<void> {
    this.#unfinished.delete(kept)
    await this.#versions.remove(kept)
  }

  /** Applies the policy and the limit after the version is durable. */
  async #finish(name: string, stored: StoredVersion, signal: AbortSignal): Promise<void> {
    const { path: kept, sizeBytes } = stored
    this.#cleanDueMs = undefined
    this.#usage.added(sizeBytes)
    await this.#applyPolicy(name, stored).finally(() => this.#unfinished.delete(kept))
    if (!this.#options.isFrozen()) await this.#usage.limit(signal, sizeBytes)
  }

  /** In a trash can with a limit of its size every replaced version is kept, not the newest one only. */
  get #applied(): VersionPolicy {
    const isDeep = this.#policy.kind === 'trashcan' && this.#options.versionsPercentMax() > 0
    return isDeep ? { kind: 'deep-trashcan', ageSMax: this.#policy.ageSMax } : this.#policy
  }

  get isCleanDue(): boolean {
    if (this.#options.isFrozen()) return false
    return this.#cleanDueMs === undefined || this.#deps.clock.nowMs() >= this.#cleanDueMs
  }

  async clean(signal: AbortSignal): Promise<void> {
    if (this.#options.isFrozen()) return
    const entries = await Array.fromAsync(this.#versions.files(signal))
    await this.#usage.count(entries)
    const nowMs = this.#deps.clock.nowMs()
    let leastS = Number.POSITIVE_INFINITY
    for (const versions of Map.groupBy(entries, (entry) => this.#nameOf(entry)).values()) {
      signal.throwIfAborted()
      const removed = await this.#removeSurplus(versions)
      const stay = versions.filter((entry) => !removed.has(entry))
      const agesS = stay.map((entry) => (nowMs - this.#keptMs(entry)) / 1_000)
      leastS = Math.min(leastS, secondsToSurplus(this.#applied, agesS))
    }
    const isOverLimit = await this.#usage.limit(signal)
    await this.#versions.tidy(signal)
    this.#cleanDueMs = nowMs + Math.min(leastS * 1_000, isOverLimit ? YOUNG_MS : Number.POSITIVE_INFINITY)
  }

  async used(signal: AbortSignal): Promise<VersionsUsed> {
    return await this.#usage.used(signal)
  }

  async empty({ paths, beforeMs }: EmptyOptions, signal: AbortSignal): Promise<{ files: number; sizeBytes: number }> {
    const removed = { files: 0, sizeBytes: 0 }
    for (const entry of await Array.fromAsync(this.#versions.files(signal))) {
      signal.throwIfAborted()
      const name = parseVersionName(entry.path)?.name ?? entry.path
      const isWanted =
        paths.length === 0 || paths.some((path) => isAtOrBelow(name, path) || isAtOrBelow(entry.path, path))
      if (!isWanted || this.#unfinished.has(entry.path)) continue
      if (beforeMs !== undefined && this.#keptMs(entry) >= beforeMs) continue
      await this.#versions.remove(entry.path)
      this.#usage.removed(entry.stat.sizeBytes)
      removed.files++
      removed.sizeBytes += entry.stat.sizeBytes
    }
    await this.#versions.tidy(signal)
    return removed
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
      this.#cleanDueMs = undefined
      this.#usage.removed(await restoreVersion(deps, name, versionMs))
    } catch (error) {
      signal.throwIfAborted()
      throw refused(`${this.#policy.kind} versioner: restore: ${messageOf(error)}`, error)
    }
  }

  /** Undefined when the file does not exist. Resolves with the version, which is durable. */
  async #store(name: string, transfer: typeof moveNew): Promise<StoredVersion | undefined> {
    const { disk } = this.#deps
    await using above = await this.#parents.hold(name)
    const from = joinPath(above.path, baseOf(name))
    const stat = await disk.lstat(from).catch(unlessMissing)
    if (stat === undefined) return undefined
    if (stat.type !== 'file') throw refused('only files are kept')
    const path = await this.#storeAs(name, (to) =>
      this.#parents.inside(name, () => transfer(disk, from, to, this.#fsync)),
    )
    return { path, sizeBytes: stat.sizeBytes, source: joinPath(this.#root, parentOf(name)) }
  }

  /** Resolves with the path of the version, which is durable. */
  async #storeAs(name: string, transfer: (to: string) => Promise<void>): Promise<string> {
    const nowMs = this.#deps.clock.nowMs()
    for (let tried = 0; tried < TIMES_TRIED_MAX; tried++) {
      const kept = versionName(name, compactTime(nowMs + tried * 1_000))
      if (tried === 0) await this.#tagBlockingVersion(kept)
      await this.#versions.ensureParents(kept)
      if (this.#fsync) await this.#versions.syncMade()
      try {
        await using place = await this.#versions.hold(kept)
        await transfer(joinPath(place.path, baseOf(kept)))
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

  async #applyPolicy(name: string, stored: StoredVersion): Promise<void> {
    if (this.#policy.kind === 'trashcan') return await this.#removeTag(name, stored)
    const paths = await this.#listed.of(name, stored.path)
    const entries: KeptEntry[] = []
    for (const path of paths) {
      const stat = await this.#versions.stat(path)
      if (stat?.type === 'file') entries.push({ path, stat })
    }
    await this.#removeSurplus(entries)
  }

  /**
   * In a trash can the newest version has the name of the file, and its modification time is the time of the move. The
   * older one is replaced, or gets a tag with its time.
   */
  async #removeTag(name: string, { path: kept, source }: StoredVersion): Promise<void> {
    const { clock, disk } = this.#deps
    const nowMs = clock.nowMs()
    // Until the removal from the folder's directory is durable, this may be the same inode, so its time must not
    // change.
    if (this.#fsync) await disk.syncDirectory(source)
    await using above = await this.#versions.hold(kept)
    const from = joinPath(above.path, baseOf(kept))
    await disk.setModified(from, Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000_000)
    const older = await this.#versions.stat(name)
    // A directory of that name holds other versions: the name with the tag is kept.
    if (older?.type === 'directory') return
    const isDeep = this.#applied.kind === 'deep-trashcan' || this.#options.isFrozen()
    if (older?.type === 'file' && isDeep && !(await this.#addTag(name, above, older))) return
    await disk.rename(from, joinPath(above.path, baseOf(name)))
    if (older?.type === 'file' && !isDeep) this.#usage.removed(older.sizeBytes)
    if (this.#fsync) await this.#versions.sync(name)
  }

  /**
   * The tag is its time, by which it is found; of two archived in the same second the older gets the one before. False
   * where all names are in use.
   */
  async #addTag(name: string, above: HeldDirectory, { modifiedS, modifiedNs }: DiskStat): Promise<boolean> {
    const { disk } = this.#deps
    const from = joinPath(above.path, baseOf(name))
    for (let back = 0; back < TIMES_TRIED_MAX; back++) {
      const dated = versionName(name, compactTime((modifiedS - back) * 1_000))
      if ((await this.#versions.stat(dated)) !== undefined) continue
      if (back > 0) await disk.setModified(from, modifiedS - back, modifiedNs)
      await disk.renameNew(from, joinPath(above.path, baseOf(dated)))
      return true
    }
    return false
  }

  async #removeSurplus(entries: readonly KeptEntry[]): Promise<ReadonlySet<KeptEntry>> {
    const removed = new Set<KeptEntry>()
    if (this.#options.isFrozen()) return removed
    const nowMs = this.#deps.clock.nowMs()
    const known =
      this.#policy.kind === 'trashcan' ? entries : entries.filter(({ path }) => parseVersionName(path) !== undefined)
    const agesS = known.map((entry) => (nowMs - this.#keptMs(entry)) / 1_000)
    for (const place of surplusVersions(this.#applied, agesS)) {
      const entry = known[place]
      if (entry === undefined || this.#unfinished.has(entry.path)) continue
      await this.#versions.remove(entry.path)
      this.#usage.removed(entry.stat.sizeBytes)
      removed.add(entry)
    }
    return removed
  }

  /**
   * When a version was archived. In a trash can that is its modification time; a version that still has its tag, after
   * a kill or where the time could not be set, has the time of its content, which another device chose.
   */
  #keptMs(entry: KeptEntry): number {
    const tagMs = parseVersionName(entry.path)?.versionMs
    if (this.#policy.kind !== 'trashcan') return tagMs ?? modifiedMs(entry)
    const isUsed = tagMs !== undefined && tagMs <= this.#deps.clock.nowMs()
    return isUsed ? Math.max(tagMs, modifiedMs(entry)) : modifiedMs(entry)
  }

  /**
   * In a trash can every file is its only version. Where older ones are kept, too, their tag is their modification
   * time: a file of the user that has such a name is no version of another one.
   */
  #nameOf({ path, stat }: KeptEntry): string {
    const { kind } = this.#applied
    const tagged = kind === 'trashcan' ? undefined : parseVersionName(path)
    const isVersion = kind !== 'deep-trashcan' || tagged?.versionMs === stat.modifiedS * 1_000
    return isVersion ? (tagged?.name ?? path) : path
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
