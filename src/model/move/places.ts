import { join } from 'node:path'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'

/** In the directory to which a folder is copied, until it is complete. A temporary name: no scan lists it. */
export const CLAIM_NAME = '.syncthing.move.tmp'
const TEMPORARY = /^\.syncthing\.move-[0-9a-f]{16}\.tmp$/
const CLAIM_BYTES_MAX = 4_096
const OWNER_ALL = 0o700

/** The temporary name of a copy that is not verified. */
export function isMoveTemporary(base: string): boolean {
  return TEMPORARY.test(base)
}

/** A disk is not mounted, or what was on it is gone: the move waits, and nothing counts as deleted. */
export class NotThere extends TwinfoldError {
  constructor(text: string) {
    super('folder-error', text)
  }
}

export interface PlacesOptions {
  readonly folder: FolderId
  readonly markerName: string
  readonly from: string
  readonly to: string
}

/** The two directories of a move: whether they are there, and whose they are. */
export class Places {
  readonly #disk: Disk
  readonly #options: PlacesOptions

  constructor(disk: Disk, options: PlacesOptions) {
    this.#disk = disk
    this.#options = options
  }

  async isMarked(place: 'from' | 'to'): Promise<boolean> {
    return await isThere(this.#disk, join(this.#options[place], this.#options.markerName))
  }

  /** Rejects unless the folder is at this place, with its marker. */
  async requireMarker(place: 'from' | 'to'): Promise<void> {
    if (await this.isMarked(place)) return
    throw new NotThere(`${this.#options[place]} has no folder marker; is its disk mounted?`)
  }

  /** Makes the new directory and marks it as the copy of this folder. True if the directory was made. */
  async claim(): Promise<boolean> {
    const { folder, to } = this.#options
    const made = !(await isThere(this.#disk, to))
    if (made) await this.#disk.makeDirectory(to, OWNER_ALL)
    await using file = await this.#disk.open(join(to, CLAIM_NAME), 'create', 0o600)
    await file.write(new TextEncoder().encode(folder), 0)
    await file.sync()
    await this.#disk.syncDirectory(to)
    return made
  }

  /** The change time that a file of the old place would get now; undefined where its disk has none. */
  async changeTime(): Promise<number | undefined> {
    const path = join(this.#options.from, CLAIM_NAME)
    await this.#disk.removeFile(path).catch(ignoreMissing) // of an interruption
    const file = await this.#disk.open(path, 'create', 0o600)
    try {
      return (await file.stat()).changeStamp
    } finally {
      await file.close()
      await this.#disk.removeFile(path)
    }
  }

  async isClaimed(): Promise<boolean> {
    const { folder, to } = this.#options
    try {
      await using file = await this.#disk.open(join(to, CLAIM_NAME), 'read')
      const bytes = new Uint8Array(CLAIM_BYTES_MAX)
      return new TextDecoder().decode(bytes.subarray(0, await file.read(bytes, 0))) === folder
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async requireClaim(): Promise<void> {
    if (await this.isClaimed()) return
    throw new NotThere(`${this.#options.to} is not the directory to which the folder was copied; is its disk mounted?`)
  }

  async removeClaim(): Promise<void> {
    await this.#disk.removeFile(join(this.#options.to, CLAIM_NAME)).catch(ignoreMissing)
  }
}

export async function isThere(disk: Pick<Disk, 'lstat'>, path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw new NotThere(messageOf(error))
  }
}

export function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
