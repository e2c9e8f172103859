import { messageOf, systemCode } from '../../core/errors.ts'
import { baseOf, joinPath } from '../../core/paths.ts'
import { checkPath, DiskError } from '../disk-error.ts'
import type { Disk, DiskFile, DiskStat, HeldDirectory } from '../disk.ts'
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
    const { data, hash } = order
    if (hash !== undefined && !hasHash({ data, hash })) return { kind: 'different' }
    try {
      checkPath(order.temporaryPath, 'open')
      checkPath(order.path, 'open')
      if (order.replaces !== undefined) checkPath(order.replaces.asidePath, 'rename')
      await using directory = await this.#hold(order)
      return await this.#makeIn(directory.path, order)
    } catch (error) {
      return failed(error)
    }
  }

  async makeAll(orders: readonly FileOrder[]): Promise<readonly FileOutcome[]> {
    return await Promise.all(orders.map((order) => this.make(order)))
  }

  memory(sizeBytes: number): Uint8Array {
    return new Uint8Array(sizeBytes)
  }

  async verify(block: Pick<CheckedBlock, 'data' | 'hash'>): Promise<boolean> {
    return hasHash(block)
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

  /** Everything happens below the held directory: one that is swapped meanwhile has no effect. */
  async #hold({ path, realDirectory }: FileOrder): Promise<HeldDirectory> {
    const held = await this.#disk.holdDirectory(realDirectory).catch((error: unknown) => {
      throw systemCode(error) === 'ENOTDIR' ? elsewhere(path) : error
    })
    if (held.realPath === realDirectory) return held
    await held[Symbol.asyncDispose]()
    throw elsewhere(path)
  }

  async #makeIn(directory: string, order: FileOrder): Promise<FileOutcome> {
    const inside = (path: string) => joinPath(directory, baseOf(path))
    const places = { temporary: inside(order.temporaryPath), final: inside(order.path) }
    const { replaces } = order
    let file: DiskFile | undefined
    try {
      file = await this.#disk.open(places.temporary, 'create', order.openMode)
      const filled = await this.#fill(order, file, places.temporary)
      if (order.sync) await file.sync()
      const displaced = await this.#putInPlace(
        places,
        replaces && { ...replaces, asidePath: inside(replaces.asidePath) },
      )
      return { kind: 'made', ...(await madeState(file, filled)), ...displaced }
    } catch (error) {
      if (file !== undefined) await this.#discard(places.temporary, file)
      return failed(error)
    }
  }

  async #fill({ data, modifiedS, modifiedNs, mode }: FileOrder, file: DiskFile, path: string): Promise<DiskStat> {
    await file.write(data, 0)
    await this.#disk.setModified(path, modifiedS, modifiedNs)
    const stat = await file.stat()
    if (mode !== undefined && (stat.mode & PERMISSIONS) !== mode) await file.chmod(mode)
    return stat
  }

  async #putInPlace({ temporary, final }: Places, replaces: ReplacedFile | undefined): Promise<Displaced> {
    if (replaces === undefined) {
      await this.#disk.renameNew(temporary, final)
      return NONE
    }
    if (!isSame(await this.#disk.lstat(final), replaces))
      throw new DiskError('EEXIST', 'what is there is not what was expected', 'rename', final)
    const { asidePath } = replaces
    await this.#disk.rename(temporary, asidePath)
    try {
      if (await this.#disk.exchange(asidePath, final)) return await this.#removeDisplaced(temporary, replaces)
      await this.#disk.rename(asidePath, final)
    } catch (error) {
      await this.#disk.rename(asidePath, temporary).catch(() => {}) // the first error is reported
      throw error
    }
    return NONE
  }

  /** Must not reject: the new file is in place. An item that cannot be read counts as changed. */
  async #removeDisplaced(temporary: string, replaces: ReplacedFile): Promise<Displaced> {
    const { asidePath } = replaces
    const stat = await this.#disk.lstat(asidePath).catch(() => undefined)
    if (stat === undefined || !isSame(stat, replaces)) return DISPLACED
    // As a temporary file it is removed later.
    await this.#disk.removeFile(asidePath).catch(() => this.#disk.rename(asidePath, temporary).catch(() => {}))
    return NONE
  }

  async #discard(path: string, file: DiskFile): Promise<void> {
    await file.close().catch(() => {}) // already closed, or crashed
    await this.#disk.removeFile(path).catch(() => {}) // the first error is reported
  }
}

interface Places {
  readonly temporary: string
  readonly final: string
}

function failed(error: unknown): FileOutcome {
  return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
}

function elsewhere(path: string): DiskError {
  return new DiskError('ELOOP', 'the directory leads elsewhere', 'open', path)
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
