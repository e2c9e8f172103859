import { NOTHING_APPLIED, type AppliedSetup } from '../core/setup/setup-plan.ts'
import { isObject } from '../core/config/extensions.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Disk } from '../platform/disk.ts'
import { readJsonFile, writeJsonFile } from '../platform/files/json-file.ts'

const TEMPORARY_NAME = '.twinfold-applied.tmp'

/** What a set-up file owns, and the folders that stay paused until their ignore patterns are written. */
export interface SetupRecord extends AppliedSetup {
  readonly resume: readonly string[]
}

/** `twinfold-applied.json`: what set-up files made and set in this home. */
export class AppliedSetupFile {
  readonly #disk: Disk
  readonly #path: string

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#path = path
  }

  /** A damaged record is refused: without it the page's changes would be reset, and nothing could be pruned. */
  async read(): Promise<SetupRecord> {
    try {
      const value = await readJsonFile(this.#disk, this.#path)
      return value === undefined ? { ...NOTHING_APPLIED, resume: [] } : parseRecord(value)
    } catch (error) {
      const message = `${this.#path}: ${messageOf(error)}. Correct it, or remove it: then nothing is owned by a file`
      throw new TwinfoldError('config-invalid', message, { cause: error })
    }
  }

  async write(record: SetupRecord): Promise<void> {
    await writeJsonFile(this.#disk, this.#path, record, TEMPORARY_NAME)
  }
}

function parseRecord(value: unknown): SetupRecord {
  if (!isObject(value)) throw new TwinfoldError('config-invalid', 'is not an object')
  const { made, values, resume } = value
  const isValid = isTexts(made) && isTexts(resume) && isObject(values) && isTexts(Object.values(values))
  if (!isValid) throw new TwinfoldError('config-invalid', 'is not a record of what was applied')
  return { made, resume, values: values as Readonly<Record<string, string>> }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
