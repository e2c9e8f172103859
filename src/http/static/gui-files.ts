import { isMissing, systemCode } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'

const FILE_BYTES_MAX = 8 * 1024 * 1024
const PAGE = 'index.html'
const MANUAL = 'manual.json'
const COMPRESSED = '.gz'

/** A file of the web page, and its compressed form where the build made one. */
export interface GuiFile {
  readonly bytes: Uint8Array
  readonly compressed: Uint8Array | undefined
}

/** The files of the web page. Nothing is read before the first request, and only files that were found by listing. */
export class GuiFiles {
  readonly #disk: Pick<Disk, 'open' | 'list'>
  readonly #directories: readonly string[]
  #found: Promise<Found | undefined> | undefined

  /** Uses the first of the directories that contains a page. */
  constructor(disk: Pick<Disk, 'open' | 'list'>, directories: readonly string[]) {
    this.#disk = disk
    this.#directories = directories
  }

  /** The text of the page itself; undefined where it was not built. It may be rebuilt while the daemon runs. */
  async page(): Promise<string | undefined> {
    this.#found = this.#find()
    return (await this.#found)?.page
  }

  /** The text of the manual; undefined where it was not built. */
  async manual(): Promise<string | undefined> {
    const found = await (this.#found ??= this.#find())
    if (found === undefined) return undefined
    try {
      return new TextDecoder().decode(await this.#read(`${found.directory}/${MANUAL}`))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** One of the files beside it, by name. */
  async asset(name: string): Promise<GuiFile | undefined> {
    const found = await (this.#found ??= this.#find())
    if (found === undefined || !found.names.has(name)) return undefined
    const compressedName = name + COMPRESSED
    try {
      const bytes = await this.#read(`${found.directory}/assets/${name}`)
      const compressed = found.names.has(compressedName)
        ? await this.#read(`${found.directory}/assets/${compressedName}`)
        : undefined
      return { bytes, compressed }
    } catch (error) {
      if (isMissing(error) || systemCode(error) === 'ELOOP') return undefined // deleted since, or a symlink
      throw error
    }
  }

  async #find(): Promise<Found | undefined> {
    for (const directory of this.#directories) {
      try {
        const page = new TextDecoder().decode(await this.#read(`${directory}/${PAGE}`))
        const names = await this.#disk.list(`${directory}/assets`)
        return { directory, page, names: new Set(names.map(({ name }) => name)) }
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    return undefined
  }

  async #read(path: string): Promise<Uint8Array> {
    const file = await this.#disk.open(path, 'read')
    try {
      const { sizeBytes } = await file.stat()
      const bytes = new Uint8Array(Math.min(sizeBytes, FILE_BYTES_MAX))
      return bytes.subarray(0, await fillBuffer(file, bytes))
    } finally {
      await file.close()
    }
  }
}

interface Found {
  readonly directory: string
  readonly page: string
  readonly names: ReadonlySet<string>
}
