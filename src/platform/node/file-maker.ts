import { messageOf, systemCode } from '../../core/errors.ts'
import { checkPath } from '../disk-error.ts'
import type { DiskFile } from '../disk.ts'
import { hasHash, type CheckedBlock, type CopiedBlock, type FileMaker } from '../file-maker.ts'
import type { FileOrder, FileOutcome } from '../file-maker.ts'
import { PlainFileMaker } from '../files/plain-file-maker.ts'
import type { DiskThreads } from './threads/disk-threads.ts'
import { nodeDisk } from './disk/disk.ts'
import { copyOrder, type Outcome, type WaitingOrder } from './threads/make-pack.ts'
import { DIRECT_BYTES_MIN, isWholePages, PageMemory } from './disk/page-memory.ts'

/** Limit of orders done inline while no thread runs. */
const HERE_AT_ONCE_MAX = 4
/** Hashed inline: a thread takes longer to begin. */
const VERIFY_INLINE_BYTES_MAX = 64 * 1_024
const COPIED_HERE_BYTES_MAX = 1_024 * 1_024

/**
 * Orders of one turn of the event loop are posted in one batch: a message costs as much as a small file. Without a
 * thread, a few orders are done inline.
 */
export class NodeFileMaker implements FileMaker {
  readonly #threads: Pick<DiskThreads, 'make' | 'isStarted'>
  readonly #here = new PlainFileMaker(nodeDisk)
  readonly #memory = new PageMemory()
  #doneHere = 0
  #gathered: WaitingOrder[] = []

  constructor(threads: Pick<DiskThreads, 'make' | 'isStarted'>) {
    this.#threads = threads
  }

  async make(order: FileOrder): Promise<FileOutcome> {
    if (this.#isLittle) return await this.#doInline(() => this.#here.make(order))
    const refused = refusalOf(order)
    if (refused !== undefined) return refused
    return fileOutcome(await this.#outcomeOf((report) => ({ kind: 'file', order, report })))
  }

  async makeAll(orders: readonly FileOrder[]): Promise<readonly FileOutcome[]> {
    if (orders.length <= HERE_AT_ONCE_MAX && this.#isLittle)
      return await Promise.all(orders.map((order) => this.#doInline(() => this.#here.make(order))))
    const outcomes = orders.map(refusalOf)
    const { promise, resolve } = Promise.withResolvers<void>()
    let left = 0
    const waiting = orders.flatMap((order, at): WaitingOrder[] => {
      if (outcomes[at] !== undefined) return []
      left++
      const report = (outcome: Outcome) => {
        outcomes[at] = fileOutcome(outcome)
        if (--left === 0) resolve()
      }
      return [{ kind: 'file', order, report }]
    })
    if (left > 0) {
      this.#threads.make(waiting)
      await promise
    }
    return outcomes.map((outcome) => outcome ?? wrongKind())
  }

  memory(sizeBytes: number): Uint8Array {
    return this.#memory.take(sizeBytes)
  }

  /** In a thread of the runtime: the main thread decrypts and sends meanwhile. */
  async verify(block: Pick<CheckedBlock, 'data' | 'hash'>): Promise<boolean> {
    const { buffer, byteOffset, length } = block.data
    if (length < VERIFY_INLINE_BYTES_MAX || !(buffer instanceof ArrayBuffer)) return hasHash(block)
    const found = await crypto.subtle.digest('SHA-256', new Uint8Array(buffer, byteOffset, length))
    return Buffer.from(found).equals(block.hash)
  }

  async write(file: DiskFile, block: CheckedBlock): Promise<boolean> {
    const { descriptor } = file
    const isShared = block.data.buffer instanceof SharedArrayBuffer
    if (descriptor === undefined || !isShared || this.#isLittle)
      return await this.#doInline(() => this.#here.write(file, block))
    // The hash may be a view into a long list, all of which would be copied.
    const direct = isWholePages(block.data, block.positionBytes) ? file.directDescriptor : undefined
    const order = { ...block, hash: new Uint8Array(block.hash), descriptor, direct }
    const outcome = await this.#outcomeOf((report) => ({ kind: 'block', order, report }))
    if (outcome.kind === 'failed') throw failure(outcome)
    return outcome.kind === 'written'
  }

  async copy(from: DiskFile, to: DiskFile, blocks: readonly CopiedBlock[]): Promise<readonly boolean[]> {
    const sizeBytes = blocks.reduce((sum, block) => sum + block.sizeBytes, 0)
    const isSmall = sizeBytes <= COPIED_HERE_BYTES_MAX && this.#isLittle
    if (isSmall || from.descriptor === undefined || to.descriptor === undefined)
      return await this.#here.copy(from, to, blocks)
    const direct = mayBeDirect(blocks) ? { fromDirect: from.directDescriptor, direct: to.directDescriptor } : NOT_DIRECT
    const order = copyOrder({ fromDescriptor: from.descriptor, descriptor: to.descriptor, ...direct }, blocks)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#threads.make([{ kind: 'copy', order, report: resolve }]) // separately: the next is posted to another thread
    const outcome = await promise
    if (outcome.kind === 'failed') throw failure(outcome)
    return outcome.kind === 'copied' ? outcome.blocks : blocks.map(() => false)
  }

  get #isLittle(): boolean {
    return !this.#threads.isStarted && this.#gathered.length === 0 && this.#doneHere < HERE_AT_ONCE_MAX
  }

  async #doInline<T>(work: () => Promise<T>): Promise<T> {
    this.#doneHere++
    try {
      return await work()
    } finally {
      this.#doneHere--
    }
  }

  #outcomeOf(waiting: (report: (outcome: Outcome) => void) => WaitingOrder): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    if (this.#gathered.length === 0) setImmediate(() => this.#threads.make(this.#gathered.splice(0)))
    this.#gathered.push(waiting(resolve))
    return promise
  }
}

const NOT_DIRECT = { fromDirect: undefined, direct: undefined }

function mayBeDirect(blocks: readonly CopiedBlock[]): boolean {
  return blocks.some(({ sizeBytes }) => sizeBytes >= DIRECT_BYTES_MIN)
}

/** For a path that the system cannot have. */
function refusalOf(order: FileOrder): FileOutcome | undefined {
  try {
    checkPath(order.temporaryPath, 'open')
    if (order.replaces !== undefined) checkPath(order.replaces.asidePath, 'rename')
    checkPath(order.path, 'open')
    return undefined
  } catch (error) {
    return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
  }
}

function fileOutcome(outcome: Outcome): FileOutcome {
  return outcome.kind === 'written' || outcome.kind === 'copied' ? wrongKind() : outcome
}

function failure({ code, message }: Extract<Outcome, { kind: 'failed' }>): Error {
  return Object.assign(new Error(message), { code })
}

function wrongKind(): FileOutcome {
  return { kind: 'failed', code: 'EIO', message: 'a thread returned a result of the wrong kind' }
}
