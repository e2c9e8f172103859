import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { AttributeList } from '../../core/attributes/attributes.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { isMissing, messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { hasOtherMode, isCopyOf, mayHaveChanged, type CopyRules } from '../../core/move/copies.ts'
import { joinPath } from '../../core/paths.ts'
import { diskStampOf } from '../../core/records/disk-stamp.ts'
import { diskSizeOf, diskTimeOf, type FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import { copyRules, FileCopy, type FileCopyDeps } from './file-copy.ts'
import { CLAIM_NAME, ignoreMissing, isMoveTemporary } from './places.ts'
import { CLONES_PATH } from '../state/clones-directory.ts'

/** Files in progress at once: an fsync waits for the disk, and others go on meanwhile. */
const FILES_AT_ONCE = 8
/** Names whose attributes are read in one call. */
const NAMES_AT_ONCE = 500
const STAMPS_AT_ONCE = 1_000
const OWNER_ALL = 0o700

export interface TreeCopyDeps extends FileCopyDeps {
  readonly index: FolderIndex
  /** A file is complete at the new place. */
  onFile(sizeBytes: number, isCopied: boolean): void
  warn(text: string): void
}

export interface TreeCopyOptions {
  readonly folder: FolderConfig
  readonly from: string
  readonly to: string
  /** Files with a change time from then on are compared byte by byte. */
  readonly since: number | undefined
}

/** What of the folder a pass copies: the marker comes last, because a directory with it counts as complete. */
type Part = 'items' | 'marker'

/** A directory in both places, by paths that stay valid when it is renamed. */
interface Pair {
  readonly name: string
  readonly source: string
  readonly target: string
  /** The same directories by their names, for calls about themselves. */
  readonly sourceItself: Place
  readonly targetItself: string
}

interface Place {
  readonly parent: string
  readonly base: string
}

interface Item {
  readonly name: string
  readonly base: string
  readonly stat: DiskStat
}

/** Copies the tree of a folder. Symlinks are copied, never followed. */
export class TreeCopy {
  readonly #deps: TreeCopyDeps
  readonly #options: TreeCopyOptions
  readonly #rules: CopyRules
  readonly #files: FileCopy
  readonly #markerTop: string
  /** Files with other content than the index says, although size and time are the same: a scan has to hash them. */
  readonly #suspects = new Set<string>()
  #stamps = new Map<string, number>()
  #changes = 0
  #lastChanged = ''
  #deviceId: bigint | undefined

  constructor(deps: TreeCopyDeps, options: TreeCopyOptions) {
    this.#deps = deps
    this.#options = options
    this.#rules = copyRules(options.folder)
    this.#files = new FileCopy(deps, options.folder)
    this.#markerTop = options.folder.markerName.split('/')[0] ?? ''
  }

  /** The item that differed last, for people. */
  get lastChanged(): string {
    return this.#lastChanged
  }

  /** Copies what differs, and returns how many items did. With `stamps` the index gets those of the copies. */
  async pass(part: Part, stamps: boolean): Promise<number> {
    const { disk } = this.#deps
    this.#changes = 0
    await using source = await disk.holdDirectory(this.#options.from)
    await using target = await disk.holdDirectory(this.#options.to)
    const root = await disk.stat(source.path)
    this.#deviceId = root.deviceId
    const { from, to } = this.#options
    const sourceItself = { parent: dirname(from), base: basename(from) }
    const pair = { name: '', source: source.path, target: target.path, sourceItself, targetItself: to }
    await this.#directory(pair, part, stamps)
    if (part === 'marker') await this.#setDirectory(pair, root)
    await this.#storeStamps()
    return this.#changes
  }

  async #directory(pair: Pair, part: Part, stamps: boolean): Promise<void> {
    const { disk, signal } = this.#deps
    signal.throwIfAborted()
    const [names, copies] = await Promise.all([disk.list(pair.source), disk.list(pair.target)])
    const isPart = (base: string) => pair.name !== '' || (base === this.#markerTop) === (part === 'marker')
    const items = await this.#stats(
      pair,
      names.filter(({ name, valid }) => valid && !isOwn(pair.name, name) && isPart(name)).map(({ name }) => name),
    )
    const wanted = new Set(items.map(({ base }) => base))
    for (const { name, valid } of copies)
      if (valid && !wanted.has(name) && isPart(name)) await this.#surplus(pair, name)
    const before = this.#changes
    await this.#filesOf(pair, items, stamps)
    for (const item of items) if (item.stat.type === 'directory') await this.#below(pair, item, part, stamps)
    if (this.#changes > before) await disk.syncDirectory(pair.target)
  }

  async #stats(pair: Pair, names: readonly string[]): Promise<readonly Item[]> {
    const items: Item[] = []
    await forEachAtOnce(names.toSorted(), FILES_AT_ONCE, async (base) => {
      const stat = await this.#deps.disk.lstat(joinPath(pair.source, base)).catch(missingToUndefined)
      if (stat !== undefined && stat.type !== 'other') items.push({ name: joinName(pair.name, base), base, stat })
    })
    return items
  }

  async #filesOf(pair: Pair, items: readonly Item[], stamps: boolean): Promise<void> {
    const { disk } = this.#deps
    const missing: Item[] = []
    await forEachAtOnce(items, FILES_AT_ONCE, async (item) => {
      if (item.stat.type === 'directory') return
      const copy = await disk.lstat(joinPath(pair.target, item.base)).catch(missingToUndefined)
      if (copy === undefined || !(await this.#isCopied(pair, item, copy))) return void missing.push(item)
      if (stamps) await this.#stamp(item, copy)
      this.#deps.onFile(item.stat.type === 'file' ? item.stat.sizeBytes : 0, false)
    })
    if (missing.length === 0) return
    // Its own permissions come last, and may not allow this.
    const { mode } = await disk.lstat(pair.targetItself)
    if ((mode & OWNER_ALL) !== OWNER_ALL) await disk.chmod(pair.targetItself, mode | OWNER_ALL)
    for (let at = 0; at < missing.length; at += NAMES_AT_ONCE) {
      const some = missing.slice(at, at + NAMES_AT_ONCE)
      const attributes = await this.#attributes(pair, some)
      await forEachAtOnce(some, FILES_AT_ONCE, (item) => this.#copyItem(pair, item, attributes))
    }
  }

  async #isCopied(pair: Pair, { base, stat }: Item, copy: DiskStat): Promise<boolean> {
    const { disk } = this.#deps
    const [source, target] = [joinPath(pair.source, base), joinPath(pair.target, base)]
    if (!isCopyOf(copy, stat, this.#rules.windowNs)) return false
    if (stat.type === 'symlink') return (await disk.readSymlink(source)) === (await disk.readSymlink(target))
    if (!this.#rules.ignorePerms && hasOtherMode(copy, stat)) return false
    return !mayHaveChanged(stat, this.#options.since) || (await this.#files.isSame(source, target))
  }

  async #copyItem(pair: Pair, { name, base, stat }: Item, attributes: ReadonlyMap<string, AttributeList>) {
    const { disk, index } = this.#deps
    const [source, target] = [joinPath(pair.source, base), joinPath(pair.target, base)]
    this.#deps.signal.throwIfAborted()
    this.#changed(name)
    await this.#removeOtherType(target, stat)
    const own = { name, stat, attributes: attributes.get(base) }
    if (stat.type === 'symlink') {
      await disk.makeSymlink(await disk.readSymlink(source), target)
      await this.#files.setMetadata(target, own)
      return this.#deps.onFile(0, true)
    }
    const temporary = joinPath(pair.target, temporaryFor(base))
    const record = await index.records.get('local', name)
    const outcome = await this.#files.copy({ ...own, source, target, temporary, record }).catch((error: unknown) => {
      if (isMissing(error)) return 'changed' as const // deleted meanwhile: the next pass finds that
      throw named(error, name)
    })
    if (outcome === 'suspect') {
      this.#suspects.add(name)
      this.#deps.warn(`the content of ${name} is not the recorded one; the next scan reads it`)
    }
    if (outcome !== 'changed') this.#deps.onFile(stat.sizeBytes, true)
  }

  /** A file is replaced by the rename of its new copy; a symlink, and what has become something else, is not. */
  async #removeOtherType(target: string, stat: DiskStat): Promise<void> {
    const { disk } = this.#deps
    const copy = await disk.lstat(target).catch(missingToUndefined)
    if (copy === undefined || (copy.type === 'file' && stat.type === 'file')) return
    if (copy.type === 'directory') throw new TwinfoldError('refused', `there is a directory at ${target} already`)
    await disk.removeFile(target)
  }

  async #below(pair: Pair, { name, base, stat }: Item, part: Part, stamps: boolean): Promise<void> {
    const { disk } = this.#deps
    if (stat.deviceId !== this.#deviceId)
      throw new TwinfoldError('refused', `another file system is mounted inside the folder, at ${name}`)
    const [from, to] = [joinPath(pair.source, base), joinPath(pair.target, base)]
    await this.#makeDirectory(to, name)
    try {
      await using source = await disk.holdDirectory(from)
      await using target = await disk.holdDirectory(to)
      const sourceItself = { parent: pair.source, base }
      const own = { name, source: source.path, target: target.path, sourceItself, targetItself: to }
      await this.#directory(own, part, stamps)
      await this.#setDirectory(own, stat)
    } catch (error) {
      if (!isMissing(error) || (await disk.lstat(from).catch(missingToUndefined)) !== undefined)
        throw named(error, name)
      this.#changed(name) // deleted meanwhile
    }
  }

  async #makeDirectory(path: string, name: string): Promise<void> {
    const { disk } = this.#deps
    const copy = await disk.lstat(path).catch(missingToUndefined)
    if (copy?.type === 'directory') return
    if (copy !== undefined) await disk.removeFile(path)
    await disk.makeDirectory(path, OWNER_ALL)
    this.#changed(name)
  }

  /** After its items, which change its time and need permissions. */
  async #setDirectory({ name, sourceItself: { parent, base }, targetItself }: Pair, stat: DiskStat): Promise<void> {
    const { attributes, disk, signal } = this.#deps
    const copy = await disk.lstat(targetItself)
    const isSame = copy.modifiedS === stat.modifiedS && copy.modifiedNs === stat.modifiedNs
    if (isSame && !hasOtherMode(copy, stat)) return
    const read = await attributes.read(parent, [base], signal)
    const own = read.kind === 'read' ? read.found.get(base) : undefined
    await this.#files.setMetadata(targetItself, { name: name === '' ? 'the folder' : name, stat, attributes: own })
    await disk.syncDirectory(targetItself)
  }

  async #attributes(pair: Pair, items: readonly Item[]): Promise<ReadonlyMap<string, AttributeList>> {
    const names = items.filter(({ stat }) => stat.type === 'file').map(({ base }) => base)
    const read = await this.#deps.attributes.read(pair.source, names, this.#deps.signal)
    return read.kind === 'read' ? read.found : new Map()
  }

  /** A name that only the copy has: its original was deleted meanwhile. What is not known as a copy stays. */
  async #surplus(pair: Pair, base: string): Promise<void> {
    const { disk, index } = this.#deps
    const path = joinPath(pair.target, base)
    const name = joinName(pair.name, base)
    if (pair.name === '' && base === CLAIM_NAME) return
    if (isMoveTemporary(base)) return await disk.removeFile(path).catch(ignoreMissing)
    const stat = await disk.lstat(path).catch(missingToUndefined)
    const record = await index.records.head('local', name)
    if (stat === undefined || record === undefined || !isRecorded(stat, record)) return
    this.#changed(name)
    if (stat.type !== 'directory') return await disk.removeFile(path)
    for (const child of await disk.list(path))
      if (child.valid) await this.#surplus({ ...pair, name, target: path }, child.name)
    await disk.removeDirectory(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOTEMPTY') throw error
    })
  }

  /** Only where the file was unchanged since its last scan: then its copy is, too. */
  async #stamp({ name, stat }: Item, copy: DiskStat): Promise<void> {
    if (stat.type !== 'file' || this.#suspects.has(name)) return
    const record = await this.#deps.index.records.head('local', name)
    const [before, after] = [diskStampOf(stat), diskStampOf(copy)]
    if (record?.diskStamp === undefined || record.diskStamp !== before || after === undefined) return
    this.#stamps.set(name, after)
    if (this.#stamps.size >= STAMPS_AT_ONCE) await this.#storeStamps()
  }

  async #storeStamps(): Promise<void> {
    const stamps = this.#stamps
    this.#stamps = new Map()
    if (stamps.size > 0) await this.#deps.index.records.setDiskStamps(stamps)
  }

  #changed(name: string): void {
    this.#changes++
    this.#lastChanged = name
  }
}

/** Whether an item on the disk is the unchanged one of its record. */
export function isRecorded(stat: DiskStat, record: FileHead): boolean {
  if (record.deleted || record.type !== stat.type) return false
  if (stat.type !== 'file') return true
  const time = diskTimeOf(record)
  const isTime = time.modifiedS === stat.modifiedS && time.modifiedNs === stat.modifiedNs
  return isTime && diskSizeOf(record) === stat.sizeBytes
}

function temporaryFor(base: string): string {
  return `.syncthing.move-${createHash('sha256').update(base).digest('hex').slice(0, 16)}.tmp`
}

/** Of this or an interrupted move. */
function isOwn(directory: string, base: string): boolean {
  const isClones = joinName(directory, base) === CLONES_PATH // copies would need space
  return isMoveTemporary(base) || isClones || (directory === '' && base === CLAIM_NAME)
}

function joinName(directory: string, base: string): string {
  return directory === '' ? base : `${directory}/${base}`
}

function named(error: unknown, name: string): unknown {
  if (error instanceof TwinfoldError || systemCode(error) === undefined || systemCode(error) === 'ABORT_ERR')
    return error
  return new TwinfoldError('folder-error', `${name}: ${messageOf(error)}`, { cause: error })
}

function missingToUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
