import { isInvalid, type FileHead } from './file-info.ts'
import type { DeviceVersion } from './item-state.ts'
import type { Reason } from './reason.ts'

/** Why another device does not have the newest version. */
export type OtherCode = 'unused-there' | 'paused-there' | 'not-shared-there' | 'deletion-waits-there' | 'missing-there'

/** What is known of an item on another device. */
export interface OtherFacts {
  readonly name: string
  readonly isConnected: boolean
  readonly version: DeviceVersion
  /** What it has announced. */
  readonly record: FileHead | undefined
  /** The folder there; undefined where it is not known. */
  readonly folder?: 'paused' | 'not-shared' | undefined
}

const NAMES_MAX = 5

/**
 * Why other devices do not have what this one has. A device announces no reasons: of an item that it leaves out, that
 * it does so, and of one that it does not have, nothing.
 */
export function otherReasons(others: readonly OtherFacts[], global: FileHead): readonly Reason<OtherCode>[] {
  const behind = others.filter(({ version, record }) => version !== 'newest' && !isGone(record, global))
  const found = Map.groupBy(behind, (each) => codeOf(each, global))
  return CODES.flatMap((code) => {
    const devices = found.get(code) ?? []
    if (devices.length === 0) return []
    const names = namesText(devices.map(({ name }) => name))
    return [{ code, text: TEXTS[code](names, global.deleted), cause: names }]
  })
}

/**
 * A deletion is of no concern to a device that has nothing to delete. One that leaves an item out announces its
 * deletion, too, whether the file is still there or not.
 */
function isGone(record: FileHead | undefined, global: FileHead): boolean {
  return global.deleted && (record === undefined || (record.deleted && !isInvalid(record)))
}

function codeOf({ isConnected, record, folder }: OtherFacts, global: FileHead): OtherCode | 'away' {
  if (record !== undefined && isInvalid(record)) return 'unused-there'
  if (!isConnected) return 'away'
  if (folder === 'paused') return 'paused-there'
  if (folder === 'not-shared') return 'not-shared-there'
  return global.deleted ? 'deletion-waits-there' : 'missing-there'
}

const CODES: readonly OtherCode[] = [
  'unused-there',
  'paused-there',
  'not-shared-there',
  'deletion-waits-there',
  'missing-there',
]

const TEXTS: Readonly<Record<OtherCode, (names: string, isDeleted: boolean) => string>> = {
  'unused-there': (names, isDeleted) =>
    isDeleted
      ? `left out on ${names}, so that its deletion is not applied there: a pattern ignores it there, or it was ` +
        'changed there in a receive-only folder. If the file is still there, remove the pattern or delete it there'
      : `left out on ${names}: a pattern ignores it there, it cannot be read there, or it was changed there in a ` +
        'receive-only folder',
  'paused-there': (names) => `the folder is paused on ${names}`,
  'not-shared-there': (names) => `the folder is not accepted on ${names} yet: "pending accept" there`,
  'deletion-waits-there': (names) =>
    `not deleted yet on ${names}, which is connected: it may ignore deletions, or hold them; "why" there tells it`,
  'missing-there': (names) =>
    `not received yet on ${names}, which is connected. A device does not tell why: "why" there does, such as a full ` +
    'disk or a pattern',
}

function namesText(names: readonly string[]): string {
  const more = names.length - NAMES_MAX
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(', ')} and ${more} more` : names.join(', ')
}
