import type { VersioningConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'

/** How a folder keeps old versions; `external` needs a command and is set by `cli config`. */
export const VERSIONING_TYPES = ['trashcan', 'simple', 'staggered'] as const
export type VersioningType = (typeof VERSIONING_TYPES)[number]

export const VERSIONING_MEANINGS: Readonly<Record<VersioningType, string>> = {
  trashcan: 'the newest old version of each file',
  simple: 'the last versions of each file, 5 unless --keep says otherwise',
  staggered: 'many recent versions of each file and fewer old ones, for a year unless --days says otherwise',
}

export interface VersioningLimits {
  /** How many versions of a file, with `simple`. */
  readonly keep?: number
  /** How long; 0 is without a limit. */
  readonly days?: number
}

const DAY_S = 86_400

/** The settings of a folder with versioning of this type; limits that are not given stay. */
export function withVersioning(
  before: VersioningConfig,
  type: VersioningType | 'off',
  { keep, days }: VersioningLimits = {},
): VersioningConfig {
  if (type === 'off') return { ...before, type: '' }
  if (keep !== undefined && type !== 'simple') {
    throw new TwinfoldError('usage', `--keep is only for the type simple; ${type} has no number of versions`)
  }
  if (keep === 0) throw new TwinfoldError('usage', '--keep must be 1 or more; "versions off" keeps none')
  const age = type === 'staggered' ? { maxAge: (days ?? 0) * DAY_S } : { cleanoutDays: days ?? 0 }
  const params = {
    ...(keep !== undefined && { keep }),
    ...(days !== undefined && age),
  }
  const texts = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  return { ...before, type, params: { ...before.params, ...Object.fromEntries(texts) } }
}
