import type { MergeResult, MergeSides } from '../../core/merge/merge-contents.ts'
import { MERGE_SIZE_BYTES_MAX } from '../../core/merge/text.ts'
import { messageOf } from '../../core/errors.ts'
import { baseOf, joinPath } from '../../core/paths.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { readSmall } from '../../platform/files/read-small.ts'
import { PRIVATE_VARIABLES, type Programs } from '../../platform/programs.ts'
import type { Random } from '../../platform/random.ts'

/** The folder is not scanned meanwhile. */
const TIME_LIMIT_MS = 10_000
const PRIVATE_DIRECTORY = 0o700
const PRIVATE_FILE = 0o600
const EXTENSION = /\.[A-Za-z0-9]{1,16}$/

export interface MergeProgramDeps {
  readonly disk: Disk
  readonly programs: Programs
  readonly random: Random
  readonly log: Logger
}

/** Runs the merge programs of a folder, on copies of the three files in a private directory. */
export class MergeProgram {
  readonly #deps: MergeProgramDeps
  readonly #directory: string

  /** `directory`: where the private directories are made; it exists. */
  constructor(deps: MergeProgramDeps, directory: string) {
    this.#deps = deps
    this.#directory = directory
  }

  /** Never rejects: a program that fails, or writes nothing or too much, leaves an ordinary conflict. */
  async run(command: readonly string[], sides: MergeSides, name: string, signal: AbortSignal): Promise<MergeResult> {
    const { disk, log, random } = this.#deps
    const directory = joinPath(this.#directory, `merge-${Buffer.from(random.bytes(8)).toString('hex')}`)
    const extension = EXTENSION.exec(baseOf(name))?.[0] ?? ''
    const pathOf = (file: string) => joinPath(directory, `${file}${extension}`)
    const paths = ['base', 'left', 'right', 'output'].map(pathOf)
    try {
      await disk.makeDirectory(directory, PRIVATE_DIRECTORY)
      for (const [file, content] of Object.entries(sides)) await this.#write(pathOf(file), content)
      const content = await this.#output(command, pathOf, signal)
      return { content }
    } catch (error) {
      log.warn(`the merge program ${JSON.stringify(command[0])} for ${JSON.stringify(name)}: ${messageOf(error)}`)
      return { reason: 'overlap' }
    } finally {
      for (const path of paths) await disk.removeFile(path).catch(() => {}) // it may be missing
      await disk.removeDirectory(directory).catch((error: unknown) => {
        log.debug(() => `${directory} is not removed: ${messageOf(error)}`)
      })
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
