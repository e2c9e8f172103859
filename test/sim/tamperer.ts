import type { FileInfo } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import type { IndexStore } from '../../src/db/types.ts'
import type { BlockOrder, BlockResult } from '../../src/platform/files/block-reader.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import { announcingChanged } from './byzantine.ts'

const REPLAYED_CHANCE = 0.25
const WITHHELD_CHANCE = 0.15
const FORGED_CHANCE = 0.1
const BLOCK_CHANCE = 0.3
const BLOCKS_KEPT_MAX = 20

/**
 * A byzantine device that stores encrypted data: it runs the production code, repeats old records and blocks, withholds
 * some records, and changes what it announces and serves.
 */
export class Tamperer {
  readonly #random: SimRandom
  /** All records that it ever had, by name. */
  readonly #records = new Map<string, FileInfo[]>()
  readonly #blocks: Uint8Array[] = []
  active = true
  /** Records and blocks that were repeated, withheld or changed. */
  count = 0
  announcedBytes = 0

  constructor(random: SimRandom) {
    this.#random = random
  }

  announcing(store: IndexStore): IndexStore {
    return announcingChanged(store, this, async (records) => {
      for (const record of records) this.#remember(record)
      if (!this.active) return records
      // The last one of a batch stays: the sender would request it again.
      const kept = records.filter((_, at) => at === records.length - 1 || !this.#does(WITHHELD_CHANCE))
      return kept.map((record) => this.#changed(record, records))
    })
  }

  #remember(record: FileInfo): void {
    const known = this.#records.get(record.name)
    if (known === undefined) this.#records.set(record.name, [record])
    else known.push(record)
  }

  #changed(record: FileInfo, others: readonly FileInfo[]): FileInfo {
    if (this.#does(REPLAYED_CHANCE)) {
      return { ...pick(this.#random, this.#records.get(record.name) ?? [record]), sequence: record.sequence }
    }
    if (record.encrypted === undefined || !this.#does(FORGED_CHANCE)) return record
    const { encrypted } = record
    const version = [{ device: 1n as ShortId, value: 1n << 60n }]
    return pick(this.#random, [
      { ...record, deleted: true, blockHashes: undefined, sizeBytes: 0, version },
      { ...record, version },
      { ...record, encrypted: flipped(encrypted, this.#random) },
      { ...record, encrypted: pick(this.#random, others).encrypted },
      { ...record, encrypted: undefined },
    ])
  }

  /** The block that the device serves instead. */
  served({ sizeBytes }: BlockOrder, result: BlockResult): BlockResult {
    if (result.kind !== 'read' || result.data.length === 0) return result
    const same = this.#blocks.filter(({ length }) => length === sizeBytes)
    this.#blocks.push(Uint8Array.from(result.data))
    if (this.#blocks.length > BLOCKS_KEPT_MAX) this.#blocks.shift()
    if (!this.active || !this.#does(BLOCK_CHANCE)) return result
    const data = same.length > 0 ? pick(this.#random, same) : flipped(result.data, this.#random)
    return { ...result, data, headroomBytes: 0 }
  }

  #does(chance: number): boolean {
    const isChosen = this.#random.chance(chance)
    if (isChosen) this.count++
    return isChosen
  }
}

function flipped(bytes: Uint8Array, random: SimRandom): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[random.int(copy.length)]! ^= 1 << random.int(8)
  return copy
}
