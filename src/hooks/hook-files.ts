import { join } from 'node:path'
import { isMissing, messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import { hookFields, parseHooks, type Hook } from '../core/hooks/hook.ts'
import { EMPTY_JOURNAL, parseHookJournal, type HookJournal } from '../core/hooks/queue.ts'
import type { Disk } from '../platform/disk.ts'
import { writeFileAtomically } from '../platform/files/atomic-write.ts'
import { readJsonFile, writeJsonFile } from '../platform/files/json-file.ts'
import type { HookPlaces } from './types.ts'

const PRIVATE = 0o600
const PRIVATE_DIRECTORY = 0o700
const PATHS_SUFFIX = '.paths'

/** The hooks, their journal, and the lists of changed paths, in files of the home, which must be locked. */
export class HookFiles {
  readonly #disk: Disk
  readonly #places: HookPlaces
  readonly #journal: string

  constructor(disk: Disk, places: HookPlaces) {
    this.#disk = disk
    this.#places = places
    this.#journal = join(places.directory, 'journal.json')
  }

  /** A damaged file is refused and left unchanged: without it nothing would be reported, and nothing would say so. */
  async readHooks(): Promise<readonly Hook[]> {
    const { file } = this.#places
    try {
      const value = await readJsonFile(this.#disk, file)
      return value === undefined ? [] : parseHooks(value)
    } catch (error) {
      const message = `${file}: ${messageOf(error)}. Nothing was changed; correct it, or remove it with all its hooks`
      throw new TwinfoldError('config-invalid', message, { cause: error })
    }
  }

  async writeHooks(hooks: readonly Hook[]): Promise<void> {
    try {
      await writeJsonFile(this.#disk, this.#places.file, hookFields(hooks), '.twinfold-hooks.tmp')
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      const message = `cannot save ${this.#places.file}: ${messageOf(error)}`
      throw new TwinfoldError('config-unsaved', message, { cause: error })
    }
  }

  /** Throws for a journal that cannot be read. */
  async readJournal(): Promise<HookJournal> {
    const value = await readJsonFile(this.#disk, this.#journal)
    return value === undefined ? EMPTY_JOURNAL : parseHookJournal(value)
  }

  async writeJournal(journal: HookJournal): Promise<void> {
    await this.#makeDirectory()
    await writeJsonFile(this.#disk, this.#journal, journal, 'journal.tmp')
  }

  pathsFile(id: string): string {
    return join(this.#places.directory, `${id}${PATHS_SUFFIX}`)
  }

  /** Each path ends with a NUL, because it may contain a line break. */
  async writePaths(id: string, paths: readonly string[]): Promise<void> {
    await this.#makeDirectory()
    const data = new TextEncoder().encode(paths.map((path) => `${path}\0`).join(''))
    await writeFileAtomically(this.#disk, this.pathsFile(id), data, PRIVATE, `${id}.tmp`)
  }

  async removePaths(id: string): Promise<void> {
    await this.#disk.removeFile(this.pathsFile(id)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  /** Removes the lists of paths, and leftovers of a crash, that no delivery has. */
  async removeOthers(ids: ReadonlySet<string>): Promise<void> {
    const { directory } = this.#places
    const entries = await this.#disk.list(directory).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const { name, valid } of entries) {
      const isOwn = valid && /\.(paths|tmp)$/.test(name)
      if (isOwn && !ids.has(name.replace(/\.paths$/, ''))) await this.#disk.removeFile(join(directory, name))
    }
  }

  async #makeDirectory(): Promise<void> {
    await this.#disk.makeDirectory(this.#places.directory, PRIVATE_DIRECTORY).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
  }
}
