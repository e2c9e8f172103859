import { messageOf, systemCode } from '../../core/errors.ts'
import { parentOf } from '../../core/paths.ts'
import { DiskError } from '../disk-error.ts'
import type { Disk, DiskFile, DiskStat } from '../disk.ts'
import {
  hasHash,
  type CheckedBlock,
  type CopiedBlock,
  type FileMaker,
  type FileOrder,
  type FileOutcome,
  type MadeFile,
  type ReplacedFile,
} from '../file-maker.ts'

const PERMISSIONS = 0o777

/**
 * Creates files inline, with the calls of any `Disk`. On a simulated disk each of them may fail or be the last before a
 * crash; on a real one it is the fastest way for a single file.
 */
export class PlainFileMaker implements FileMaker {
  readonly #disk: Disk

  constructor(disk: Disk) {
    this.#disk = disk
  }

  async make(order: FileOrder): Promise<FileOutcome> {
    const disk = this.#disk
    let file: DiskFile | undefined
    try {
      await this.#checkDirectory(order)
      file = await disk.open(order.temporaryPath, 'create', order.openMode)
      const filled = await this.#fill(order, file)
      if (order.sync) await file.sync()
      await this.#checkDirectory(order)
      const displaced = await this.#putInPlace(order)
      return { kind: 'made', ...(await madeState(file, filled)), ...displaced }
    } catch (error) {
      if (file !== undefined) await this.#discard(order, file)
      return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
    }
  }

  memory(sizeBytes: number): Uint8Array {
    return new Uint8Array(sizeBytes)
  }

  async write(file: DiskFile, block: CheckedBlock): Promise<boolean> {
    if (!hasHash(block)) return false
    await file.write(block.data, block.positionBytes)
    return true
  }

  async copy(from: DiskFile, to: DiskFile, blocks: readonly CopiedBlock[]): Promise<readonly boolean[]> {
    const copied: boolean[] = []
    for (const { fromBytes, positionBytes, sizeBytes, hash } of blocks) {
      const data = new Uint8Array(sizeBytes)
      copied.push((await isRead(from, data, fromBytes)) && (await this.write(to, { data, positionBytes, hash })))
    }
    return copied
  }

  async #checkDirectory({ path, realDirectory }: FileOrder): Promise<void> {
    if ((await this.#disk.realPath(parentOf(path))) !== realDirectory)
      throw new DiskError('ELOOP', 'the directory leads elsewhere', 'open', path)
  }

  async #fill({ data, temporaryPath, modifiedS, modifiedNs, mode }: FileOrder, file: DiskFile): Promise<DiskStat> {
    await file.write(data, 0)
    await this.#disk.setModified(temporaryPath, modifiedS, modifiedNs)
    const stat = await file.stat()
    if (mode !== undefined && (stat.mode & PERMISSIONS) !== mode) await file.chmod(mode)
    return stat
  }

  async #putInPlace({ temporaryPath, path, replaces }: FileOrder): Promise<Displaced> {
    if (replaces === undefined) {
      await this.#disk.renameNew(temporaryPath, path)
      return NONE
    }
    if (!isSame(await this.#disk.lstat(path), replaces))
      throw new DiskError('EEXIST', 'what is there is not what was expected', 'rename', path)
    if (await this.#disk.exchange(temporaryPath, path)) return await this.#removeDisplaced(temporaryPath, replaces)
    await this.#disk.rename(temporaryPath, path)
    return NONE
  }

  /** Must not reject: the new file is in place. An item that cannot be read counts as changed. */
  async #removeDisplaced(path: string, replaces: ReplacedFile): Promise<Displaced> {
    const stat = await this.#disk.lstat(path).catch(() => undefined)
    if (stat === undefined || !isSame(stat, replaces)) return DISPLACED
    await this.#disk.removeFile(path).catch(() => {}) // a later scan removes leftovers
    return NONE
  }

  async #discard(order: FileOrder, file: DiskFile): Promise<void> {
    await file.close().catch(() => {}) // already closed, or crashed
    try {
      await this.#checkDirectory(order)
      await this.#disk.removeFile(order.temporaryPath)
    } catch {
      // The first error is reported.
    }
  }
}

type Displaced = Pick<MadeFile, 'hasDisplaced'>

const NONE: Displaced = {}
const DISPLACED: Displaced = { hasDisplaced: true }

/** The rename changed the stamp. It succeeded, so a failure afterwards counts as an unread stamp. */
async function madeState(file: DiskFile, filled: DiskStat): Promise<MadeFile> {
  const { modifiedS, modifiedNs, inode, changeStamp } = await file
    .stat()
    .catch(() => ({ ...filled, changeStamp: undefined }))
  await file.close().catch(() => {}) // nothing was written since the sync
  return { modifiedS, modifiedNs, inode: Number(inode), changeStamp }
}

async function isRead(file: DiskFile, into: Uint8Array, positionBytes: number): Promise<boolean> {
  for (let done = 0; done < into.length;) {
    const count = await file.read(into.subarray(done), positionBytes + done).catch(() => 0) // unreadable
    if (count === 0) return false
    done += count
  }
  return true
}

function isSame({ type, sizeBytes, modifiedS, modifiedNs, mode }: DiskStat, replaces: ReplacedFile): boolean {
  return (
    type === 'file' &&
    sizeBytes === replaces.sizeBytes &&
    modifiedS === replaces.modifiedS &&
    modifiedNs === replaces.modifiedNs &&
    mode === replaces.mode
  )
}
