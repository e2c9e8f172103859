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
import { readJsonFile, writeJsonFile } from '../platform/files/json-file.ts'
import { Mutex } from '../sync/mutex.ts'
import type { ExtensionListener, ExtensionStore } from './types.ts'

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
    try {
      return new ExtensionSettings(disk, path, fieldsIn(await readJsonFile(disk, path)))
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
    try {
      await writeJsonFile(this.#disk, this.#path, fields, TEMPORARY_NAME)
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      throw new TwinfoldError('config-unsaved', `cannot save ${this.#path}: ${messageOf(error)}`, { cause: error })
    }
  }
}

function fieldsIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || isObject(value)) return value
  throw new TwinfoldError('config-invalid', 'is not an object')
}
