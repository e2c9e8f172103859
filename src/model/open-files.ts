import type { Disk, DiskFile, DiskStat } from '../world/disk.ts'
import { openInside, type OpenedFile } from './open-inside.ts'

interface Shared {
  readers: number
  readonly opened: Promise<OpenedFile | undefined>
}

/** Which file is meant: `edition` tells versions of a name apart, so that a new one is not read from the old. */
export interface FileChoice {
  readonly root: string
  readonly name: string
  readonly edition: string
}

/**
 * Files that others read from right now. Who wants a file while somebody reads it reads along: a large file is opened
 * once, not once for every block. Nothing stays open when nobody reads.
 */
export class OpenFiles {
  readonly #disk: Disk
  readonly #open = new Map<string, Shared>()
  /** Real paths of roots as they were lately; one for every folder. */
  readonly #realRoots = new Map<string, string>()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** How many files are open or being opened. */
  get count(): number {
    return this.#open.size
  }

  /** Undefined when the name leads to no regular file inside the folder. The file must not be used afterwards. */
  async read<T>(choice: FileChoice, use: (file: DiskFile, stat: DiskStat) => Promise<T>): Promise<T | undefined> {
    const key = `${choice.root}\0${choice.name}\0${choice.edition}`
    const known = this.#open.get(key)
    const shared = known ?? { readers: 0, opened: this.#openFile(choice) }
    this.#open.set(key, shared)
    shared.readers++
    try {
      const opened = await shared.opened
      if (opened === undefined) return undefined
      // Whoever reads along wants to know how the file is now, not how it was when it was opened.
      return await use(opened.file, known === undefined ? opened.stat : await opened.file.stat())
    } finally {
      shared.readers--
      if (shared.readers === 0) {
        this.#open.delete(key)
        await shared.opened.then((opened) => opened?.[Symbol.asyncDispose](), () => {}) // told above
      }
    }
  }

  async #openFile({ root, name }: FileChoice): Promise<OpenedFile | undefined> {
    const opened = await openInside(this.#disk, root, name, this.#realRoots.get(root))
    if (opened !== undefined) this.#realRoots.set(root, opened.realRoot)
    return opened
  }
}
