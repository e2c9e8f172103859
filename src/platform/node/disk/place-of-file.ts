import { systemCode } from '../../../core/errors.ts'
import { baseOf, joinPath, parentOf } from '../../../core/paths.ts'
import { DiskError } from '../../disk-error.ts'
import type { FileOrder } from '../../file-maker.ts'
import { openDirectory, type OpenDirectory } from './held-directory.ts'
import { realPathSync } from './real-path.ts'

/** The directory of a file, held open where the system can refer to it. */
export class PlaceOfFile implements Disposable {
  readonly temporaryPath: string
  readonly path: string
  readonly #order: Pick<FileOrder, 'path' | 'realDirectory'>
  readonly #directory: OpenDirectory | undefined

  constructor(order: Pick<FileOrder, 'path' | 'temporaryPath' | 'realDirectory'>) {
    this.#order = order
    this.#directory = opened(order)
    this.temporaryPath = this.pathOf(order.temporaryPath)
    this.path = this.pathOf(order.path)
    if (this.#directory === undefined) this.check()
  }

  /** The path of an item of this directory. */
  pathOf(path: string): string {
    return joinPath(this.#directory?.path ?? parentOf(this.#order.path), baseOf(path))
  }

  /** Without a held directory: whether the path still leads there. */
  check(): void {
    const { path, realDirectory } = this.#order
    if (this.#directory !== undefined) return
    if (realPathSync(parentOf(path)) !== realDirectory) throw elsewhere(path)
  }

  [Symbol.dispose](): void {
    this.#directory?.[Symbol.dispose]()
  }
}

function opened({ path, realDirectory }: Pick<FileOrder, 'path' | 'realDirectory'>): OpenDirectory | undefined {
  try {
    const directory = openDirectory(realDirectory)
    if (directory === undefined || directory.realPath === realDirectory) return directory
    directory[Symbol.dispose]()
  } catch (error) {
    if (systemCode(error) !== 'ENOTDIR') throw error
  }
  throw elsewhere(path)
}

function elsewhere(path: string): DiskError {
  return new DiskError('ELOOP', 'the directory leads elsewhere', 'open', path)
}
