import { TwinfoldError } from '../../core/errors.ts'
import { conflictOriginal, isCanonical, isConflictName, isReserved } from '../../core/paths.ts'
import { contentHash } from '../../core/records/block-range.ts'
import { blocksHashOf, hashBlocks } from '../../core/records/blocks.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { openInside } from '../../platform/files/open-inside.ts'

/** Contents of more bytes are not compared. */
const COMPARED_BYTES_MAX = 1_024 * 1_024

/** One file of a conflict. */
interface ConflictSide {
  readonly record: FileHead
  /** Undefined where it is too large to be compared. */
  readonly content: Uint8Array | undefined
}

export interface ConflictSides {
  /** The file; undefined where there is none of that name. */
  readonly left: ConflictSide | undefined
  /** The conflict copy. */
  readonly right: ConflictSide
}

/**
 * Both files of a conflict as they are on this disk. Rejects with `file-missing` for what is no conflict copy of the
 * folder, and with `refused` for a file that was changed since the last scan.
 */
export async function readConflict(
  records: Pick<Records, 'head'>,
  { disk, root }: { readonly disk: Disk; readonly root: string },
  name: string,
): Promise<ConflictSides> {
  const original = conflictOriginal(name)
  const isUsable = isConflictName(name) && [name, original].every((each) => isCanonical(each) && !isReserved(each))
  const copy = isUsable ? liveFile(await records.head('local', name)) : undefined
  if (copy === undefined) throw new TwinfoldError('file-missing', `${JSON.stringify(name)} is no conflict copy here`)
  const file = liveFile(await records.head('local', original))
  const mayCompare = file !== undefined && [file, copy].every(isComparable)
  const sideOf = async (record: FileHead): Promise<ConflictSide> => ({
    record,
    content: mayCompare ? await readVerified(disk, root, record) : undefined,
  })
  return { left: file === undefined ? undefined : await sideOf(file), right: await sideOf(copy) }
}

function isComparable({ encrypted, sizeBytes }: FileHead): boolean {
  return encrypted === undefined && sizeBytes <= COMPARED_BYTES_MAX
}

function liveFile(record: FileHead | undefined): FileHead | undefined {
  return record?.deleted === false && record.type === 'file' ? record : undefined
}

/** The content that the record describes. */
async function readVerified(disk: Disk, root: string, record: FileHead): Promise<Uint8Array> {
  const { blockSizeBytes, name, sizeBytes } = record
  await using opened = await openInside(disk, root, name)
  if (opened?.stat.sizeBytes === sizeBytes) {
    const content = new Uint8Array(sizeBytes)
    let read = 0
    for (let count = 1; count > 0 && read < sizeBytes; read += count)
      count = await opened.file.read(content.subarray(read), read)
    const blocksHash = blocksHashOf(hashBlocks(content, blockSizeBytes))
    if (read === sizeBytes && contentHash({ ...record, blocksHash }) === contentHash(record)) return content
  }
  throw new TwinfoldError('refused', `${JSON.stringify(name)} was changed since the last scan; it is compared after it`)
}
