import { messageOf, systemCode } from '../../core/errors.ts'
import { checkPath } from '../disk-error.ts'
import type { DiskFile } from '../disk.ts'
import { writeChecked, type CheckedBlock, type FileMaker, type FileOrder, type FileOutcome } from '../file-maker.ts'
import type { DiskThreads } from './disk-threads.ts'
import type { Outcome, WaitingOrder } from './make-pack.ts'

/** Orders of one turn of the loop go to a thread together: a message costs as much as a small file. */
export class RealFileMaker implements FileMaker {
  readonly #threads: Pick<DiskThreads, 'make'>
  #gathered: WaitingOrder[] = []

  constructor(threads: Pick<DiskThreads, 'make'>) {
    this.#threads = threads
  }

  async make(order: FileOrder): Promise<FileOutcome> {
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
    if (descriptor === undefined || !(block.data.buffer instanceof SharedArrayBuffer)) return await writeChecked(file, block)
    // The hash may be a part of a long list, all of which would be copied.
    const order = { ...block, hash: Uint8Array.from(block.hash), descriptor }
    const outcome = await this.#outcomeOf((tell) => ({ kind: 'block', order, tell }))
    if (outcome.kind === 'failed') throw Object.assign(new Error(outcome.message), { code: outcome.code })
    return outcome.kind === 'written'
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
