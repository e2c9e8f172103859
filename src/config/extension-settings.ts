import {
  extensionFields,
  isObject,
  parseExtensions,
  patchExtensions,
  EXTENSIONS,
  type Extensions,
  type ExtensionsPatch,
} from '../core/config/extensions.ts'
import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import type { Disk } from '../platform/disk.ts'
import { writeFileAtomically } from '../platform/files/atomic-write.ts'
import { Mutex } from '../sync/mutex.ts'
import { readBounded } from './config-file.ts'
import type { ExtensionListener, ExtensionStore } from './types.ts'

const PRIVATE = 0o600
const TEMPORARY_NAME = '.twinfold-settings.tmp'

/** `twinfold-settings.json`: the settings that Syncthing does not have. The home must be locked. */
export class ExtensionSettings implements ExtensionStore {
  readonly #disk: Disk
  readonly #path: string
  readonly #lock = new Mutex()
  readonly #listeners: ExtensionListener[] = []
  #fields: Readonly<Record<string, unknown>>
  #current: Extensions

  private constructor(disk: Disk, path: string, fields: Readonly<Record<string, unknown>> | undefined) {
    this.#disk = disk
    this.#path = path
    this.#fields = fields ?? {}
    this.#current = fields === undefined ? EXTENSIONS : parseExtensions(fields)
  }

  /** A damaged file is refused and left unchanged: with defaults instead, files could be deleted. */
  static async open(disk: Disk, path: string): Promise<ExtensionSettings> {
    const data = await readBounded(disk, path)
    try {
      return new ExtensionSettings(disk, path, data === undefined ? undefined : parseFields(data))
    } catch (error) {
      const message = `${path}: ${messageOf(error)}. Nothing was changed; correct it, or remove it to use the defaults`
      throw new TwinfoldError('config-invalid', message, { cause: error })
    }
  }

  get current(): Extensions {
    return this.#current
  }

  subscribe(listener: ExtensionListener): void {
    this.#listeners.push(listener)
  }

  async change(patch: ExtensionsPatch): Promise<Extensions> {
    using _lock = await this.#lock.lock()
    const [from, to] = [this.#current, patchExtensions(this.#current, patch)]
    const fields = extensionFields(to, this.#fields)
    await this.#write(fields)
    this.#fields = fields
    this.#current = to
    for (const listener of this.#listeners) await listener(from, to)
    return to
  }

  async #write(fields: Readonly<Record<string, unknown>>): Promise<void> {
    const data = new TextEncoder().encode(`${JSON.stringify(fields, undefined, 2)}\n`)
    try {
      await writeFileAtomically(this.#disk, this.#path, data, PRIVATE, TEMPORARY_NAME)
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      throw new TwinfoldError('config-unsaved', `cannot save ${this.#path}: ${messageOf(error)}`, { cause: error })
    }
  }
}

function parseFields(data: Uint8Array): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data))
  if (!isObject(value)) throw new TwinfoldError('config-invalid', 'is not an object')
  return value
}
