import { hash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { ancestorsOf, foldName, isAtOrBelow } from '../../core/paths.ts'
import { encodeGone, encodeKept, parseKept, type KeptFile } from '../../core/records/kept-file.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import type { KeptPage, Paging } from '../types.ts'

export interface KeptFilesDeps {
  readonly disk: Disk
  readonly log: Logger
}

export interface KeptFilesOptions {
  readonly folder: FolderId
  /** Beside the index, not in it: the list survives a reset of the index. */
  readonly directory: string
  /** The list is shown only: one that runs may write it at the same time. */
  readonly readOnly?: boolean
}

const PRIVATE_DIRECTORY = 0o700
const PRIVATE = 0o600
/** Each is a line in memory, too. Files above this are not collected, which their device shows as an error. */
const KEPT_MAX = 1_000_000
const READ_BYTES = 1 << 20
/** The file is written anew when it is opened with more outdated lines than this, and than entries. */
const OUTDATED_MAX = 1_000

/** The path of a folder's list. */
function keptPath(directory: string, folder: FolderId): string {
  return join(directory, `${hash('sha256', folder, 'hex').slice(0, 32)}.jsonl`)
}

/**
 * The kept files of one folder: deleted on other devices, still on this one. A file with a line per change, appended
 * and made durable before a deletion is recorded: after a power loss a scan must not find a deleted file without its
 * entry, because it would announce it as new.
 */
export class KeptFiles {
  readonly #deps: KeptFilesDeps
  readonly #options: KeptFilesOptions
  readonly #path: string
  /** By name, as stored. */
  readonly #lines = new Map<string, string>()
  /** How many kept files are below each directory. */
  readonly #below = new Map<string, number>()
  #bytes = 0
  #pending: string[] = []
  /** The length up to which the file has whole lines. */
  #sizeBytes = 0
  #loaded: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(deps: KeptFilesDeps, options: KeptFilesOptions) {
    this.#deps = deps
    this.#options = options
    this.#path = keptPath(options.directory, options.folder)
  }

  /** To be awaited before anything else. Rejects with `folder-error` where the list cannot be read. */
  load(): Promise<void> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined
      throw this.#failed('read', error)
    })
    return this.#loaded
  }

  async page({ page, perPage }: Paging): Promise<KeptPage> {
    await this.load()
    const names = this.names().slice((page - 1) * perPage, page * perPage)
    return { total: this.count, bytes: this.bytes, items: names.flatMap((name) => this.find(name) ?? []) }
  }

  get count(): number {
    return this.#lines.size
  }

  /** Their sizes together. */
  get bytes(): number {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#lines.size >= KEPT_MAX
  }

  find(name: string): KeptFile | undefined {
    const line = this.#lines.get(name)
    return line === undefined ? undefined : keptIn(line)
  }

  /** Whether any is below this directory. */
  hasBelow(directory: string): boolean {
    return this.#below.has(directory)
  }

  /** The kept file whose name differs from this one in case only. */
  otherSpelling(name: string): KeptFile | undefined {
    const folded = foldName(name)
    for (const [other, line] of this.#lines) if (other !== name && foldName(other) === folded) return keptIn(line)
    return undefined
  }

  /** In name order. */
  names(): readonly string[] {
    return [...this.#lines.keys()].sort()
  }

  /** Those at or below a path; '' is everything. */
  *within(path: string): Generator<string> {
    if (this.#lines.has(path)) yield path
    else if (path === '' || this.hasBelow(path)) {
      for (const name of this.#lines.keys()) if (path === '' || isAtOrBelow(name, path)) yield name
    }
  }

  /** Adds or replaces an entry; durable after the next `store`. */
  set(kept: KeptFile): void {
    const line = encodeKept(kept)
    if (this.#lines.get(kept.file.name) === line) return
    this.#put(kept.file.name, line, kept.file.sizeBytes)
    this.#pending.push(line)
  }

  /** The file is not kept any more: it is gone, or a live item of that name is recorded. */
  forget(name: string): void {
    if (!this.#lines.has(name)) return
    this.#drop(name)
    this.#pending.push(encodeGone(name))
  }

  /** Resolves when every change so far is durable. Rejects with `folder-error`; the next call tries again. */
  store(): Promise<void> {
    const stored = this.#last.then(() => this.#append())
    this.#last = stored.catch(() => {}) // reported to the caller
    return stored
  }

  /** Removes the list of a folder that is not configured any more. */
  static async delete(disk: Disk, options: KeptFilesOptions): Promise<void> {
    await disk.removeFile(keptPath(options.directory, options.folder)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  #put(name: string, line: string, sizeBytes: number): void {
    this.#drop(name)
    this.#lines.set(name, line)
    this.#bytes += sizeBytes
    for (const directory of ancestorsOf(name)) this.#below.set(directory, (this.#below.get(directory) ?? 0) + 1)
  }

  #drop(name: string): void {
    const line = this.#lines.get(name)
    if (line === undefined) return
    this.#lines.delete(name)
    this.#bytes -= keptIn(line).file.sizeBytes
    for (const directory of ancestorsOf(name)) {
      const count = (this.#below.get(directory) ?? 0) - 1
      if (count > 0) this.#below.set(directory, count)
      else this.#below.delete(directory)
    }
  }

  async #load(): Promise<void> {
    const text = await this.#read()
    const end = text.lastIndexOf('\n') + 1
    this.#sizeBytes = Buffer.byteLength(text.slice(0, end))
    const lines = text.slice(0, end).split('\n').slice(1, -1) // the first names the folder
    let damaged = 0
    for (const line of lines) {
      const read = parseKept(line)
      if (read === undefined) damaged++
      else if (read.kind === 'gone') this.#drop(read.name)
      else this.#put(read.kept.file.name, line, read.kept.file.sizeBytes)
    }
    if (damaged > 0) {
      const what = `${damaged} lines of the list of kept files are damaged, and their files count as new`
      this.#deps.log.warn(`folder ${this.#options.folder}: ${what}: ${this.#path}`)
    }
    if (this.#options.readOnly === true) return
    if (lines.length - this.count > Math.max(OUTDATED_MAX, this.count)) await this.#rewrite()
  }

  async #read(): Promise<string> {
    try {
      await using file = await this.#deps.disk.open(this.#path, 'read')
      const chunks: Buffer[] = []
      for (let position = 0; ;) {
        const chunk = Buffer.alloc(READ_BYTES)
        const count = await file.read(chunk, position)
        if (count === 0) return Buffer.concat(chunks).toString()
        chunks.push(chunk.subarray(0, count))
        position += count
      }
    } catch (error) {
      if (isMissing(error)) return ''
      throw error
    }
  }

  async #rewrite(): Promise<void> {
    const data = Buffer.from(this.#header() + [...this.#lines.values()].map((line) => `${line}\n`).join(''))
    await writeFileAtomically(this.#deps.disk, this.#path, data, PRIVATE, this.#temporaryName)
    this.#sizeBytes = data.length
  }

  get #temporaryName(): string {
    return `${basename(this.#path)}.tmp`
  }

  #header(): string {
    return `${JSON.stringify({ format: 1, folder: this.#options.folder })}\n`
  }

  async #append(): Promise<void> {
    if (this.#pending.length === 0) return
    const lines = this.#pending
    this.#pending = []
    try {
      const isNew = this.#sizeBytes === 0
      const data = Buffer.from((isNew ? this.#header() : '') + lines.map((line) => `${line}\n`).join(''))
      if (isNew) await this.#create(data)
      else await this.#extend(data)
      this.#sizeBytes += data.length
    } catch (error) {
      this.#pending = [...lines, ...this.#pending]
      throw this.#failed('write', error)
    }
  }

  async #create(data: Uint8Array): Promise<void> {
    const { disk } = this.#deps
    await disk.makeDirectories(this.#options.directory, PRIVATE_DIRECTORY)
    await disk.syncDirectory(dirname(this.#options.directory))
    await writeFileAtomically(disk, this.#path, data, PRIVATE, this.#temporaryName)
  }

  /** Also after a failure in the middle: what follows the whole lines is overwritten. */
  async #extend(data: Uint8Array): Promise<void> {
    await using file = await this.#deps.disk.open(this.#path, 'write')
    if ((await file.stat()).sizeBytes > this.#sizeBytes) await file.truncate(this.#sizeBytes)
    await file.write(data, this.#sizeBytes)
    await file.sync()
  }

  #failed(action: string, cause: unknown): TwinfoldError {
    const message = `cannot ${action} the list of kept files ${this.#path}: ${messageOf(cause)}`
    return new TwinfoldError('folder-error', message, { cause })
  }
}

function keptIn(line: string): KeptFile {
  const read = parseKept(line)
  if (read?.kind !== 'kept') throw new Error('a stored line is none of ours')
  return read.kept
}
