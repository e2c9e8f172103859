import { AttributeFilter, areSameAttributes, type AttributeList } from '../../core/attributes/attributes.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { systemCode, TwinfoldError } from '../../core/errors.ts'
import { lostMetadata, type CopyRules } from '../../core/move/copies.ts'
import { diskSizeOf, diskTimeOf, isInvalid, type FileInfo } from '../../core/records/file-info.ts'
import type { Attributes } from '../../platform/attributes.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'
import type { Disk, DiskFile, DiskStat } from '../../platform/disk.ts'
import type { Hasher } from '../../platform/hasher.ts'

const CHUNK_BYTES = 1_024 * 1_024
const PRIVATE = 0o600
const NO_ATTRIBUTES: AttributeList = []

export interface FileCopyDeps {
  readonly disk: Disk
  readonly hasher: Hasher
  readonly attributes: Attributes
  readonly signal: AbortSignal
  onBytes(count: number): void
}

/** One file, by its paths below held directories. */
export interface CopyJob {
  readonly name: string
  readonly source: string
  readonly temporary: string
  readonly target: string
  readonly stat: DiskStat
  readonly attributes: AttributeList | undefined
  /** Our record of the file. */
  readonly record: FileInfo | undefined
}

/** `changed`: the file was changed while it was copied; nothing has its name. `suspect`: it is not as in the index. */
export type CopyOutcome = 'copied' | 'changed' | 'suspect'

/** Copies single files. A copy is made under a temporary name and gets its own when it is durable and verified. */
export class FileCopy {
  readonly #deps: FileCopyDeps
  readonly #rules: CopyRules
  readonly #filter: AttributeFilter
  readonly #needsOwner: boolean
  readonly #needsAttributes: boolean

  constructor(deps: FileCopyDeps, folder: FolderConfig) {
    this.#deps = deps
    this.#rules = copyRules(folder)
    this.#filter = new AttributeFilter(folder.xattrFilter)
    this.#needsOwner = folder.syncOwnership || folder.sendOwnership
    this.#needsAttributes = folder.syncXattrs || folder.sendXattrs
  }

  async copy(job: CopyJob): Promise<CopyOutcome> {
    const { disk } = this.#deps
    const { source, temporary, target, stat } = job
    try {
      await this.#write(job)
      const verified = await this.#verify(job)
      const isSame = verified !== 'changed' && isUnchanged(await disk.lstat(source), stat)
      if (!isSame) {
        await disk.removeFile(temporary)
        return 'changed'
      }
      await disk.rename(temporary, target)
      return verified
    } catch (error) {
      await disk.removeFile(temporary).catch(() => {}) // the first error is reported
      throw error
    }
  }

  /** Owner, attributes, permissions and time of an item that was made. Rejects if the new place cannot store them. */
  async setMetadata(path: string, { name, stat, attributes }: Pick<CopyJob, 'name' | 'stat' | 'attributes'>) {
    const { disk } = this.#deps
    const made = await disk.lstat(path)
    if (made.userId !== stat.userId || made.groupId !== stat.groupId) {
      await disk.chown(path, stat.userId, stat.groupId).catch((error: unknown) => {
        if (this.#needsOwner) throw refused(`the owner of ${name} cannot be set there: ${String(error)}`)
      })
    }
    if (attributes !== undefined) await this.#setAttributes(path, name, attributes)
    if (stat.type !== 'symlink') await disk.chmod(path, stat.mode).catch(this.#ignorePermissions)
    await disk.setModified(path, stat.modifiedS, stat.modifiedNs)
    if (stat.type !== 'file') return
    const lost = lostMetadata(await disk.lstat(path), stat, this.#rules)
    if (lost === 'time')
      throw refused(`the disk there stores times less exactly (${name}); set "modTimeWindowS" of the folder to 2 first`)
    if (lost === 'mode')
      throw refused(`the disk there stores no permissions (${name}); set "ignorePerms" of the folder first`)
  }

  /** Whether two files have the same content and attributes. */
  async isSame(one: string, other: string): Promise<boolean> {
    if (!(await this.isSameContent(one, other))) return false
    const [left, right] = [await this.#attributesOf(one), await this.#attributesOf(other)]
    return left === undefined || right === undefined || areSameAttributes(left, right)
  }

  async isSameContent(one: string, other: string): Promise<boolean> {
    const { disk, signal } = this.#deps
    await using left = await disk.open(one, 'read')
    await using right = await disk.open(other, 'read')
    const { sizeBytes } = await left.stat()
    const [a, b] = [chunkFor(sizeBytes), chunkFor(sizeBytes)]
    for (let at = 0; ;) {
      signal.throwIfAborted()
      const [first, second] = await Promise.all([fillBuffer(left, a, at), fillBuffer(right, b, at)])
      if (first !== second || a.compare(b, 0, second, 0, first) !== 0) return false
      if (first < a.length) return true
      at += first
    }
  }

  async #write(job: CopyJob): Promise<void> {
    const { disk, onBytes, signal } = this.#deps
    const { source, temporary } = job
    await using from = await disk.open(source, 'read')
    await using to = await this.#create(temporary)
    const chunk = chunkFor(job.stat.sizeBytes)
    for (let at = 0; ;) {
      signal.throwIfAborted()
      const count = await fillBuffer(from, chunk, at)
      if (count > 0) await to.write(chunk.subarray(0, count), at)
      onBytes(count)
      if (count < chunk.length) break
      at += count
    }
    await this.setMetadata(temporary, job)
    await to.sync() // before its name: a power loss must not leave a name without content, or with another time
  }

  /** In place of one of an interrupted move. */
  async #create(path: string): Promise<DiskFile> {
    const { disk } = this.#deps
    try {
      return await disk.open(path, 'create', PRIVATE)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      await disk.removeFile(path)
      return await disk.open(path, 'create', PRIVATE)
    }
  }

  /** By the hashes of the index where it has the file; otherwise byte by byte. */
  async #verify(job: CopyJob): Promise<CopyOutcome> {
    const { disk, hasher, signal } = this.#deps
    const { record, stat, source, temporary } = job
    const isIndexed = record !== undefined && isRecordOf(record, stat)
    if (isIndexed) {
      const { sizeBytes, modifiedS, modifiedNs } = await disk.lstat(temporary)
      const hashJob = { path: temporary, sizeBytes, modifiedS, modifiedNs, blockSizeBytes: record.blockSizeBytes }
      const [result] = await hasher.hash([hashJob], () => {}, signal)
      if (result?.kind === 'hashed' && Buffer.compare(result.blockHashes, record.blockHashes!) === 0) return 'copied'
    }
    if (!(await this.isSameContent(source, temporary))) return 'changed'
    return isIndexed ? 'suspect' : 'copied'
  }

  async #attributesOf(path: string): Promise<AttributeList | undefined> {
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    const read = await this.#deps.attributes.read(path.slice(0, slash), [name], this.#deps.signal)
    return read.kind === 'read' ? (read.found.get(name) ?? NO_ATTRIBUTES) : undefined
  }

  /** One by one: those that the folder does not synchronize may be missing there. */
  async #setAttributes(path: string, name: string, attributes: AttributeList): Promise<void> {
    for (const attribute of attributes) {
      const written = await this.#deps.attributes.write(path, { set: [attribute], remove: [] })
      const isNeeded = this.#needsAttributes && this.#filter.permits(attribute)
      if (written.kind === 'failed' && isNeeded)
        throw refused(`the attribute ${written.attribute} of ${name} cannot be set there: ${written.failure.text}`)
    }
  }

  readonly #ignorePermissions = (error: unknown): void => {
    if (!this.#rules.ignorePerms) throw error
  }
}

export function copyRules({ ignorePerms, modTimeWindowS }: FolderConfig): CopyRules {
  return { ignorePerms, windowNs: modTimeWindowS * 1e9 }
}

/** Whether the record of a file has the hashes of its content, as far as size and time show. */
function isRecordOf(record: FileInfo, stat: DiskStat): boolean {
  if (record.deleted || record.type !== 'file' || isInvalid(record)) return false
  if (record.encrypted !== undefined || record.blockHashes === undefined) return false
  const time = diskTimeOf(record)
  const isTime = time.modifiedS === stat.modifiedS && time.modifiedNs === stat.modifiedNs
  return isTime && diskSizeOf(record) === stat.sizeBytes
}

function isUnchanged(now: DiskStat, before: DiskStat): boolean {
  return (
    now.sizeBytes === before.sizeBytes &&
    now.modifiedS === before.modifiedS &&
    now.modifiedNs === before.modifiedNs &&
    now.changeStamp === before.changeStamp &&
    now.inode === before.inode
  )
}

/** Larger than a small file, so that one read shows its end, and bounded for a large one. */
function chunkFor(sizeBytes: number): Buffer {
  return Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes + 1))
}

function refused(text: string): TwinfoldError {
  return new TwinfoldError('refused', text)
}
