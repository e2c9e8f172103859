import { messageOf, systemCode } from '../../core/errors.ts'
import { parentOf } from '../../core/paths.ts'
import type { Disk, DiskFile, DiskStat } from '../disk.ts'
import { writeChecked, type CheckedBlock, type FileMaker, type FileOrder, type FileOutcome, type ReplacedFile } from '../file-maker.ts'
import { diskError } from './disk-faults.ts'

const PERMISSIONS = 0o777

/** Makes files on the simulated disk, call by call: each of them may fail, or be the last before the power goes. */
export class SimFileMaker implements FileMaker {
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
      const { modifiedS, modifiedNs } = await this.#fill(order, file)
      if (order.sync) await file.sync()
      await this.#checkDirectory(order)
      await file.close()
      await this.#putInPlace(order)
      return { kind: 'made', modifiedS, modifiedNs }
    } catch (error) {
      if (file !== undefined) await this.#discard(order, file)
      return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
    }
  }

  write(file: DiskFile, block: CheckedBlock): Promise<boolean> {
    return writeChecked(file, block)
  }

  async #checkDirectory({ path, realDirectory }: FileOrder): Promise<void> {
    if ((await this.#disk.realPath(parentOf(path))) !== realDirectory) throw diskError('ELOOP', 'open', path)
  }

  async #fill({ data, temporaryPath, modifiedS, modifiedNs, mode }: FileOrder, file: DiskFile): Promise<DiskStat> {
    await file.write(data, 0)
    await this.#disk.setModified(temporaryPath, modifiedS, modifiedNs)
    const stat = await file.stat()
    if (mode !== undefined && (stat.mode & PERMISSIONS) !== mode) await file.chmod(mode)
    return stat
  }

  async #putInPlace({ temporaryPath, path, replaces }: FileOrder): Promise<void> {
    if (replaces === undefined) return await this.#disk.renameNew(temporaryPath, path)
    if (!isSame(await this.#disk.lstat(path), replaces)) throw diskError('EEXIST', 'rename', path)
    await this.#disk.rename(temporaryPath, path)
  }

  async #discard(order: FileOrder, file: DiskFile): Promise<void> {
    await file.close().catch(() => {}) // closed before, or the power is off
    try {
      await this.#checkDirectory(order)
      await this.#disk.removeFile(order.temporaryPath)
    } catch {
      // The first reason is the one that is told.
    }
  }
}

function isSame({ type, sizeBytes, modifiedS, modifiedNs, mode }: DiskStat, replaces: ReplacedFile): boolean {
  return type === 'file' && sizeBytes === replaces.sizeBytes && modifiedS === replaces.modifiedS
    && modifiedNs === replaces.modifiedNs && mode === replaces.mode
}
