import type { MergeResult, MergeSides } from '../../core/merge/merge-contents.ts'
import { MERGE_SIZE_BYTES_MAX } from '../../core/merge/text.ts'
import { isMissing, messageOf } from '../../core/errors.ts'
import { baseOf, joinPath } from '../../core/paths.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { readSmall } from '../../platform/files/read-small.ts'
import { PRIVATE_VARIABLES, type Programs } from '../../platform/programs.ts'
import { Mutex } from '../../sync/mutex.ts'

/** The folder is not scanned meanwhile. */
const TIME_LIMIT_MS = 10_000
const PRIVATE_DIRECTORY = 0o700
const PRIVATE_FILE = 0o600
const EXTENSION = /\.[A-Za-z0-9]{1,16}$/

export interface MergeProgramDeps {
  readonly disk: Disk
  readonly programs: Programs
  readonly log: Logger
}

/** Runs the merge programs of a folder, one at a time, on copies of the three files in a private directory. */
export class MergeProgram {
  readonly #deps: MergeProgramDeps
  readonly #directory: string
  readonly #lock = new Mutex()

  /** `directory`: of this folder alone; made when it is needed. */
  constructor(deps: MergeProgramDeps, directory: string) {
    this.#deps = deps
    this.#directory = directory
  }

  /** Never rejects: a program that fails, or writes nothing or too much, leaves an ordinary conflict. */
  async run(command: readonly string[], sides: MergeSides, name: string, signal: AbortSignal): Promise<MergeResult> {
    const { disk, log } = this.#deps
    using _lock = await this.#lock.lock()
    const extension = EXTENSION.exec(baseOf(name))?.[0] ?? ''
    const pathOf = (file: string) => joinPath(this.#directory, `${file}${extension}`)
    try {
      await this.#clear() // what a crash left
      await disk.makeDirectory(this.#directory, PRIVATE_DIRECTORY)
      for (const [file, content] of Object.entries(sides)) await this.#write(pathOf(file), content)
      return { content: await this.#output(command, pathOf, signal) }
    } catch (error) {
      log.warn(`the merge program ${JSON.stringify(command[0])} for ${JSON.stringify(name)}: ${messageOf(error)}`)
      return { reason: 'overlap' }
    } finally {
      await this.#clear().catch((error: unknown) => {
        log.debug(() => `${this.#directory} is not removed: ${messageOf(error)}`)
      })
    }
  }

  /** Removes the directory and its files; a program that makes directories there leaves them. */
  async #clear(): Promise<void> {
    const { disk } = this.#deps
    try {
      for (const { name } of await disk.list(this.#directory)) await disk.removeFile(joinPath(this.#directory, name))
      await disk.removeDirectory(this.#directory)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  async #write(path: string, content: Uint8Array): Promise<void> {
    await using file = await this.#deps.disk.open(path, 'create', PRIVATE_FILE)
    await file.write(content, 0)
  }

  async #output(
    [program = '', ...args]: readonly string[],
    pathOf: (file: string) => string,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const end = await this.#deps.programs.run(
      {
        program,
        args: args.map((text) => text.replace(/\{(base|left|right|output)\}/g, (_, file: string) => pathOf(file))),
        environment: {},
        hidden: PRIVATE_VARIABLES,
        timeLimitMs: TIME_LIMIT_MS,
      },
      signal,
    )
    if (end.kind === 'not-started' || end.kind === 'killed') throw new Error(end.reason)
    if (end.code !== 0) throw new Error(`it ended with ${end.code}`)
    await using file = await this.#deps.disk.open(pathOf('output'), 'read')
    const { sizeBytes } = await file.stat()
    const content = sizeBytes > MERGE_SIZE_BYTES_MAX ? undefined : await readSmall(file, sizeBytes)
    if (content === undefined) throw new Error('its output is larger than 1 MiB, or changes')
    return content
  }
}
