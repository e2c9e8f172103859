import { deletionOf, recordOf, type RecordOptions } from '../../src/core/records/change.ts'
import type { FileHead, FileType } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { findWinner } from '../../src/core/records/need.ts'
import { hasSameContent, jointDeletion, planStep } from '../../src/core/records/plan.ts'
import { shuffled } from '../../src/core/records/pull-order.ts'
import { forgottenCount } from '../../src/core/records/version-vector.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { LawBroken } from './laws.ts'

/** More than any case can take: each record travels to each device once, and is then decided upon. */
const ROUNDS_MAX = 200
const BLOCK_SIZE_BYTES = 131_072
const TYPES: readonly FileType[] = ['file', 'file', 'file', 'directory', 'symlink']

/** One device as the planner sees it: what it has, what it was told, and what it put aside. */
interface Party {
  readonly options: RecordOptions
  /** Above every count of its own that it forgot. */
  minCounter: number
  local: FileHead | undefined
  readonly remote: (FileHead | undefined)[]
  /** Told by each other device and not read yet; each keeps its order. */
  readonly inbox: FileHead[][]
  /** Contents kept under a conflict name. */
  readonly saved: Set<number>
}

/** Devices, one name, and the pure decisions of `core`: steps succeed by changing the record. No disk, no clock. */
export class PlannerCase {
  readonly #random: SimRandom
  /** Apart, so that asking in another order does not make it another case. */
  readonly #orders: SimRandom
  readonly #parties: readonly Party[]
  readonly #released = new Set<number>()
  /** Contents of files: only they are worth a copy. */
  readonly #files = new Set<number>()
  readonly #print: ((line: string) => void) | undefined
  #contents = 0
  #nowS = 1_000
  rounds = 0
  conflicts = 0

  constructor(seed: number, print?: (line: string) => void) {
    this.#random = new SimRandom(seed)
    this.#orders = new SimRandom(seed)
    this.#print = print
    const count = 2 + this.#random.int(4)
    this.#parties = Array.from({ length: count }, (_, i) => ({
      options: { ownShortId: BigInt(i + 1) as ShortId, nowS: 0, localFlags: 0, ignorePerms: false },
      minCounter: 0,
      local: undefined,
      remote: Array.from({ length: count }),
      inbox: Array.from({ length: count }, () => []),
      saved: new Set<number>(),
    }))
  }

  /** Throws `LawBroken` when devices do not come to an end, or to the same end, or lose somebody's work. */
  run(): void {
    for (let step = 3 + this.#random.int(12); step > 0; step--) {
      const at = this.#random.int(this.#parties.length)
      const chance = this.#random.int(10)
      if (chance < 4) this.#edit(at)
      else if (chance < 5) this.#remove(at)
      else if (chance < 8) this.#read(at, this.#random.int(this.#parties.length))
      else this.#pull(at)
      // Clocks are not to be trusted: time goes on, stands still, or goes back a little.
      this.#nowS += this.#random.int(5) - 1
    }
    this.#settle()
    this.#check()
  }

  #edit(at: number): void {
    const party = this.#parties[at]!
    this.#release(party.local)
    const content = ++this.#contents
    const type = TYPES[this.#random.int(TYPES.length)] ?? 'file'
    const item = {
      name: 'x',
      type,
      sizeBytes: type === 'file' ? content : 0,
      modifiedS: this.#nowS,
      modifiedNs: 0,
      mode: 0o644,
      symlinkTarget: type === 'symlink' ? `to ${content}` : '',
    }
    if (type === 'file') this.#files.add(content)
    const hash = Uint8Array.of(content >> 8, content & 0xff)
    const blocks =
      type === 'file' ? { blockSizeBytes: BLOCK_SIZE_BYTES, blockHashes: hash, blocksHash: hash } : undefined
    this.#tell(at, recordOf(item, party.local, blocks, this.#optionsOf(party)), `writes ${type} <${content}>`)
  }

  #remove(at: number): void {
    const party = this.#parties[at]!
    if (party.local === undefined || party.local.deleted) return
    this.#release(party.local)
    this.#tell(at, deletionOf(party.local, this.#optionsOf(party)), 'removes')
  }

  #optionsOf({ options, minCounter }: Party): RecordOptions {
    return { ...options, minCounter, nowS: this.#nowS }
  }

  #read(at: number, from: number): boolean {
    const party = this.#parties[at]!
    const record = party.inbox[from]?.shift()
    if (record === undefined) return false
    party.remote[from] = record
    return true
  }

  /** True when something changed. */
  #pull(at: number): boolean {
    const party = this.#parties[at]!
    const records = [party.local, ...party.remote].filter((record) => record !== undefined)
    const global = records[findWinner(records)]
    if (global === undefined) return false
    this.#checkOrder(party, global)
    const step = planStep({ local: party.local, global, ignored: false, ignoreDelete: false })
    checkExcluded(party.local, global)
    if (step.kind === 'keep' || step.kind === 'ignore') return false
    if ('saveOurs' in step && step.saveOurs && party.local !== undefined) {
      party.saved.add(party.local.sizeBytes)
      this.conflicts++
    }
    if (step.kind === 'metadata' && !(party.local !== undefined && hasSameContent(party.local, global))) {
      throw new LawBroken('plan', 'only metadata was taken where the content differs')
    }
    const record = step.kind === 'adopt' ? jointDeletion(party.local, global) : global
    const forgotten = forgottenCount(party.local?.version ?? [], record.version, party.options.ownShortId)
    party.minCounter = Math.max(party.minCounter, Number(forgotten) + 1)
    this.#tell(at, record, `does ${JSON.stringify(step)} for`)
    const again = planStep({ local: party.local, global, ignored: false, ignoreDelete: false })
    if (again.kind !== 'keep')
      throw new LawBroken('progress', `${step.kind} is followed by ${again.kind} for the same record`)
    return true
  }

  /** Others are asked in any order: the winner is the same. */
  #checkOrder(party: Party, global: FileHead): void {
    const mixed = shuffled(party.remote, (below) => this.#orders.int(below))
    const records = [party.local, ...mixed].filter((record) => record !== undefined)
    const [expected, winner] = [textOf(global), textOf(records[findWinner(records)])]
    if (winner !== expected) throw new LawBroken('order', `${expected} wins, and in another order ${winner}`)
  }

  #tell(at: number, record: FileHead, why: string): void {
    const party = this.#parties[at]!
    party.local = record
    this.#parties.forEach((other, i) => {
      if (i !== at) other.inbox[at]?.push(record)
    })
    this.#print?.(`device ${at} ${why} ${textOf(record)}`)
  }

  /** Everything arrives, in any order, and is decided upon until nobody has anything to do. */
  #settle(): void {
    const order = this.#parties.map((_, i) => i)
    for (let busy = true; busy;) {
      if (++this.rounds > ROUNDS_MAX) throw new LawBroken('ends', `still busy after ${ROUNDS_MAX} rounds`)
      busy = false
      order.sort(() => this.#random.int(3) - 1)
      for (const at of order) {
        for (const from of order) while (this.#random.chance(0.8) && this.#read(at, from)) busy = true
        busy = this.#pull(at) || busy || this.#parties[at]!.inbox.some((waiting) => waiting.length > 0)
      }
    }
  }

  #check(): void {
    const first = textOf(this.#parties[0]?.local)
    for (const { local } of this.#parties) {
      // Nobody needs the deletion of what they never had.
      const [here, there] = [textOf(local), first]
      const goneAnyway = (local?.deleted ?? true) && (this.#parties[0]?.local?.deleted ?? true)
      if (here !== there && !goneAnyway) throw new LawBroken('convergence', `one has ${there}, another ${here}`)
    }
    const kept = new Set(this.#parties.flatMap(({ local, saved }) => [...saved, local?.sizeBytes ?? 0]))
    for (let content = 1; content <= this.#contents; content++) {
      if (this.#files.has(content) && !this.#released.has(content) && !kept.has(content)) {
        throw new LawBroken('no edit lost', `content <${content}> is nowhere`)
      }
    }
  }

  #release(record: FileHead | undefined): void {
    if (record?.type === 'file' && !record.deleted) this.#released.add(record.sizeBytes)
  }
}

/** Where the name is excluded nothing happens to the disk. */
function checkExcluded(local: FileHead | undefined, global: FileHead): void {
  const { kind } = planStep({ local, global, ignored: true, ignoreDelete: false })
  if (kind !== 'keep' && kind !== 'ignore') throw new LawBroken('plan', `${kind} of a name that is excluded`)
}

function textOf(record: FileHead | undefined): string {
  if (record === undefined) return 'nothing'
  const version = record.version.map(({ device, value }) => `${device}:${value}`).join(' ')
  return `${record.deleted ? 'deleted ' : ''}${record.type} <${record.sizeBytes}${record.symlinkTarget}> at ${version}`
}
