import type { FileInfo } from '../../src/core/records/file-info.ts'
import { compareNames, isAtOrBelow } from '../../src/core/paths.ts'
import type { ScanIndex } from '../../src/scanner/types.ts'

/** An index in a map, with the guarantees a scan relies on. */
export class MemoryIndex implements ScanIndex {
  readonly records = new Map<string, FileInfo>()
  readonly batches: (readonly FileInfo[])[] = []
  sequence = 0
  /** The records of other devices that win over ours. */
  readonly others = new Map<string, FileInfo>()

  page: ScanIndex['page'] = async (_, { within, afterName, limit }) => {
    return [...this.records.values()]
      .filter(
        ({ name }) =>
          (within === '' || isAtOrBelow(name, within)) && (afterName === '' || compareNames(name, afterName) > 0),
      )
      .sort((a, b) => compareNames(a.name, b.name))
      .slice(0, limit)
  }

  head: ScanIndex['head'] = async (_, name) => this.records.get(name)

  heads: ScanIndex['heads'] = async (_, names) => names.map((name) => this.records.get(name))

  global: ScanIndex['global'] = async (name) => this.others.get(name) ?? this.records.get(name)

  updateLocal: ScanIndex['updateLocal'] = async (batch) => {
    this.batches.push(batch)
    for (const record of batch) this.records.set(record.name, { ...record, sequence: ++this.sequence })
    return this.sequence
  }

  setDiskStamps: ScanIndex['setDiskStamps'] = async (stamps) => {
    for (const [name, diskStamp] of stamps) this.records.set(name, { ...this.records.get(name)!, diskStamp })
  }

  localByBlocks: ScanIndex['localByBlocks'] = async (blocksHash, limit) => {
    const wanted = Buffer.from(blocksHash)
    return [...this.records.values()]
      .filter((record) => !record.deleted && record.blocksHash !== undefined && wanted.equals(record.blocksHash))
      .slice(0, limit)
  }

  /** Names of live, valid records, in order. */
  get live(): string[] {
    return [...this.records.values()]
      .filter((record) => !record.deleted && record.localFlags === 0)
      .map((record) => record.name)
      .sort(compareNames)
  }
}
