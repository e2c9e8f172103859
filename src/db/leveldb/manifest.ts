import { damaged } from '../sqlite/damage.ts'
import { logRecords } from './log-file.ts'
import { VarintReader } from './varint.ts'

const COMPARATOR = 'leveldb.BytewiseComparator'
const TAG = { comparator: 1, log: 2, nextFile: 3, lastSequence: 4, pointer: 5, removed: 6, added: 7, previousLog: 9 }
/** The bytes after the user key in a table: sequence number and type. */
export const TRAILER_BYTES = 8
const TABLES_MAX = 200_000

/** A table with its first and last user key. */
export interface TableEntry {
  readonly number: number
  readonly smallest: string
  readonly largest: string
}

export interface Manifest {
  readonly tables: readonly TableEntry[]
  /** Logs with a lower number are leftovers, except the previous one. */
  readonly logNumber: number
  readonly previousLog: number
}

export function readManifest(data: Buffer): Manifest {
  const tables = new Map<number, TableEntry>()
  let logNumber = 0
  let previousLog = 0
  for (const record of logRecords(data)) {
    const reader = new VarintReader(record)
    while (!reader.done) {
      const tag = reader.varint()
      if (tag === TAG.comparator) assertComparator(reader.key())
      else if (tag === TAG.log) logNumber = reader.varint()
      else if (tag === TAG.previousLog) previousLog = reader.varint()
      else if (tag === TAG.nextFile || tag === TAG.lastSequence) reader.varint()
      else if (tag === TAG.pointer) skipPointer(reader)
      else if (tag === TAG.removed) tables.delete(numberOfTable(reader))
      else if (tag === TAG.added) addTable(tables, reader)
      else throw damaged(`an entry of unknown type ${tag} in the manifest`)
    }
  }
  return { tables: [...tables.values()], logNumber, previousLog }
}

function assertComparator(name: string): void {
  if (name !== COMPARATOR) throw damaged(`its keys are in the unknown order ${JSON.stringify(name.slice(0, 64))}`)
}

function skipPointer(reader: VarintReader): void {
  reader.varint()
  reader.bytes()
}

/** After the level. */
function numberOfTable(reader: VarintReader): number {
  reader.varint()
  return reader.varint()
}

function addTable(tables: Map<number, TableEntry>, reader: VarintReader): void {
  const number = numberOfTable(reader)
  reader.varint() // its size: the file has its own
  const [smallest, largest] = [userKey(reader.key()), userKey(reader.key())]
  if (tables.size >= TABLES_MAX) throw damaged(`more than ${TABLES_MAX} tables`)
  tables.set(number, { number, smallest, largest })
}

function userKey(internal: string): string {
  if (internal.length < TRAILER_BYTES) throw damaged('a key that is too short')
  return internal.slice(0, -TRAILER_BYTES)
}
