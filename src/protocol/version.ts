import type { ShortId } from '../core/ids.ts'
import type { VersionVector } from '../core/records/version-vector.ts'
import type { WireVector } from './messages.ts'

/** Normalizes a vector: sorted by device, without duplicates and zeros. */
export function versionFromWire(vector: WireVector | undefined): VersionVector {
  const counters = vector?.counters ?? []
  let version: { device: ShortId; value: bigint }[] = []
  let inOrder = true
  for (const { id, value } of counters) {
    if (value === 0n) continue // a missing counter is zero
    inOrder &&= version.length === 0 || version.at(-1)!.device < id
    version.push({ device: id as ShortId, value })
  }
  if (!inOrder) version = merged(version)
  return version
}

/** Keeps the highest of several counters of one device. */
function merged(version: readonly { readonly device: ShortId; readonly value: bigint }[]) {
  const highest = new Map<ShortId, bigint>()
  for (const { device, value } of version) {
    const known = highest.get(device)
    if (known === undefined || known < value) highest.set(device, value)
  }
  return [...highest].map(([device, value]) => ({ device, value })).sort((a, b) => (a.device < b.device ? -1 : 1))
}

export function versionToWire(version: VersionVector): WireVector {
  return { counters: version.map(({ device, value }) => ({ id: device, value })) }
}
