import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  futimesSync,
  openSync,
  readlinkSync,
  realpathSync,
  unlinkSync,
} from 'node:fs'
import { baseOf, joinPath, parentOf } from '../../../core/paths.ts'
import { DiskError } from '../../disk-error.ts'
import type { FileOrder, FileOutcome, MadeFile } from '../../file-maker.ts'
import {
  BlockWriting,
  failed,
  writeAll,
  type BlockOutcome,
  type CopyOutcome,
  type NumberedBlock,
  type NumberedCopy,
} from './block-task.ts'
import { posix } from '../native/posix.ts'
import { secondsText } from '../disk/disk-time.ts'
import { exactStat } from '../disk/disk-stat.ts'
import { putInPlace, type Displaced } from './put-in-place.ts'

/** Orders as posted to a thread: the contents of files are parts of one transferred buffer. */
export interface MakeTask {
  readonly kind: 'make'
  readonly files: readonly NumberedFile[]
  readonly data: Uint8Array
  readonly blocks: readonly NumberedBlock[]
  readonly copies: readonly NumberedCopy[]
}

export interface NumberedFile extends Omit<FileOrder, 'data'> {
  readonly number: number
  readonly startBytes: number
  readonly endBytes: number
}

export interface MakeReport {
  readonly kind: 'made'
  readonly results: readonly NumberedOutcome[]
}

export interface NumberedOutcome {
  readonly number: number
  readonly outcome: FileOutcome | BlockOutcome | CopyOutcome
}

/**
 * Concurrent syncs, which the disk merges; meanwhile the next files are written. Fewer than the threads of libuv, so
 * that other calls do not wait for the disk.
 */
const SYNCS_AT_ONCE = 48
const REPORT_BATCH_MAX = 16

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const PERMISSIONS = 0o777

interface Waiting {
  readonly order: NumberedFile
  readonly data: Uint8Array
}

/**
 * Creates files in a thread. All calls except sync complete in memory and are synchronous; syncs are asynchronous and
 * concurrent, so that the disk merges them.
 */
export class FileMaking {
  readonly #post: (report: MakeReport) => void
  readonly #queue: Waiting[] = []
  readonly #results: NumberedOutcome[] = []
  readonly #blocks = new BlockWriting((order, outcome) => this.#report(order, outcome))
  /** Directories whose real path was checked in this turn of the event loop. */
  readonly #seen = new Set<string>()
  #syncing = 0
  #scheduled = false

  constructor(post: (report: MakeReport) => void) {
    this.#post = post
  }

  receive({ files, data, blocks, copies }: MakeTask): void {
    for (const copy of copies) this.#blocks.copy(copy)
    for (const block of blocks) this.#blocks.write(block)
    for (const order of files) this.#queue.push({ order, data: data.subarray(order.startBytes, order.endBytes) })
    this.#proceed()
  }

  #proceed(): void {
    while (this.#syncing < SYNCS_AT_ONCE) {
      const next = this.#queue.shift()
      if (next === undefined) return
      this.#begin(next)
    }
  }

  #begin({ order, data }: Waiting): void {
    let file: OpenedFile | undefined
    try {
      this.#checkDirectory(order)
      file = new OpenedFile(order)
      file.fill(data)
      if (!order.sync) return this.#end(order, file, null)
      const opened = file
      this.#syncing++
      fsync(opened.descriptor, (error) => {
        this.#syncing--
        this.#end(order, opened, error)
        this.#proceed()
      })
    } catch (error) {
      file?.discard()
      this.#report(order, failed(error))
    }
  }

  /**
   * Resolving a directory takes a call for each component, and many files of a turn share one. `checkPlace` detects a
   * file created in the wrong place by a race.
   */
  #checkDirectory(order: NumberedFile): void {
    const place = `${parentOf(order.path)}\0${order.realDirectory}`
    if (this.#seen.has(place)) return
    checkDirectory(order)
    if (this.#seen.size === 0) setImmediate(() => this.#seen.clear())
    this.#seen.add(place)
  }

  #end(order: NumberedFile, file: OpenedFile, error: Error | null): void {
    let displaced: Displaced
    try {
      if (error !== null) throw error
      file.checkPlace()
      displaced = putInPlace(order)
    } catch (reason) {
      file.discard()
      return this.#report(order, failed(reason))
    }
    this.#report(order, { kind: 'made', ...file.closeMade(), ...displaced })
  }

  /**
   * Reports are batched: each message wakes the main thread, which then requests the next files, and batches cost less
   * on both sides. The last file is reported immediately.
   */
  #report({ number }: { readonly number: number }, outcome: NumberedOutcome['outcome']): void {
    this.#results.push({ number, outcome })
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const canDelay = this.#syncing > 0 && this.#results.length < REPORT_BATCH_MAX && this.#results.every(isMade)
      if (!canDelay) this.#post({ kind: 'made', results: this.#results.splice(0) })
    })
  }
}

function isMade({ outcome }: NumberedOutcome): boolean {
  return outcome.kind === 'made'
}

/** The temporary file of an order. */
class OpenedFile {
  readonly descriptor: number
  readonly #order: NumberedFile
  #closed = false

  constructor(order: NumberedFile) {
    this.#order = order
    this.descriptor = openSync(order.temporaryPath, CREATE, order.openMode)
  }

  fill(data: Uint8Array): void {
    const { mode, modifiedS, modifiedNs } = this.#order
    writeAll(this.descriptor, data, 0)
    const native = posix()
    const time = secondsText(modifiedS, modifiedNs)
    if (native === undefined) futimesSync(this.descriptor, time, time)
    else native.setTimesOf(this.descriptor, modifiedS, modifiedNs)
    if (mode !== undefined && (fstatSync(this.descriptor).mode & PERMISSIONS) !== mode)
      fchmodSync(this.descriptor, mode)
  }

  /** Checks the real path of the open file; where the system does not provide it, the path of the directory. */
  checkPlace(): void {
    const { temporaryPath, realDirectory } = this.#order
    const actual = process.platform === 'linux' ? placeOf(this.descriptor) : undefined
    if (actual === undefined) checkDirectory(this.#order)
    else if (actual !== joinPath(realDirectory, baseOf(temporaryPath))) throw elsewhere(temporaryPath)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.descriptor)
  }

  /** After the rename, which changes the stamp. */
  closeMade(): Omit<MadeFile, 'hasDisplaced'> {
    const { modifiedS, modifiedNs, inode, changeStamp } = exactStat(fstatSync(this.descriptor, { bigint: true }))
    this.close()
    return { modifiedS, modifiedNs, inode: Number(inode), changeStamp }
  }

  /** Removed only if the name still refers to it: a later scan removes leftovers. */
  discard(): void {
    try {
      this.close()
      checkDirectory(this.#order)
      unlinkSync(this.#order.temporaryPath)
    } catch {
      // The first error is reported.
    }
  }
}

function placeOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined // no /proc
  }
}

function checkDirectory({ path, realDirectory }: NumberedFile): void {
  if (realpathSync.native(parentOf(path)) !== realDirectory) throw elsewhere(path)
}

function elsewhere(path: string): DiskError {
  return new DiskError('ELOOP', 'the directory leads elsewhere', 'open', path)
}
