import type { FileTime } from '../../core/records/file-info.ts'
import type { StoredFile } from './messages.ts'

/** The time of a file on a disk that cannot hold the wanted one. */
export interface VirtualTime {
  readonly onDisk: FileTime
  readonly wanted: FileTime
}

/** The time that the unchanged file of a record has on the disk; undefined if it is that of the record. */
export function diskTimeOf(file: StoredFile, virtual: VirtualTime | undefined): FileTime | undefined {
  if (virtual === undefined) return undefined
  const { onDisk, wanted } = virtual
  const isCurrent = wanted.modifiedS === file.modified_s && wanted.modifiedNs === file.modified_ns
  const differs = onDisk.modifiedS !== wanted.modifiedS || onDisk.modifiedNs !== wanted.modifiedNs
  return isCurrent && differs ? onDisk : undefined
}
