import { messageOf, systemCode } from '../../core/errors.ts'
import { checkPath } from '../disk-error.ts'
import type { DiskFile } from '../disk.ts'
import type { CheckedBlock, FileMaker, FileOrder, FileOutcome } from '../file-maker.ts'
import { PlainFileMaker } from '../plain-file-maker.ts'
import type { DiskThreads } from './disk-threads.ts'
import { realDisk } from './disk.ts'
import type { Outcome, WaitingOrder } from './make-pack.ts'

/** So few are done before a thread has started. */
const HERE_AT_ONCE_MAX = 4

/**
 * Orders of one turn of the loop go to a thread together: a message costs as much as a small file. While there is no
 * thread and little to do, it is done here.
 */
export class RealFileMaker implements FileMaker {
  readonly #threads: Pick<DiskThreads, 'make' | 'isStarted'>
  readonly #here = new PlainFileMaker(realDisk)
  #doneHere = 0
  #gathered: WaitingOrder[] = []

  constructor(threads: Pick<DiskThreads, 'make' | 'isStarted'>) {
    this.#threads = threads
  }

  async make(order: FileOrder): Promise<FileOutcome> {
    if (this.#isLittle) return await this.#doHere(() => this.#here.make(order))
    try {
      checkPath(order.temporaryPath, 'open')
      checkPath(order.path, 'open')
    } catch (error) {
      return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
    }
    const outcome = await this.#outcomeOf((tell) => ({ kind: 'file', order, tell }))
    return outcome.kind === 'made' || outcome.kind === 'failed' ? outcome : mixedUp()
  }

  async write(file: DiskFile, block: CheckedBlock): Promise<boolean> {
    const { descriptor } = file
    const isShared = block.data.buffer instanceof SharedArrayBuffer
    if (descriptor === undefined || !isShared || this.#isLittle) return await this.#doHere(() => this.#here.write(file, block))
    // The hash may be a part of a long list, all of which would be copied.
    const order = { ...block, hash: Uint8Array.from(block.hash), descriptor }
    const outcome = await this.#outcomeOf((tell) => ({ kind: 'block', order, tell }))
    if (outcome.kind === 'failed') throw Object.assign(new Error(outcome.message), { code: outcome.code })
    return outcome.kind === 'written'
  }

  get #isLittle(): boolean {
    return !this.#threads.isStarted && this.#gathered.length === 0 && this.#doneHere < HERE_AT_ONCE_MAX
  }

  async #doHere<T>(work: () => Promise<T>): Promise<T> {
    this.#doneHere++
    try {
      return await work()
    } finally {
      this.#doneHere--
    }
  }

  #outcomeOf(waiting: (tell: (outcome: Outcome) => void) => WaitingOrder): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    if (this.#gathered.length === 0) setImmediate(() => this.#threads.make(this.#gathered.splice(0)))
    this.#gathered.push(waiting(resolve))
    return promise
  }
}

function mixedUp(): FileOutcome {
  return { kind: 'failed', code: 'EIO', message: 'a thread answered another question than it was asked' }
}
