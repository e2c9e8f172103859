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

  constructor(order: Pick<FileOrder, 'path' | 'temporaryPath' | 'realDirectory'>, open = opened) {
    this.#order = order
    this.#directory = open(order)
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

interface SharedDirectory {
  readonly open: OpenDirectory
  /** Files that were given it, and those of them that still hold it. */
  files: number
  holders: number
}

/**
 * The directories of files that are made at the same time: each is opened for many of them, for three calls of the
 * eleven that a small file takes. For a bounded number, because a directory that was renamed would be used on.
 */
export class SharedDirectories {
  readonly #filesMax: number
  readonly #shared = new Map<string, SharedDirectory>()

  constructor(filesMax: number) {
    this.#filesMax = filesMax
  }

  placeOf(order: Pick<FileOrder, 'path' | 'temporaryPath' | 'realDirectory'>): PlaceOfFile {
    return new PlaceOfFile(order, (wanted) => this.#hold(wanted))
  }

  /** Later files open it again: something failed there. */
  forget(realDirectory: string): void {
    this.#shared.delete(realDirectory)
  }

  #hold(order: Pick<FileOrder, 'path' | 'realDirectory'>): OpenDirectory | undefined {
    const { realDirectory } = order
    const known = this.#shared.get(realDirectory)
    const open = known !== undefined && known.files < this.#filesMax ? known.open : opened(order)
    if (open === undefined) return undefined
    const shared = open === known?.open ? known : { open, files: 0, holders: 0 }
    this.#shared.set(realDirectory, shared)
    shared.files++
    shared.holders++
    return { ...open, [Symbol.dispose]: () => this.#release(realDirectory, shared) }
  }

  #release(realDirectory: string, shared: SharedDirectory): void {
    if (--shared.holders > 0) return
    if (this.#shared.get(realDirectory) === shared) this.#shared.delete(realDirectory)
    shared.open[Symbol.dispose]()
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
