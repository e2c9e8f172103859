import { closeSync, constants, fchmodSync, fstatSync, futimesSync, openSync, unlinkSync } from 'node:fs'
import { hasHash, type MadeFile } from '../../file-maker.ts'
import { BlockWriting, failedOutcome, writeAll } from './block-task.ts'
import {
  packResults,
  unpackFiles,
  type MakeReport,
  type MakeTask,
  type NumberedFile,
  type NumberedOutcome,
} from './make-pack.ts'
import type { BlockHasher } from '../hashing/block-hasher.ts'
import { posix } from '../native/posix.ts'
import { secondsText } from '../disk/disk-time.ts'
import { exactStat } from '../disk/disk-stat.ts'
import { SharedDirectories, type PlaceOfFile } from '../disk/place-of-file.ts'
import { FileSyncs } from './file-syncs.ts'
import { putInPlace, type PutOutcome } from './put-in-place.ts'

const REPORT_BATCH_MAX = 16
/** Not many more than are synced at once. */
const FILES_PER_DIRECTORY_MAX = 64

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const PERMISSIONS = 0o777

/**
 * Creates files in a thread. All calls except sync complete in memory and are synchronous; syncs are asynchronous and
 * many at a time (`file-syncs.ts`).
 */
export class FileMaking {
  readonly #post: (report: MakeReport) => void
  readonly #queue: NumberedFile[] = []
  readonly #results: NumberedOutcome[] = []
  readonly #directories = new SharedDirectories(FILES_PER_DIRECTORY_MAX)
  readonly #blocks: BlockWriting
  readonly #syncs = new FileSyncs()
  #scheduled = false

  constructor(post: (report: MakeReport) => void, hasher: Pick<BlockHasher, 'atOnce' | 'put'>) {
    this.#post = post
    this.#blocks = new BlockWriting((order, outcome) => this.#report(order, outcome), hasher)
  }

  receive({ files, blocks, copies }: MakeTask): void {
    for (const copy of copies) this.#blocks.copy(copy)
    for (const block of blocks) this.#blocks.write(block)
    for (const order of unpackFiles(files)) this.#queue.push(order)
    this.#proceed()
  }

  #proceed(): void {
    while (this.#syncs.hasRoom) {
      const next = this.#queue.shift()
      if (next === undefined) return
      this.#begin(next)
    }
  }

  #begin(order: NumberedFile): void {
    const { data, hash } = order
    if (hash !== undefined && !hasHash({ data, hash })) return this.#report(order, { kind: 'different' })
    let file: OpenedFile | undefined
    try {
      file = new OpenedFile(order, this.#directories)
      file.fill(data)
      if (!order.sync) return this.#end(file, null)
      const opened = file
      this.#syncs.add(opened, (error) => {
        this.#end(opened, error)
        this.#proceed()
      })
    } catch (error) {
      file?.discard()
      this.#report(order, failedOutcome(error))
    }
  }

  #end(file: OpenedFile, error: Error | null): void {
    let displaced: PutOutcome
    try {
      if (error !== null) throw error
      displaced = file.putInPlace()
    } catch (reason) {
      file.discard()
      return this.#report(file.order, failedOutcome(reason))
    }
    this.#report(file.order, { kind: 'made', ...file.closeMade(), ...displaced })
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
      const canDelay = this.#syncs.isBusy && this.#results.length < REPORT_BATCH_MAX && this.#results.every(isMade)
      if (!canDelay) this.#post(packResults(this.#results.splice(0)))
    })
  }
}

function isMade({ outcome }: NumberedOutcome): boolean {
  return outcome.kind === 'made'
}

/** The temporary file of an order, below a held directory: one that is swapped meanwhile has no effect. */
class OpenedFile {
  readonly order: NumberedFile
  readonly descriptor: number
  readonly #directory: PlaceOfFile
  #deviceId = 0
  #closed = false

  constructor(order: NumberedFile, directories: SharedDirectories) {
    this.order = order
    this.#directory = directories.placeOf(order)
    try {
      this.descriptor = openSync(this.#directory.temporaryPath, CREATE, order.openMode)
    } catch (error) {
      this.#directory[Symbol.dispose]()
      directories.forget(order.realDirectory)
      throw error
    }
  }

  /** After `fill`. */
  get deviceId(): number {
    return this.#deviceId
  }

  fill(data: Uint8Array): void {
    const { mode, modifiedS, modifiedNs } = this.order
    writeAll(this.descriptor, data, 0)
    const native = posix()
    if (native === undefined) {
      const time = secondsText(modifiedS, modifiedNs)
      futimesSync(this.descriptor, time, time)
    } else native.setTimesOf(this.descriptor, modifiedS, modifiedNs)
    const state = fstatSync(this.descriptor)
    this.#deviceId = state.dev
    if (mode !== undefined && (state.mode & PERMISSIONS) !== mode) fchmodSync(this.descriptor, mode)
  }

  putInPlace(): PutOutcome {
    this.#directory.check()
    const { temporaryPath, path } = this.#directory
    const { replaces } = this.order
    const held = replaces && { ...replaces, asidePath: this.#directory.pathOf(replaces.asidePath) }
    return putInPlace({ temporaryPath, path, replaces: held })
  }

  /** After the rename, which changes the stamp. */
  closeMade(): Omit<MadeFile, 'hasDisplaced'> {
    const { modifiedS, modifiedNs, inode, changeStamp } = exactStat(fstatSync(this.descriptor, { bigint: true }))
    this.#close()
    return { modifiedS, modifiedNs, inode: Number(inode), changeStamp }
  }

  discard(): void {
    try {
      this.#directory.check()
      unlinkSync(this.#directory.temporaryPath)
    } catch {
      // The first error is reported.
    }
    this.#close()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.descriptor)
    this.#directory[Symbol.dispose]()
  }
}
