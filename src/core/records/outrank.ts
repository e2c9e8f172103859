import type { ShortId } from '../ids.ts'
import { isInvalid, type FileHead } from './file-info.ts'
import { compareVersions, COUNTER_MAX, isConcurrent, type VersionVector } from './version-vector.ts'

/**
 * The version that our record needs for an untrusted device to take it instead of the one it announces; undefined where
 * it has none or takes ours anyway. Such a device orders versions by the sum of their counters, and would keep a
 * concurrent one that loses against ours from the devices behind it. Ours stays concurrent: no edit is hidden by it.
 */
export function outrankingVersion(
  { local, global, announced }: { readonly local: FileHead; readonly global: FileHead; readonly announced: FileHead },
  counterId: ShortId,
): VersionVector | undefined {
  if (isInvalid(local) || isInvalid(announced) || (local.deleted && announced.deleted)) return undefined
  if (!isConcurrent(local.version, announced.version)) return undefined
  if (compareVersions(local.version, global.version) !== 'equal') return undefined // another record wins
  const missing = sumOf(announced.version) - sumOf(local.version) + 1n
  if (missing <= 0n) return undefined
  const others = local.version.filter(({ device }) => device !== counterId)
  const value = (local.version.find(({ device }) => device === counterId)?.value ?? 0n) + missing
  if (value > COUNTER_MAX) return undefined
  return [...others, { device: counterId, value }].sort((a, b) => (a.device < b.device ? -1 : 1))
}

function sumOf(version: VersionVector): bigint {
  return version.reduce((sum, { value }) => sum + value, 0n)
}
