import { parseAddress, type RelayAddress } from './address.ts'

/** More than the public pool has. */
const RELAYS_MAX = 2_000
/** Relays whose delays differ by less are equally good. */
const BUCKET_MS = 50

/** The relays in the reply of a pool; undefined if it is not one. Entries that are not relays are left out. */
export function parseRelayPool(body: Uint8Array): readonly RelayAddress[] | undefined {
  const entries = entriesOf(body)
  if (entries === undefined) return undefined
  return entries.slice(0, RELAYS_MAX).flatMap((entry) => {
    const text = urlOf(entry)
    const address = text === undefined ? undefined : parseAddress(text)
    return address?.kind === 'relay' ? [address] : []
  })
}

/** Nearest first. Of equally near ones a random one comes first, so that not all devices choose the same. */
export function orderByDelay<T>(
  measured: readonly { readonly value: T; readonly delayMs: number | undefined }[],
  randomBelow: (count: number) => number,
): readonly T[] {
  const bucketOf = (delayMs: number | undefined): number =>
    delayMs === undefined ? Number.POSITIVE_INFINITY : Math.floor(delayMs / BUCKET_MS)
  const buckets = Map.groupBy(measured, ({ delayMs }) => bucketOf(delayMs))
  const ordered = [...buckets].toSorted(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
  return ordered.flatMap(([, bucket]) => shuffled(bucket, randomBelow)).map(({ value }) => value)
}

export function shuffled<T>(values: readonly T[], randomBelow: (count: number) => number): readonly T[] {
  const left = [...values]
  return values.flatMap(() => left.splice(randomBelow(left.length), 1))
}

function entriesOf(body: Uint8Array): readonly unknown[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('relays' in value)) return undefined
  return Array.isArray(value.relays) ? value.relays : undefined
}

function urlOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const named = Object.entries(entry).find(([name]) => name.toLowerCase() === 'url')
  return typeof named?.[1] === 'string' ? named[1] : undefined
}
