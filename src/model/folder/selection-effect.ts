import { TwinfoldError } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { isAtOrBelow } from '../../core/paths.ts'
import { FLAG_IGNORED, type FileHead } from '../../core/records/file-info.ts'
import { hasWinner } from '../../core/records/need.ts'
import { devicesWithCopy } from '../../core/records/other-copies.ts'
import type { Listing, NameRecords } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { SelectionEffect } from '../types.ts'

const NAMES_AT_ONCE = 200
const EXAMPLES_MAX = 20

export interface SelectionChange {
  /** The changed paths; '' is the root. */
  readonly paths: readonly string[]
  readonly before: IgnoreRules
  readonly after: IgnoreRules
}

export const NO_EFFECT: SelectionEffect = {
  freed: { files: 0, bytes: 0 },
  fetched: { files: 0, bytes: 0 },
  onlyHere: { files: 0, bytes: 0, examples: [] },
  holders: new Map(),
  truncated: false,
}

/** The refusal to drop files that would be lost. */
export function onlyCopyError({ files, examples }: SelectionEffect['onlyHere']): TwinfoldError {
  const more = files === 1 ? '' : ` and ${files - 1} more`
  const remedy = 'wait until another device has all of it, or force it and lose these files'
  return new TwinfoldError('refused', `no other device has ${JSON.stringify(examples[0])}${more}; ${remedy}`)
}

/** Counts what other rules free and fetch, for at most `workMsMax`. */
export async function measureSelection(
  listing: Pick<Listing, 'listNames' | 'recordsOf'>,
  { paths, before, after }: SelectionChange,
  slice: TimeSlice,
  workMsMax: number,
): Promise<SelectionEffect> {
  const count = new Counting()
  const outermost = paths.filter((path) => !paths.some((other) => other !== path && isAtOrBelow(path, other)))
  for (const path of new Set(outermost)) {
    for await (const names of namesAt(listing, path)) {
      const changed = names.filter((name) => before.match(name).ignored !== after.match(name).ignored)
      for (const records of await listing.recordsOf(changed)) count.add(records, after.match(records.name).ignored)
      if (slice.isDue) await slice.yield()
      if (slice.workedMs > workMsMax) return count.result(true)
    }
  }
  return count.result(false)
}

/** The names at and below a path, some at a time. */
async function* namesAt(listing: Pick<Listing, 'listNames'>, path: string): AsyncGenerator<readonly string[]> {
  if (path !== '') yield [path]
  const inside = path === '' ? '' : `${path}/`
  for (let start: string | undefined = inside; start !== undefined;) {
    const { found, next }: Awaited<ReturnType<Listing['listNames']>> = await listing.listNames(start)
    const names = found.map(({ name }) => name).filter((name) => name.startsWith(inside))
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) yield names.slice(at, at + NAMES_AT_ONCE)
    start = names.length < found.length || next?.startsWith(inside) === false ? undefined : next
  }
}

class Counting {
  #freed = { files: 0, bytes: 0 }
  #fetched = { files: 0, bytes: 0 }
  #onlyHere = { files: 0, bytes: 0 }
  readonly #examples: string[] = []
  readonly #holders = new Map<DeviceId, { files: number; bytes: number }>()

  add({ name, local, global, others }: NameRecords, isDropped: boolean): void {
    if (isDropped) {
      if (local === undefined || !isOnDisk(local) || local.type === 'directory') return
      const holders = devicesWithCopy(local, others)
      this.#count(this.#freed, local, holders)
      if (holders.length > 0) return
      this.#count(this.#onlyHere, local, [])
      if (this.#examples.length < EXAMPLES_MAX) this.#examples.push(name)
    } else if (global.type === 'file' && !global.deleted && (local === undefined || !isOnDisk(local))) {
      const holders = [...others].filter(([, record]) => hasWinner(record, global)).map(([device]) => device)
      this.#count(this.#fetched, global, holders)
    }
  }

  result(truncated: boolean): SelectionEffect {
    const onlyHere = { ...this.#onlyHere, examples: this.#examples }
    return { freed: this.#freed, fetched: this.#fetched, onlyHere, holders: this.#holders, truncated }
  }

  #count(amount: { files: number; bytes: number }, { sizeBytes }: FileHead, holders: readonly DeviceId[]): void {
    amount.files++
    amount.bytes += sizeBytes
    for (const device of holders) {
      const held = this.#holders.get(device) ?? { files: 0, bytes: 0 }
      held.files++
      held.bytes += sizeBytes
      this.#holders.set(device, held)
    }
  }
}

function isOnDisk({ deleted, localFlags }: FileHead): boolean {
  return !deleted && (localFlags & FLAG_IGNORED) === 0
}
