import { splitCommand } from '../core/formats/command-line.ts'
import { TwinfoldError } from '../core/errors.ts'
import { joinPath } from '../core/paths.ts'
import { PRIVATE_VARIABLES, type ProgramEnd } from '../platform/programs.ts'
import { Parents } from '../platform/files/parents.ts'
import type { FileVersion, KeptFile, Versioner, VersionerDeps, VersionerOptions, VersionsUsed } from './types.ts'
import { refused } from './versions-directory.ts'

/** Sufficient for copying a large file to a slow disk. */
const TIME_LIMIT_MS = 10 * 60_000
const NOT_SUPPORTED = 'version restoration not supported with the current versioner'

/**
 * Passes every replaced or deleted file to a program of the user. Where it stores versions is unknown, so listing and
 * restoring are not supported.
 */
export class ExternalVersioner implements Versioner {
  readonly #deps: VersionerDeps
  readonly #options: VersionerOptions
  readonly #command: string
  readonly #parents: Parents

  constructor(deps: VersionerDeps, options: VersionerOptions, command: string) {
    this.#deps = deps
    this.#options = options
    this.#command = command
    this.#parents = new Parents({ disk: deps.disk, root: options.root, onMade: () => {} })
  }

  async keep(name: string, signal: AbortSignal): Promise<KeptFile> {
    await this.archive(name, signal)
    return { gone: true, done: async () => {}, undo: async () => {} }
  }

  async archive(name: string, signal: AbortSignal): Promise<void> {
    await this.#parents.check(name)
    if (!(await this.#isThere(name))) return
    const { folder, root } = this.#options
    const values = { '%FOLDER_PATH%': root, '%FILE_PATH%': name, '%FOLDER_FILESYSTEM%': folder.filesystemType }
    const command = splitCommand(this.#command, values)
    if (command.kind === 'refused') throw failed(command.reason)
    const [program, ...args] = command.words
    const environment = { FOLDER_PATH: root, FILE_PATH: name, FOLDER_FILESYSTEM: folder.filesystemType }
    const end = await this.#deps.programs.run(
      { program, args, environment, hidden: PRIVATE_VARIABLES, timeLimitMs: TIME_LIMIT_MS },
      signal,
    )
    signal.throwIfAborted()
    if (end.kind !== 'exited' || end.code !== 0) throw failed(reasonOf(end))
    if (await this.#isThere(name)) throw failed('file was not removed by external script')
  }

  readonly isCleanDue = false

  async clean(): Promise<void> {}

  async used(): Promise<VersionsUsed> {
    throw new TwinfoldError('folder-error', `external versioner: ${NOT_SUPPORTED}`)
  }

  async empty(): Promise<VersionsUsed> {
    throw new TwinfoldError('folder-error', `external versioner: ${NOT_SUPPORTED}`)
  }

  async versions(): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    throw new TwinfoldError('folder-error', `external versioner: get versions: ${NOT_SUPPORTED}`)
  }

  async newest(): Promise<undefined> {}

  async restore(): Promise<void> {
    throw refused(`external versioner: restore: ${NOT_SUPPORTED}`)
  }

  async #isThere(name: string): Promise<boolean> {
    const path = joinPath(this.#options.root, name)
    return await this.#deps.disk.lstat(path).then(
      () => true,
      () => false,
    ) // an unreadable file fails when it is replaced
  }
}

function failed(reason: string): TwinfoldError {
  return refused(`external versioner: archive: ${reason}`)
}

function reasonOf(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `the program exited with code ${end.code}${quoted(end.output)}`
    case 'killed':
      return `the program was terminated: ${end.reason}${quoted(end.output)}`
    case 'not-started':
      return `the program could not be started: ${end.reason}`
  }
}

function quoted(output: string): string {
  const text = output.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  return text === '' ? '' : `: ${JSON.stringify(text)}`
}
