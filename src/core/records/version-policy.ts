import type { VersioningConfig } from '../config/config.ts'

/** How long and how many old versions a folder keeps. 0 is unlimited. */
export type VersionPolicy =
  /** One version of each file, under its own name, until it is this old. */
  | { readonly kind: 'trashcan'; readonly ageSMax: number }
  /** A trash can that has older versions of a file, too, with growing intervals; the newest is always kept. */
  | { readonly kind: 'deep-trashcan'; readonly ageSMax: number }
  | { readonly kind: 'simple'; readonly countMax: number; readonly ageSMax: number }
  /** The intervals between versions grow with their age. */
  | { readonly kind: 'staggered'; readonly ageSMax: number }
  /** An external command decides. */
  | { readonly kind: 'external'; readonly command: string }

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
const KEEP_DEFAULT = 5
const STAGGERED_AGE_S_DEFAULT = 365 * DAY_S

/** The policy in the settings of a folder; undefined when it keeps no versions. */
export function versionPolicy({ type, params }: Pick<VersioningConfig, 'type' | 'params'>): VersionPolicy | undefined {
  switch (type) {
    case 'trashcan':
      return { kind: 'trashcan', ageSMax: days(params['cleanoutDays']) }
    case 'simple':
      return {
        kind: 'simple',
        countMax: Math.max(1, whole(params['keep'], KEEP_DEFAULT)),
        ageSMax: days(params['cleanoutDays']),
      }
    case 'staggered':
      return { kind: 'staggered', ageSMax: Math.max(0, whole(params['maxAge'], STAGGERED_AGE_S_DEFAULT)) }
    case 'external':
      return { kind: 'external', command: params['command'] ?? '' }
    default:
      return undefined
  }
}

function whole(text: string | undefined, otherwise: number): number {
  const trimmed = text?.trim() ?? ''
  return /^[+-]?\d{1,15}$/.test(trimmed) ? Number(trimmed) : otherwise
}

function days(text: string | undefined): number {
  return Math.max(0, whole(text, 0)) * DAY_S
}

/** The versions of one file to remove, by their age. Returns indexes in `agesS`. */
export function surplusVersions(policy: VersionPolicy, agesS: readonly number[]): readonly number[] {
  switch (policy.kind) {
    case 'trashcan':
      return tooOld(agesS, policy.ageSMax)
    case 'simple':
      return tooMany(agesS, policy.countMax, policy.ageSMax)
    case 'deep-trashcan':
      return olderTooClose(agesS, policy.ageSMax)
    case 'staggered':
      return tooClose(agesS, policy.ageSMax)
    case 'external':
      return []
  }
}

function tooOld(agesS: readonly number[], ageSMax: number): readonly number[] {
  return agesS.flatMap((ageS, place) => (ageSMax > 0 && ageS > ageSMax ? [place] : []))
}

function tooMany(agesS: readonly number[], countMax: number, ageSMax: number): readonly number[] {
  const youngestFirst = agesS.map((ageS, place) => ({ ageS, place })).sort((a, b) => a.ageS - b.ageS)
  return youngestFirst.flatMap(({ ageS, place }, rank) =>
    rank >= countMax || (ageSMax > 0 && ageS > ageSMax) ? [place] : [],
  )
}

/** The time until one of the versions of a file may become surplus without a new one; infinite for never. */
export function secondsToSurplus(policy: VersionPolicy, agesS: readonly number[]): number {
  if (policy.kind === 'external') return Number.POSITIVE_INFINITY
  const agesMax = [
    ...(policy.ageSMax > 0 ? [policy.ageSMax] : []),
    ...(agesS.length > 1 && (policy.kind === 'staggered' || policy.kind === 'deep-trashcan')
      ? INTERVALS.map(({ untilS }) => untilS)
      : []),
  ]
  let leastS = Number.POSITIVE_INFINITY
  for (const ageS of agesS)
    for (const ageSMax of agesMax) if (ageS <= ageSMax) leastS = Math.min(leastS, ageSMax - ageS)
  return leastS
}

/** Of versions younger than `untilS` those are kept that are at least `stepS` apart. */
const INTERVALS = [
  { stepS: 30, untilS: HOUR_S },
  { stepS: HOUR_S, untilS: DAY_S },
  { stepS: DAY_S, untilS: 30 * DAY_S },
  { stepS: 7 * DAY_S, untilS: Number.POSITIVE_INFINITY },
] as const

function olderTooClose(agesS: readonly number[], ageSMax: number): readonly number[] {
  let newest = 0
  for (const [place, ageS] of agesS.entries()) if (ageS < agesS[newest]!) newest = place
  const isTooOld = new Set(tooOld(agesS, ageSMax))
  return tooClose(agesS, ageSMax).filter((place) => place !== newest || isTooOld.has(place))
}

/** Of two that are too close the older one is kept, so that new versions do not displace it. */
function tooClose(agesS: readonly number[], ageSMax: number): readonly number[] {
  const oldestFirst = agesS.map((ageS, place) => ({ ageS, place })).sort((a, b) => b.ageS - a.ageS)
  const surplus: number[] = []
  let keptS: number | undefined
  for (const { ageS, place } of oldestFirst) {
    const stepS = INTERVALS.find(({ untilS }) => ageS < untilS)?.stepS ?? 0
    if ((ageSMax > 0 && ageS > ageSMax) || (keptS !== undefined && keptS - ageS < stepS)) surplus.push(place)
    else keptS = ageS
  }
  return surplus
}
