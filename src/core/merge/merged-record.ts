import { blocksHashOf, blockSizeFor, hashBlocks } from '../records/blocks.ts'
import { withoutDiskState, type FileHead, type FileInfo } from '../records/file-info.ts'
import { editedVersion, mergeVersions, type CountTime } from '../records/version-vector.ts'

/** Later than both, so that programs which compare times notice the change. */
const LATER_NS = 1_000_000n

/**
 * Our record of a merged file: a version that follows both, with the mode of the winner. Two devices that merge the
 * same conflict give the file the same time; then only their versions differ, which is no conflict.
 */
export function mergedRecord(
  { local, global }: { readonly local: FileHead; readonly global: FileHead },
  content: Uint8Array,
  options: CountTime,
): FileInfo {
  const blockSizeBytes = blockSizeFor(content.length)
  const blockHashes = hashBlocks(content, blockSizeBytes)
  const [ours, theirs] = [timeNs(local), timeNs(global)]
  const time = (ours > theirs ? ours : theirs) + LATER_NS
  const { previousBlocksHash: _previous, ...kept } = withoutDiskState(global)
  return {
    ...kept,
    sizeBytes: content.length,
    modifiedS: Number(time / 1_000_000_000n),
    modifiedNs: Number(time % 1_000_000_000n),
    version: editedVersion(mergeVersions(local.version, global.version), options),
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: 0,
    blockSizeBytes,
    blockHashes,
    blocksHash: blocksHashOf(blockHashes),
  }
}

function timeNs({ modifiedS, modifiedNs }: FileHead): bigint {
  return BigInt(modifiedS) * 1_000_000_000n + BigInt(modifiedNs)
}
