import type { RunningAddress } from '../../client/home.ts'
import { isMissing, messageOf } from '../../core/errors.ts'
import type { Locations } from '../../core/locations.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeJsonFile } from '../../platform/files/json-file.ts'

interface AddressFileDeps {
  readonly disk: Disk
  readonly log: Logger
}

/**
 * The address of a daemon that was started with another one than the configured, for commands. Removed at the
 * end, and at the start, where the daemon before had no end. A failure is logged: the daemon works without the file.
 */
export class AddressFile implements AsyncDisposable {
  readonly #deps: AddressFileDeps
  readonly #path: string
  readonly #processId: number

  private constructor(deps: AddressFileDeps, path: string, processId: number) {
    this.#deps = deps
    this.#path = path
    this.#processId = processId
  }

  static async open(
    deps: AddressFileDeps,
    { addressFile }: Pick<Locations, 'addressFile'>,
    processId: number,
  ): Promise<AddressFile> {
    const file = new AddressFile(deps, addressFile, processId)
    await file[Symbol.asyncDispose]()
    return file
  }

  async write(address: string): Promise<void> {
    const running: RunningAddress = { address, processId: this.#processId }
    try {
      await writeJsonFile(this.#deps.disk, this.#path, running, 'twinfold-address.tmp')
    } catch (error) {
      const effect = 'commands do not find this daemon without --gui-address'
      this.#deps.log.warn(`${this.#path} cannot be written, ${effect}: ${messageOf(error)}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.disk.removeFile(this.#path).catch((error: unknown) => {
      if (!isMissing(error)) this.#deps.log.warn(`${this.#path} cannot be removed: ${messageOf(error)}`)
    })
  }
}
