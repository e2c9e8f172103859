import type { ShortId } from '../ids.ts'

/** Sorted by device (unsigned), one entry per device. An empty vector is older than any version. */
export type VersionVector = readonly { readonly device: ShortId; readonly value: bigint }[]

/**
 * Concurrency has a direction, for tie-breaks: `concurrent-newer` is ahead at the lowest device
 * where the two differ.
 */
export type Ordering = 'equal' | 'older' | 'newer' | 'concurrent-older' | 'concurrent-newer'

/**
 * The highest counter that is issued, and accepted from a peer. Counters are seconds since 1970: this is far beyond
 * every clock that is merely wrong (Windows ends in the year 30,828) and far below 2^64. A peer could otherwise send
 * the last possible counter of a device, whose edits would then have no version of their own.
 */
export const COUNTER_MAX = 1n << 44n

/** The most counters of a version that is accepted from a peer, far more than devices ever change one file. */
export const COUNTERS_MAX = 1_000

/** Versions that have more counters get none of a single start of a device: that bounds a file edited after each. */
const COUNTERS_MAX_FOR_TEMPORARY = 64

const DEVICES = 1n << 64n

/** Whether a version of a peer is used. Every edit of an acceptable version by `bumpVersion` is newer than it. */
export function isAcceptable(version: VersionVector): boolean {
  return version.length <= COUNTERS_MAX && version.every(({ value }) => value <= COUNTER_MAX)
}

/** Compares `a` with `b`. A missing counter is zero. Never throws: any two vectors are comparable. */
export function compareVersions(a: VersionVector, b: VersionVector): Ordering {
  // The same object is common: records read from the store share the vectors of adjacent records.
  if (a === b) return 'equal'
  let ahead = false
  let behind = false
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const left = a[i]
    const right = b[j]
    let difference: bigint
    if (right === undefined || (left !== undefined && left.device < right.device)) {
      difference = left!.value
      i++
    } else if (left === undefined || right.device < left.device) {
      difference = -right.value
      j++
    } else {
      difference = left.value - right.value
      i++
      j++
    }
    if (difference > 0n) {
      if (behind) return 'concurrent-older'
      ahead = true
    } else if (difference < 0n) {
      if (ahead) return 'concurrent-newer'
      behind = true
    }
  }
  if (ahead) return 'newer'
  return behind ? 'older' : 'equal'
}

/** Neither version contains the other. */
export function isConcurrent(a: VersionVector, b: VersionVector): boolean {
  const order = compareVersions(a, b)
  return order === 'concurrent-older' || order === 'concurrent-newer'
}

/** The version of an edit made by `device` at `nowS` on top of `vector`: always newer than `vector`. */
export function bumpVersion(vector: VersionVector, device: ShortId, nowS: number): VersionVector {
  const now = BigInt(Math.max(1, Math.floor(nowS)))
  const raised = counterToRaise(vector, device)
  const place = vector.findIndex((counter) => counter.device >= raised)
  const at = place === -1 ? vector.length : place
  const old = vector[at]
  if (old === undefined || old.device !== raised) return vector.toSpliced(at, 0, { device: raised, value: now })
  return vector.with(at, { device: raised, value: old.value >= now ? old.value + 1n : now })
}

/**
 * Normally the counter of the device itself. One at its limit, which only a peer can have invented, is continued by the
 * counter of the next identifier, which belongs to no device: a wrong counter must not end the syncing of a file.
 */
function counterToRaise(vector: VersionVector, device: ShortId): ShortId {
  const own = vector.find((counter) => counter.device === device)
  if (own === undefined ? vector.length < COUNTERS_MAX : own.value < COUNTER_MAX) return device
  const values = new Map<bigint, bigint>(vector.map((counter) => [counter.device, counter.value]))
  let raised: bigint = device
  while ((values.get(raised) ?? 0n) >= COUNTER_MAX) raised = (raised + 1n) % DEVICES
  if (values.has(raised) || vector.length < COUNTERS_MAX) return raised as ShortId
  // Peers refuse a longer version: another counter is raised, if one is below its limit.
  const usable = vector.filter((counter) => counter.value < COUNTER_MAX)
  return (usable.find((counter) => counter.device > raised) ?? usable[0])?.device ?? (raised as ShortId)
}

/** How this device counts its edits. */
export interface Counting {
  readonly ownShortId: ShortId
  /** The ID under which this device counts in version vectors; by default its short ID. */
  readonly counterId?: ShortId | undefined
  /** Used instead while versions may exist elsewhere that this device counted and no longer has. */
  readonly temporaryId?: ShortId | undefined
  /** Lower counters may have been used and lost. */
  readonly minCounter?: number | undefined
}

/** The inputs of the counter of an edit. */
export interface CountTime extends Counting {
  readonly nowS: number
}

/** The counter of the first edit of a name: the current time, unless the clock is behind a lost counter. */
export function firstCounter({ nowS, minCounter }: Pick<CountTime, 'nowS' | 'minCounter'>): number {
  return Math.max(nowS, minCounter ?? 0)
}

/** The version of an edit of `base` made by this device. */
export function editedVersion(base: VersionVector, options: CountTime): VersionVector {
  const { ownShortId, counterId = ownShortId, temporaryId } = options
  const usesTemporary =
    temporaryId !== undefined &&
    (base.length < COUNTERS_MAX_FOR_TEMPORARY || base.some(({ device }) => device === temporaryId))
  return bumpVersion(base, usesTemporary ? temporaryId : counterId, firstCounter(options))
}

/**
 * The counter of `device` that is lost when `successor` replaces `replaced`, which may be concurrent; 0 when none is.
 * Other devices may have received it: reusing a lower counter would make an edit look like one they already have.
 */
export function lostCounter(replaced: VersionVector, successor: VersionVector, device: ShortId): bigint {
  if (replaced === successor) return 0n
  const count = countOf(replaced, device)
  return count > countOf(successor, device) ? count : 0n
}

function countOf(vector: VersionVector, device: ShortId): bigint {
  return vector.find((counter) => counter.device === device)?.value ?? 0n
}

/**
 * A version of ours that was made from an unknown state: it counts under a new ID, and is concurrent with all versions
 * that contain a counter which this device no longer knows.
 */
export function recountVersion(vector: VersionVector, from: ShortId, to: ShortId): VersionVector {
  const value = countOf(vector, from)
  const others = vector.filter(({ device }) => device !== from)
  return value === 0n ? vector : mergeVersions(others, [{ device: to, value }])
}

/** The smallest version that succeeds or equals both. */
export function mergeVersions(a: VersionVector, b: VersionVector): VersionVector {
  const merged: { device: ShortId; value: bigint }[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const left = a[i]
    const right = b[j]
    if (right === undefined || (left !== undefined && left.device < right.device)) {
      merged.push(left!)
      i++
    } else if (left === undefined || right.device < left.device) {
      merged.push(right)
      j++
    } else {
      merged.push(left.value >= right.value ? left : right)
      i++
      j++
    }
  }
  return merged
}

/**
 * Only the counters of this device itself. A record that was ignored, unsupported or changed in a receive-only folder
 * continues from here, so that its successor conflicts with the version of others instead of replacing it unnoticed.
 */
export function dropForeignCounters(
  vector: VersionVector,
  { ownShortId, counterId = ownShortId, temporaryId }: Counting,
): VersionVector {
  return vector.filter(({ device }) => device === counterId || device === temporaryId)
}

/** One text per vector, for storage: `device:value` in hexadecimal, joined by commas. */
export function versionToText(vector: VersionVector): string {
  let text = ''
  for (const { device, value } of vector) {
    text += `${text === '' ? '' : ','}${device.toString(16)}:${value.toString(16)}`
  }
  return text
}

const COUNTER = /^([0-9a-f]{1,16}):([0-9a-f]{1,16})$/

/** The reverse of `versionToText`; undefined for anything it would not have written. */
export function parseVersion(text: string): VersionVector | undefined {
  if (text === '') return []
  const vector: { device: ShortId; value: bigint }[] = []
  for (const part of text.split(',')) {
    const match = COUNTER.exec(part)
    if (match === null) return undefined
    const device = BigInt(`0x${match[1]}`) as ShortId
    const last = vector.at(-1)
    if (last !== undefined && last.device >= device) return undefined
    vector.push({ device, value: BigInt(`0x${match[2]}`) })
  }
  return vector
}
