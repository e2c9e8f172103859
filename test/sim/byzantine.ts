import type { FileInfo } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { COUNTER_MAX, COUNTERS_MAX, type VersionVector } from '../../src/core/records/version-vector.ts'
import type { ExchangeState, FolderIndex, IndexStore } from '../../src/db/types.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { SimDevice } from './device.ts'

const FORGED_CHANCE = 0.4
const FLOOD_CHANCE = 0.1
const FLOOD_MAX = 200
const NAME_MAX = 200
const UINT64_MAX = (1n << 64n) - 1n
const FORGED_COUNTERS = [UINT64_MAX, UINT64_MAX - 1n, 1n << 63n, COUNTER_MAX + 1n, COUNTER_MAX, COUNTER_MAX - 1n]

/**
 * A byzantine device: it runs the production code, and what it announces of its index has forged versions, with the
 * last possible counters of honest devices or as many counters as are accepted, and records that it has invented.
 */
export class Forger {
  readonly #random: SimRandom
  /** Set once all devices exist. */
  victims: readonly SimDevice[] = []
  active = true
  /** Records announced with a forged version, or invented. */
  forged = 0
  announcedBytes = 0
  #invented = 0

  constructor(random: SimRandom) {
    this.#random = random
  }

  /** The same store, whose records are announced with forged versions. */
  announcing(store: IndexStore): IndexStore {
    return announcingChanged(store, this, async (records) => {
      const ids = await Promise.all(this.victims.map(async (victim) => (await victim.index()).exchange.counterId()))
      const known = ids.filter((id) => id !== undefined)
      return this.#flooded(records.map((record) => this.#forged(record, known)))
    })
  }

  /** With many deletions of files that never existed, in some batches. */
  #flooded(records: readonly FileInfo[]): readonly FileInfo[] {
    const last = records.at(-1)
    if (last === undefined || !this.active || !this.#random.chance(FLOOD_CHANCE)) return records
    const invented = Array.from({ length: this.#random.int(FLOOD_MAX) }, () => this.#deletion(last))
    this.forged += invented.length
    return [...records.slice(0, -1), ...invented, last]
  }

  /** Of the same sequence as another record, as its own index has no other. */
  #deletion({ sequence, modifiedBy }: FileInfo): FileInfo {
    const name = `never ${this.#invented++} ${'x'.repeat(this.#random.int(NAME_MAX))}`
    return {
      name,
      type: 'file',
      deleted: true,
      sizeBytes: 0,
      modifiedS: 1,
      modifiedNs: 0,
      permissions: 0,
      noPermissions: true,
      version: [{ device: modifiedBy, value: 1n }],
      modifiedBy,
      sequence,
      localFlags: 0,
      blockSizeBytes: 0,
      blocksHash: undefined,
      symlinkTarget: '',
      blockHashes: undefined,
    }
  }

  #forged(record: FileInfo, counterIds: readonly ShortId[]): FileInfo {
    if (!this.active || !this.#random.chance(FORGED_CHANCE)) return record
    this.forged++
    const counters = new Map(record.version.map(({ device, value }) => [device, value]))
    const length = this.#random.chance(0.1) ? COUNTERS_MAX - 2 : 0
    for (let i = 0; counters.size < length; i++) counters.set(BigInt(i * i) as ShortId, 1n)
    const forged = this.#random.chance(0.5) ? counterIds : [pick(this.#random, counterIds)]
    for (const id of forged) counters.set(id, pick(this.#random, FORGED_COUNTERS))
    return { ...record, version: vectorOf(counters) }
  }
}

function vectorOf(counters: ReadonlyMap<ShortId, bigint>): VersionVector {
  return [...counters].map(([device, value]) => ({ device, value })).sort((a, b) => (a.device < b.device ? -1 : 1))
}

/** The sizes of all files that were announced. */
interface Tally {
  announcedBytes: number
}

type AnnouncedRecords = Awaited<ReturnType<ExchangeState['localSince']>>

/** The same store, whose records are announced as `change` returns them. */
export function announcingChanged(
  store: IndexStore,
  tally: Tally,
  change: (records: AnnouncedRecords) => Promise<AnnouncedRecords>,
): IndexStore {
  const announcing = (index: FolderIndex): FolderIndex =>
    replacing(index, {
      exchange: replacing(index.exchange, {
        localSince: async (...args) => {
          const announced = await change(await index.exchange.localSince(...args))
          tally.announcedBytes += announced.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
          return announced
        },
      }),
    })
  return replacing(store, { folder: async (id) => announcing(await store.folder(id)) })
}

/** An object with some methods replaced. */
function replacing<T extends object>(target: T, methods: Partial<T>): T {
  const replaced = new Map<PropertyKey, unknown>(Object.entries(methods))
  return new Proxy(target, {
    get: (object, key) => {
      const value: unknown = replaced.get(key) ?? Reflect.get(object, key, object)
      return typeof value === 'function' && !replaced.has(key) ? value.bind(object) : value
    },
  })
}
