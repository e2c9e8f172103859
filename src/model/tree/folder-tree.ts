import { detailOf, isMissing } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { shortIdOf } from '../../core/device-id.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { baseOf, joinPath } from '../../core/paths.ts'
import type { DiskItem } from '../../core/records/change.ts'
import { diskStampOf } from '../../core/records/disk-stamp.ts'
import { FLAG_RECEIVE_ONLY, type DiskState, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import { itemReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { FoundVersion, VersionPlace } from '../../versioner/types.ts'
import { FOLDER_POLICIES, permissionRule } from '../state/folder-policy.ts'
import { Asides } from './asides.ts'
import type { FolderAttributes } from './attributes.ts'
import type { Content, FileContent } from './content.ts'
import { ConflictCopies } from './conflict-copies.ts'
import { Directories } from './directories.ts'
import type { DirectoryContentsDeps } from './directory-contents.ts'
import { Displacement } from './displacement.ts'
import { ItemCheck, modified } from './item-check.ts'
import { MemoryFiles, type NewFile } from './memory-files.ts'
import { Metadata } from './metadata.ts'
import { Owners } from './owners.ts'
import { Replacement, type Archive } from './replacement.ts'
import { TemporaryFiles } from './temporary-files.ts'
import { TreeDisk, type Blocker } from './tree-disk.ts'

export type { Blocker }

export interface FolderTreeDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk' | 'fileMaker'> & {
    readonly system: Pick<Platform['system'], 'platform'>
  }
  readonly index: Pick<Records, 'get'>
  readonly ignore: IgnoreRules
  /** Undefined where the folder keeps no versions. */
  readonly archive: Archive | undefined
  /** Files that other devices have deleted and that stay here. */
  readonly kept?: DirectoryContentsDeps['kept']
  /** Undefined where attributes are not synchronized. */
  readonly attributes?: Pick<FolderAttributes, 'areSame' | 'setAt' | 'setNew' | 'isWanted'> | undefined
  /** Schedules a scan after the pull, for items on disk that are not in the index. */
  scanLater(name: string): void
  /** A local file was renamed to a conflict copy. */
  readonly onConflict?: (() => void) | undefined
}

export interface FolderTreeOptions {
  readonly folder: FolderConfig
  /** Absolute, as configured. */
  readonly root: string
  readonly ownDevice: DeviceId
}

/** What an item becomes. */
export interface NextItem {
  readonly global: FileInfo
  /** Our record of what it replaces, which the disk must match. */
  readonly local: FileHead | undefined
  /** Our file is kept as a conflict copy, as decided by `planStep`. */
  readonly saveOurs: boolean
}

/**
 * The items of a folder on the disk: the only writer of names below its root. Nothing is replaced or removed that does
 * not match our record, and a change of a user at any moment is kept. The caller must hold the folder's lock to change
 * items, and store records of them only when they are durable.
 */
export class FolderTree implements VersionPlace {
  readonly temporaries: TemporaryFiles
  readonly displacement: Displacement
  /** Permissions are neither compared nor set. */
  readonly ignoresPermissions: boolean
  readonly announcesPermissions: boolean
  readonly keepsVersions: boolean
  readonly #deps: FolderTreeDeps
  readonly #folder: FolderConfig
  readonly #tree: TreeDisk
  readonly #check: ItemCheck
  readonly #conflicts: ConflictCopies
  readonly #asides: Asides
  readonly #directories: Directories
  readonly #metadata: Metadata
  readonly #replacement: Replacement
  readonly #memory: MemoryFiles

  constructor(deps: FolderTreeDeps, { folder, root, ownDevice }: FolderTreeOptions) {
    const { archive, attributes, ignore, index, kept, onConflict } = deps
    const { clock, disk, random, system } = deps.platform
    const { platform } = system
    const { caseSensitiveFS, maxConflicts } = folder
    const policy = FOLDER_POLICIES[folder.type]
    const permissions = permissionRule(folder, platform)
    const isEncrypted = folder.type === 'receiveencrypted'
    const fsync = !folder.disableFsync
    const compare = {
      ownFlags: policy.localChangesStayHere ? FLAG_RECEIVE_ONLY : 0,
      ignorePerms: permissions !== 'applied',
      modTimeWindowMs: folder.modTimeWindowS * 1_000,
    }
    this.#deps = deps
    this.#folder = folder
    this.ignoresPermissions = compare.ignorePerms
    this.announcesPermissions = permissions !== 'ignored'
    this.keepsVersions = archive !== undefined
    const scanLater = (name: string) => deps.scanLater(name)
    // Directories of an encrypted folder are no items.
    const onMade = isEncrypted ? () => {} : scanLater
    const tree = new TreeDisk({ disk, root, platform, fsync, scanLater, onMade })
    const check = new ItemCheck(tree, { compare, caseSensitiveFS })
    const conflicts = new ConflictCopies(tree, { clock, ownShortId: shortIdOf(ownDevice), maxConflicts, onConflict })
    const asides = new Asides(tree, check, conflicts, random)
    const directories = new Directories({ tree, check, ignore, index, kept }, conflicts)
    const owners = new Owners(tree, folder)
    this.#tree = tree
    this.#check = check
    this.#conflicts = conflicts
    this.#asides = asides
    this.#directories = directories
    this.#metadata = new Metadata(tree, { compare, fsync, owners, attributes })
    this.#replacement = new Replacement({ tree, asides, conflicts, directories, archive })
    this.displacement = new Displacement({ tree, check, conflicts, archive })
    this.temporaries = new TemporaryFiles(tree, this.#metadata)
    const { temporaries, keepsVersions } = this
    const parts = { tree, check, asides, temporaries, metadata: this.#metadata, fileMaker: deps.platform.fileMaker }
    this.#memory = new MemoryFiles(parts, { keepsVersions, fsync })
  }

  /** Why our system cannot have an item of this name, and what to do. */
  nameProblem(name: string): string | undefined {
    return this.#tree.nameProblem(name)
  }

  /** Why a change of an item failed, and what to do. */
  reasonOf(error: unknown): string {
    return itemReason(error, this.#tree.platform)
  }

  /** Whether the item is as its record says, and was not touched since. */
  async matches(name: string, local: FileHead): Promise<boolean> {
    return this.#check.isUntouched(await this.#tree.stat(name), local)
  }

  /** Rejects, and schedules a scan, unless the item matches our record. */
  async check(name: string, local: FileHead | undefined): Promise<DiskItem | undefined> {
    await this.#tree.parents.check(name)
    return await this.#check.require(name, local)
  }

  /** Whether an item is there. Rejects, and schedules a scan, unless it matches our record. */
  async isThere(local: FileHead): Promise<boolean> {
    if ((await this.#tree.statReachable(local.name)) === undefined) return false
    await this.#check.require(local.name, local)
    return true
  }

  async openToRead(name: string): Promise<DiskFile> {
    return await this.#tree.disk.open(this.#tree.path(name), 'read')
  }

  hasSameAttributes(a: FileHead, b: FileHead): boolean {
    return this.#metadata.areSameAttributes(a, b)
  }

  /** The item on our disk in place of a directory above `name`. */
  async findBlocker(name: string): Promise<Blocker | undefined> {
    return await this.#tree.findBlocker(name)
  }

  /** Creates the missing directories above `name`. */
  async ensureParents(name: string): Promise<void> {
    await this.#tree.parents.ensure(name)
  }

  /** The same where they are no items, and most of them are missing. One of another type is reported later. */
  async makeParents(name: string): Promise<void> {
    await this.#tree.parents.ensureMade(name)
  }

  /** Rejects where a transfer would be in vain: a directory that cannot be replaced. */
  async checkReplaceable(name: string, local: FileHead | undefined): Promise<void> {
    if (local?.type !== 'directory' || local.deleted) return
    await this.#check.require(name, local)
    await this.#directories.checkReplaceable(name)
  }

  /** Makes a place for the temporary file. Rejects where a transfer would be in vain. */
  async prepare(name: string, local: FileHead | undefined): Promise<void> {
    await this.#tree.parents.ensure(name)
    await this.#check.refuseObstacle(name, local)
  }

  /** Whether `put` takes the content of this file from memory. */
  takesMemory(global: FileHead): boolean {
    return this.#metadata.isPlain(global)
  }

  /**
   * Puts content under the name of its file, replacing the item there atomically. Resolves with the state on disk;
   * undefined, with nothing changed, for content in memory that needs a temporary file.
   */
  async put(content: Content, next: NextItem): Promise<DiskState | undefined> {
    const state = content.kind === 'memory' ? await this.#memory.put(content, next) : await this.#putFile(content, next)
    if (state !== undefined) this.#tree.changed(next.global.name)
    return state
  }

  /** Mode and time are set before the rename, so the new file appears with its final metadata. */
  async #putFile(content: FileContent, { global, local, saveOurs }: NextItem): Promise<DiskState> {
    const { name } = global
    await this.#tree.parents.checkOpen(this.#tree.temporaryOf(name), content.file)
    const sealed = await this.#metadata.seal(content, global)
    const item = await this.#check.require(name, local).catch((error: unknown) => {
      throw detailOf(error) === 'modified' ? modified('checking existing file', error) : error
    })
    await this.#replacement.put(this.#tree.temporaryOf(name), { name, item, next: global, saveOurs })
    return { ...(await this.#stateInPlace(name, sealed)), trailerBytes: content.trailerBytes }
  }

  /** The rename changed the stamp. A file that was edited since keeps the sealed state: a scan finds the edit. */
  async #stateInPlace(name: string, sealed: DiskStat): Promise<DiskState> {
    const { modifiedS, modifiedNs, sizeBytes } = sealed
    const now = await this.#tree.stat(name).catch(() => undefined) // replaced already
    if (now === undefined || now === 'other' || now.inode !== sealed.inode) return { modifiedS, modifiedNs }
    const isSame = now.modifiedS === modifiedS && now.modifiedNs === modifiedNs && now.sizeBytes === sizeBytes
    return { modifiedS, modifiedNs, ...(isSame && { diskStamp: diskStampOf(now) }) }
  }

  /**
   * Puts the contents of new files under their names, each in one step. Returns the state of each on disk; undefined,
   * with nothing changed, for those that must be put one by one.
   */
  async putNew(files: readonly NewFile[]): Promise<readonly (DiskState | undefined)[]> {
    const states = await this.#memory.putNew(files)
    states.forEach((state, at) => state && this.#tree.changed(files[at]!.global.name))
    return states
  }

  /** The content is identical: sets mode and time, or the trailer that has them. Resolves with the state on disk. */
  async setMetadata(global: FileInfo, local: FileHead, trailer: Uint8Array | undefined): Promise<DiskState> {
    const { name } = global
    await this.#tree.parents.check(name)
    if ((await this.#check.require(name, local)) === undefined) throw itemFailed('file does not exist any more')
    const set = () =>
      trailer === undefined ? this.#metadata.set(global, local) : this.#metadata.setTrailer(global, trailer)
    const state = await set()
    this.#tree.changed(name)
    return state
  }

  /** Creates a directory, or sets the mode of an existing one. */
  async makeDirectory({ global, local, saveOurs }: NextItem): Promise<void> {
    const { name } = global
    const { parents } = this.#tree
    // Only after a failure: the directory above exists, because parents are made first.
    const item = await this.#tree.stat(name).catch(async (error: unknown) => {
      await parents.ensure(name) // which has the better error
      throw error
    })
    const isNew = item === undefined || item === 'other' || item.type !== 'directory'
    if (isNew && item !== undefined) {
      await this.#check.require(name, local)
      await this.#keepAndRemove(name, local, saveOurs ? global : undefined)
    }
    if (isNew) await this.#makeNew(name, this.#metadata.firstPermissionsOf(global))
    await this.#metadata.setDirectory(global, local, isNew)
    this.#tree.changed(name)
  }

  async #makeNew(name: string, permissions: number): Promise<void> {
    const { disk, parents } = this.#tree
    const path = this.#tree.path(name)
    const make = () => parents.inside(name, () => disk.makeDirectory(path, permissions))
    await make().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error
      await parents.ensure(name)
      await make()
    })
  }

  /**
   * The new symlink is created under a temporary name and replaces the old item atomically. False, with nothing
   * changed, where the platform has none.
   */
  async makeSymlink({ global, local, saveOurs }: NextItem): Promise<boolean> {
    const { name, symlinkTarget } = global
    if (this.#tree.platform === 'win32' || this.#tree.platform === 'android') return false
    if (symlinkTarget === '') throw itemFailed('symlink has no target')
    await this.#tree.parents.ensure(name)
    const item = await this.#check.require(name, local)
    const isSame = item?.type === 'symlink' && item.symlinkTarget === symlinkTarget
    if (isSame) {
      await this.#metadata.setOwner(name, global)
      return true
    }
    const temporary = this.#tree.temporaryOf(name)
    await this.#tree.removeIfThere(temporary)
    const path = this.#tree.path(temporary)
    await this.#tree.parents.inside(name, () => this.#tree.disk.makeSymlink(symlinkTarget, path))
    await this.#metadata.setOwner(temporary, global)
    await this.#replacement.put(temporary, { name, item, next: global, saveOurs }).catch(async (error: unknown) => {
      await this.#tree.removeIfThere(temporary).catch(() => {}) // the first error is reported
      throw error
    })
    this.#tree.changed(name)
    return true
  }

  /**
   * Removes a file or symlink that matches our record. A file becomes an old version, or a conflict copy if `winner` is
   * given.
   */
  async remove(name: string, local: FileHead, winner?: FileHead): Promise<void> {
    if ((await this.#tree.statReachable(name)) === undefined) return
    await this.#check.require(name, local)
    await this.#keepAndRemove(name, local, winner)
    if (this.#folder.type === 'receiveencrypted') await this.#directories.removeEmptyParents(name)
    this.#tree.changed(name)
  }

  /** Removes a file or symlink that matches our record and that other devices have: no old version is kept. */
  async discard(name: string, local: FileHead): Promise<void> {
    if ((await this.#tree.statReachable(name)) === undefined) return
    await this.#check.require(name, local)
    await this.#asides.remove(name, local)
    this.#tree.changed(name)
  }

  async #keepAndRemove(name: string, local: FileHead | undefined, winner: FileHead | undefined): Promise<void> {
    if (winner !== undefined) await this.#conflicts.save(name, winner)
    else if (local?.type === 'file') await this.#deps.archive?.move(name)
    await this.#asides.remove(name, local)
  }

  /** Removes a directory, unless it contains items that must be kept. False where something is left of that name. */
  async removeDirectory(name: string): Promise<boolean> {
    const item = await this.#tree.statReachable(name)
    if (item === undefined) return true
    // Another item of that name is not the deleted one: the next scan announces it.
    const isOther = item === 'other' || item.type !== 'directory'
    if (isOther) this.#tree.scanLater(name)
    const isGone = !isOther && (await this.#directories.clear(name))
    if (isGone && this.#folder.type === 'receiveencrypted') await this.#directories.removeEmptyParents(name)
    this.#tree.changed(name)
    return isGone
  }

  /**
   * Renames a file to that of another record with the same content. Both names must match the index. Resolves with the
   * state on disk. Only without old versions: otherwise the old name is archived and the file fetched.
   */
  async move(from: FileHead, { global, local, saveOurs }: NextItem): Promise<DiskState> {
    const { name } = global
    await this.#tree.parents.check(from.name)
    await this.#check.require(from.name, from)
    await this.#tree.parents.ensure(name)
    const item = await this.#check.require(name, local)
    if (item?.type === 'directory') throw itemFailed('a directory is not replaced by a rename')
    // Aside first: a replaced item must not get the old name for an instant, and an edit of the file is detected.
    const aside = await this.#asides.move(from.name, from)
    if (aside === undefined) throw modified()
    await this.#replacement.put(aside, { name, item, next: global, saveOurs }).catch(async (error: unknown) => {
      await this.#asides.putBack(aside, from.name)
      throw error
    })
    const state = await this.#metadata.set(global, from)
    this.#tree.changed(from.name)
    this.#tree.changed(name)
    return state
  }

  /** Puts a conflict copy in the place of its original, `replaced`, which becomes an old version. */
  async putCopy(copy: FileHead, original: string, replaced: DiskItem | undefined): Promise<void> {
    await this.#replacement.put(copy.name, { name: original, item: replaced, next: copy, saveOurs: false })
    this.#tree.changed(original)
  }

  /** Puts an old version in the place of its file, which becomes an old version itself. */
  async restore(name: string, version: FoundVersion): Promise<void> {
    const { parents } = this.#tree
    await parents.ensure(name)
    await this.takeChanged()?.() // a power loss would discard the version with new directories
    await using place = await parents.hold(name)
    const item = await this.#tree.stat(name)
    if (item === 'other') throw itemFailed('cannot restore on top of something that is not a file')
    if (item?.type === 'directory') throw itemFailed('cannot restore on top of a directory')
    const kept = item?.type === 'file' ? await this.#deps.archive?.keep(name) : undefined
    try {
      if (item?.type === 'symlink') await this.#tree.removeFile(name)
      const path = joinPath(place.path, baseOf(name))
      await parents.inside(name, () => version.moveTo(path, item?.type === 'file'))
    } catch (error) {
      await kept?.undo()
      throw error
    }
    this.#tree.changed(name)
    await this.takeChanged()?.()
    await version.onDurable()
    await kept?.done() // surplus versions are removed only after the restored file is durable
  }

  /** The same for the file as its record describes it, with its mode and time. */
  async restoreAs(record: FileHead, version: FoundVersion): Promise<void> {
    await this.restore(record.name, version)
    await this.#metadata.setRestored(record)
  }

  /**
   * Renames an item to an unused conflict name. Resolves with the name, or with undefined where the item was removed
   * meanwhile. `timeMs` is the time in the name; default: now.
   */
  async toConflictCopy(local: FileHead, timeMs?: number): Promise<string | undefined> {
    return await this.#conflicts.rename(local.name, local, timeMs)
  }

  /** Makes the changes since the last call durable, before their records are stored; undefined where there are none. */
  takeChanged(): (() => Promise<void>) | undefined {
    return this.#tree.takeChanged()
  }
}
