import { createHash } from 'node:crypto'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { baseOf, joinPath } from '../../core/paths.ts'
import { diskSizeOf, diskTimeOf, type FileHead } from '../../core/records/file-info.ts'
import { isContentLost } from '../../core/records/local-loss.ts'
import { versionPolicy } from '../../core/records/version-policy.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { Parents } from '../../platform/files/parents.ts'
import type { Versioner } from '../../versioner/types.ts'
import { CLONES_PATH, removeClones } from '../state/clones-directory.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import { DEFAULT_MARKER_NAME } from '../../core/folder-stop.ts'

const PRIVATE_DIRECTORY = 0o700
const OWNER_FILE = 0o600
const PROGRESS_NAME = 'progress'
const PROGRESS_BYTES_MAX = 200
/** Without native calls a time is set with this error at most. */
const TIME_ERROR_NS = 1_000
/** Renames that one scan recognizes; the old names of further ones are archived. */
const NEW_CONTENTS_MAX = 100_000
/** The pass ends with these, and the next one continues. All others concern one file. */
const DISK_FAILURES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'])

export interface LocalClonesDeps {
  readonly disk: Disk
  readonly log: Logger
  index(): Promise<FolderIndex>
  versioner(): Promise<Versioner | undefined>
  isEnabled(): boolean
}

/** Which of our records have a clone: all up to a sequence number of an index. */
interface Progress {
  readonly index: string
  readonly sequence: number
}

/**
 * Keeps a clone of every file of a folder, which shares its blocks, in a directory below the marker. When a scan finds
 * a file changed or gone, its clone becomes an old version.
 */
export class LocalClones {
  readonly #deps: LocalClonesDeps
  readonly #folder: FolderConfig
  readonly #root: string
  readonly #directory: string
  readonly #parents: Parents
  readonly #shards = new Set<string>()
  /** Hashes of the contents that the running scan found under new names. */
  #newContents = new Set<string>()
  #progress: Progress | undefined
  #isRemoved = false
  #last: Promise<void> = Promise.resolve()

  constructor(deps: LocalClonesDeps, { folder, root }: { readonly folder: FolderConfig; readonly root: string }) {
    this.#deps = deps
    this.#folder = folder
    this.#root = root
    this.#directory = joinPath(root, CLONES_PATH)
    this.#parents = new Parents({ disk: deps.disk, root, onMade: () => {} })
  }

  /** Rejects with `bad-request`, the reason and the remedy where local changes cannot be archived. */
  async requirePossible(): Promise<void> {
    const obstacle = obstacleOf(this.#folder)
    if (obstacle !== undefined) throw refused(obstacle)
    await this.#probe()
  }

  get #isEnabled(): boolean {
    return this.#deps.isEnabled() && obstacleOf(this.#folder) === undefined
  }

  async #probe(): Promise<void> {
    const { disk } = this.#deps
    const [from, to] = [`${this.#directory}-probe`, `${this.#directory}-probe-clone`]
    await this.#remove(from)
    await this.#remove(to)
    try {
      await using file = await disk.open(from, 'create', OWNER_FILE)
      await file.write(new Uint8Array(4_096).fill(1), 0)
      await disk.cloneNew(from, to, OWNER_FILE)
    } catch (error) {
      const kept = 'local deletions and edits are kept only by the devices that receive them'
      throw refused(`the file system at ${this.#root} does not clone files (${reasonOf(error)}): ${kept}`)
    } finally {
      await this.#remove(from)
      await this.#remove(to)
    }
  }

  beginScan(): void {
    this.#newContents.clear()
  }

  /** To be called before these records replace ours. Archives what the user deleted or changed. */
  async archive(records: readonly FileHead[], signal: AbortSignal): Promise<void> {
    if (!this.#isEnabled) return
    const versioner = await this.#deps.versioner()
    if (versioner?.archiveCopy === undefined) return
    const index = await this.#deps.index()
    const replaced: { readonly old: FileHead; readonly next: FileHead }[] = []
    for (const next of records) {
      const old = await index.records.head('local', next.name)
      if (old !== undefined && !old.deleted) replaced.push({ old, next })
      else if (next.blocksHash !== undefined && this.#newContents.size < NEW_CONTENTS_MAX)
        this.#newContents.add(hex(next.blocksHash))
    }
    for (const { old, next } of replaced) {
      const isMoved = next.deleted && old.blocksHash !== undefined && this.#newContents.has(hex(old.blocksHash))
      if (isMoved || !isContentLost(old, next)) continue
      const path = this.#pathOf(old.name)
      try {
        const stat = await this.#deps.disk.lstat(path)
        if (isCloneOf(stat, old)) await versioner.archiveCopy(old.name, path, signal)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') continue // not cloned yet
        this.#archiveFailed(old.name, error)
      }
    }
  }

  /** A record without the old version would lose the content: after a failure of the disk nothing is stored. */
  #archiveFailed(name: string, error: unknown): void {
    const text = `${JSON.stringify(name)} was changed or deleted here and cannot be archived: ${messageOf(error)}`
    if (DISK_FAILURES.has(systemCode(error)))
      throw new TwinfoldError('folder-error', `${text}; free space, or use "folder set --archive-local off"`, {
        cause: error,
      })
    this.#deps.log.warn(`folder ${this.#folder.id}: ${text}`)
  }

  /** Clones what was recorded since the last time; removes all clones where that is switched off. Never rejects. */
  update(signal: AbortSignal): Promise<void> {
    this.#last = this.#last.then(() => this.#update(signal))
    return this.#last
  }

  async #update(signal: AbortSignal): Promise<void> {
    try {
      if (this.#isEnabled) await this.#cloneAll(signal)
      else if (!this.#isRemoved) await this.#removeAll()
    } catch (error) {
      if (signal.aborted) return
      this.#deps.log.warn(`folder ${this.#folder.id}: files are not cloned: ${messageOf(error)}`)
    }
  }

  async #removeAll(): Promise<void> {
    this.#progress = undefined
    this.#shards.clear()
    await removeClones(this.#deps.disk, this.#root)
    this.#isRemoved = true
  }

  async #cloneAll(signal: AbortSignal): Promise<void> {
    const { exchange, listing, records } = await this.#deps.index()
    this.#progress ??= await this.#begin(String(await exchange.indexId()))
    const { index } = this.#progress
    for (;;) {
      const names = await listing.ownSince(this.#progress.sequence)
      if (names.length === 0) return
      for (const { name, live } of names) {
        signal.throwIfAborted()
        const record = live ? await records.head('local', name) : undefined
        if (record?.type === 'file' && !record.deleted) await this.#cloneUnlessFailing(record)
        else await this.#remove(this.#pathOf(name))
      }
      const done = { index, sequence: names.at(-1)!.sequence }
      await this.#store(done)
      this.#progress = done
    }
  }

  /** Clones of another index are of unknown versions: they are removed. */
  async #begin(index: string): Promise<Progress> {
    const stored = await this.#load()
    this.#isRemoved = false
    if (stored?.index === index) return stored
    await this.#removeAll()
    this.#isRemoved = false
    // Without the marker the disk may not be mounted: then this fails.
    await this.#deps.disk.makeDirectory(this.#directory, PRIVATE_DIRECTORY)
    return { index, sequence: 0 }
  }

  async #cloneUnlessFailing(record: FileHead): Promise<void> {
    try {
      await this.#clone(record)
    } catch (error) {
      if (DISK_FAILURES.has(systemCode(error))) throw error
      this.#deps.log.debug(() => `folder ${this.#folder.id}: no clone of ${record.name}: ${messageOf(error)}`)
    }
  }

  async #clone(record: FileHead): Promise<void> {
    const { disk } = this.#deps
    await using above = await this.#parents.hold(record.name)
    const from = joinPath(above.path, baseOf(record.name))
    const before = await disk.lstat(from)
    if (!isFileOf(before, record)) return // the next scan records it
    const path = this.#pathOf(record.name)
    const temporary = joinPath(this.#directory, 'new')
    await this.#makeShard(path)
    await this.#remove(temporary)
    await disk.cloneNew(from, temporary, (before.mode & 0o777) | OWNER_FILE)
    const after = await disk.lstat(from)
    if (!isFileOf(after, record) || after.changeStamp !== before.changeStamp) return
    await disk.setModified(temporary, before.modifiedS, before.modifiedNs)
    await disk.rename(temporary, path)
  }

  async #makeShard(path: string): Promise<void> {
    const shard = path.slice(0, path.lastIndexOf('/'))
    if (this.#shards.has(shard)) return
    await this.#deps.disk.makeDirectory(shard, PRIVATE_DIRECTORY).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
    this.#shards.add(shard)
  }

  #pathOf(name: string): string {
    const hash = createHash('sha256').update(name).digest('hex')
    return joinPath(this.#directory, `${hash.slice(0, 2)}/${hash.slice(2)}`)
  }

  async #remove(path: string): Promise<void> {
    await this.#deps.disk.removeFile(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
  }

  /** Undefined where it is missing or damaged: then everything is cloned again. */
  async #load(): Promise<Progress | undefined> {
    try {
      await using file = await this.#deps.disk.open(joinPath(this.#directory, PROGRESS_NAME), 'read')
      const data = Buffer.alloc(PROGRESS_BYTES_MAX)
      const [index = '', sequence = ''] = data
        .toString('utf8', 0, await file.read(data, 0))
        .trim()
        .split(' ')
      return /^\d{1,15}$/.test(sequence) ? { index, sequence: Number(sequence) } : undefined
    } catch {
      return undefined
    }
  }

  async #store({ index, sequence }: Progress): Promise<void> {
    const { disk } = this.#deps
    const temporary = joinPath(this.#directory, 'new')
    await this.#remove(temporary)
    {
      await using file = await disk.open(temporary, 'create', OWNER_FILE)
      await file.write(Buffer.from(`${index} ${sequence}\n`), 0)
    }
    await disk.rename(temporary, joinPath(this.#directory, PROGRESS_NAME))
  }
}

/** Why the settings of a folder do not allow it. */
function obstacleOf({ id, markerName, type, versioning }: FolderConfig): string | undefined {
  if (!FOLDER_POLICIES[type].takesFiles || type === 'receiveencrypted')
    return `a folder of type ${type} has no old versions`
  const policy = versionPolicy(versioning)
  if (policy === undefined) return `the folder keeps no old versions: use "folder set ${id} --safety on" first`
  if (policy.kind === 'external') return 'a program archives the old versions of the folder'
  if (markerName !== DEFAULT_MARKER_NAME) return `the marker of the folder is not ${DEFAULT_MARKER_NAME}`
  return undefined
}

function isFileOf(stat: DiskStat, record: FileHead): boolean {
  const { modifiedS, modifiedNs } = diskTimeOf(record)
  const isSame = stat.modifiedS === modifiedS && stat.modifiedNs === modifiedNs
  return stat.type === 'file' && stat.sizeBytes === diskSizeOf(record) && isSame
}

function isCloneOf(stat: DiskStat, record: FileHead): boolean {
  const { modifiedS, modifiedNs } = diskTimeOf(record)
  const isSame = stat.modifiedS === modifiedS && Math.abs(stat.modifiedNs - modifiedNs) < TIME_ERROR_NS
  return stat.type === 'file' && stat.sizeBytes === diskSizeOf(record) && isSame
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}

function reasonOf(error: unknown): string {
  return systemCode(error) ?? messageOf(error)
}

function refused(reason: string): TwinfoldError {
  return new TwinfoldError('bad-request', `archiveLocal: ${reason}`)
}
