import type { FileMaker, FileOrder, FileOutcome } from '../file-maker.ts'
import { checkPath } from '../disk-error.ts'
import { messageOf, systemCode } from '../../core/errors.ts'
import type { DiskThreads, WaitingFile } from './disk-threads.ts'

/** Orders of one turn of the loop go to a thread together: a message costs as much as the file. */
export class RealFileMaker implements FileMaker {
  readonly #threads: Pick<DiskThreads, 'make'>
  #gathered: WaitingFile[] = []

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
    const { promise, resolve } = Promise.withResolvers<FileOutcome>()
    if (this.#gathered.length === 0) setImmediate(() => this.#threads.make(this.#gathered.splice(0)))
    this.#gathered.push({ order, resolve })
    return await promise
  }
}
