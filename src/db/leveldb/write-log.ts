import { damaged } from '../sqlite/damage.ts'
import { logRecords } from './log-file.ts'
import type { Version } from './table.ts'
import { VarintReader } from './varint.ts'

const DELETE = 0
const PUT = 1

/** The newest version of each key in the logs. They hold what no table has yet, in a small database nearly all. */
export class WriteLog {
  readonly #newest = new Map<string, Version>()
  #sorted: readonly string[] | undefined

  add(log: Buffer): void {
    for (const record of logRecords(log)) {
      if (record.length < 12) throw damaged('a record of the log that is too short')
      const first = Number(record.readBigUInt64LE(0))
      const count = record.readUInt32LE(8)
      const reader = new VarintReader(record, 12)
      for (let place = 0; place < count; place++) {
        const type = reader.varint()
        if (type !== PUT && type !== DELETE) throw damaged(`an operation of unknown type ${type} in the log`)
        const key = reader.key()
        this.#put({ key, sequence: first + place, value: type === PUT ? reader.bytes() : undefined })
      }
    }
  }

  #put(version: Version): void {
    const before = this.#newest.get(version.key)
    if (before === undefined || before.sequence < version.sequence) this.#newest.set(version.key, version)
  }

  get(key: string): Version | undefined {
    return this.#newest.get(key)
  }

  /** In the order of keys, `from` included, `to` not. After the last `add`. */
  range(from: string, to: string): readonly Version[] {
    this.#sorted ??= [...this.#newest.keys()].sort(compareKeys)
    const keys = this.#sorted.slice(placeOf(this.#sorted, from), placeOf(this.#sorted, to))
    return keys.map((key) => this.#newest.get(key)!)
  }
}

export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The place of the first key that is not below `key`. */
export function placeOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
