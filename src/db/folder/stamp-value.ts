import type { DatabaseSync } from 'node:sqlite'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { inTransaction, Query } from '../sqlite/sql.ts'
import { CHECKSUM_START, mixNumber } from '../sqlite/checksum.ts'

const CHECK_UNIT = 2 ** 13

/** A disk stamp with a checksum in the low bits. */
export function stampValue(stamp: number): number {
  return stamp * CHECK_UNIT + checkOf(stamp)
}

/** Undefined for a damaged one: it counts as unknown, and the next scan sets it again. */
export function stampOf(value: number): number | undefined {
  const stamp = Math.floor(value / CHECK_UNIT)
  return stampValue(stamp) === value ? stamp : undefined
}

function checkOf(stamp: number): number {
  return mixNumber(CHECKSUM_START, stamp) & (CHECK_UNIT - 1)
}

/** Sets the stamps of our records, by name. */
export function setStamps(database: DatabaseSync, stamps: ReadonlyMap<string, number>): void {
  const set = new Query(database, `UPDATE files SET stamp = ? WHERE device = ${LOCAL_NUMBER} AND name = ?`)
  inTransaction(database, () => {
    for (const [name, stamp] of stamps) set.run(stampValue(stamp), name)
  })
}
