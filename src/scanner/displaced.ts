import type { FileHead } from '../core/records/file-info.ts'
import { temporaryName } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'

export interface DisplacedDeps {
  readonly disk: Pick<Disk, 'lstat' | 'removeFile'>
  readonly root: string
  /** The system, in Node's names: it decides how temporary files are named. */
  readonly platform: string
}

/**
 * Removes the file that a pull has replaced, where the device stopped between the exchange of the two names and the
 * removal: the item of the record then has the name of the temporary file. Any other temporary file stays.
 */
export async function removeDisplaced({ disk, root, platform }: DisplacedDeps, record: FileHead): Promise<void> {
  const path = `${root}/${temporaryName(record.name, platform)}`
  const found = await disk.lstat(path).catch(() => undefined) // usually there is none
  const isRecorded =
    found?.type === 'file' &&
    record.type === 'file' &&
    found.sizeBytes === record.sizeBytes &&
    found.modifiedS === record.modifiedS &&
    found.modifiedNs === record.modifiedNs
  if (isRecorded) await disk.removeFile(path).catch(() => {}) // a later scan removes old temporary files
}
