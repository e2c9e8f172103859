import { isInvalid, type FileHead } from './file-info.ts'
import { compareVersions } from './version-vector.ts'

/**
 * The devices that have the content of an item of ours, or a version that was made with knowledge of it: then nothing
 * is lost if ours is removed. A concurrent version is not one, and neither is a deletion.
 */
export function devicesWithCopy<Device>(
  local: FileHead,
  others: Iterable<readonly [Device, FileHead]>,
): readonly Device[] {
  const found: Device[] = []
  for (const [device, other] of others) if (isCopy(local, other)) found.push(device)
  return found
}

function isCopy(local: FileHead, other: FileHead): boolean {
  if (isInvalid(local) || isInvalid(other) || other.deleted || other.type !== local.type) return false
  const order = compareVersions(other.version, local.version)
  return order === 'equal' || order === 'newer'
}
