import { deletionOf, recordOf, type RecordOptions } from '../../src/core/records/change.ts'
import { settledRecord } from '../../src/core/records/contested-deletion.ts'
import type { FileHead, FileType } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { findWinner, isHeldElsewhere } from '../../src/core/records/need.ts'
import { hasSameContent, jointDeletion, planStep } from '../../src/core/records/plan.ts'
import { shuffled } from '../../src/core/records/pull-order.ts'
import { compareVersions, lostCounter } from '../../src/core/records/version-vector.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { InvariantViolation } from './invariants.ts'

/** More than any case can take: each record is sent to each device once and decided there. */
const ROUNDS_MAX = 200
const BLOCK_SIZE_BYTES = 131_072
const TYPES: readonly FileType[] = ['file', 'file', 'file', 'directory', 'symlink']

/** The programs of a mixed fleet; one at least is ours. */
type Program = 'twinfold' | 'syncthing 1.x' | 'syncthing 2.x'
const PROGRAMS: readonly Program[] = ['twinfold', 'syncthing 1.x', 'syncthing 2.x']

/** One device as the planner sees it: its record, those it received, and its conflict copies. */
interface PlannerDevice {
  readonly program: Program
  readonly options: RecordOptions
  /** Above every counter of its own that it dropped. */
  minCounter: number
  local: FileHead | undefined
  readonly remote: (FileHead | undefined)[]
  /** Received from each other device and not processed yet, in order. */
  readonly inbox: FileHead[][]
  /** Contents kept under a conflict name. */
  readonly saved: Set<number>
}

const PLAIN = {
  ignored: false,
  ignoreDelete: false,
  keepsConflicts: true,
  collects: false,
  kept: undefined,
} as const

export interface PlannerOptions {
  /** Devices of several programs, which decide differently between an edit and a deletion. */
  readonly mixed?: boolean
  readonly print?: ((line: string) => void) | undefined
}

/** Devices, one name, and the pure decisions of `core`: a step only changes the record. No disk, no clock. */
export class PlannerCase {
  readonly #random: SimRandom
  /** Separate, so that checks of other orders do not change the case. */
  readonly #orders: SimRandom
  readonly #devices: readonly PlannerDevice[]
  readonly #released = new Set<number>()
  /** Contents of files: only they get conflict copies. */
  readonly #files = new Set<number>()
  readonly #print: ((line: string) => void) | undefined
  #contents = 0
  #nowS = 1_000
  rounds = 0
  conflicts = 0
  /** Deletions that were overruled because the rules of two programs disagree on them. */
  overruled = 0

  constructor(seed: number, { mixed = false, print }: PlannerOptions = {}) {
    this.#random = new SimRandom(seed)
    this.#orders = new SimRandom(seed)
    this.#print = print
    const count = 2 + this.#random.int(4)
    this.#devices = Array.from({ length: count }, (_, i) => ({
      program: !mixed || i === 0 ? 'twinfold' : (PROGRAMS[this.#random.int(PROGRAMS.length)] ?? 'twinfold'),
      options: { ownShortId: BigInt(i + 1) as ShortId, nowS: 0, localFlags: 0, ignorePerms: false },
      minCounter: 0,
      local: undefined,
      remote: Array.from({ length: count }),
      inbox: Array.from({ length: count }, () => []),
      saved: new Set<number>(),
    }))
  }

  /** Throws `InvariantViolation` when devices do not terminate, do not converge or lose an edit. */
  run(): void {
    for (let step = 3 + this.#random.int(12); step > 0; step--) {
      const at = this.#random.int(this.#devices.length)
      const chance = this.#random.int(10)
      if (chance < 4) this.#edit(at)
      else if (chance < 5) this.#remove(at)
      else if (chance < 8) this.#read(at, this.#random.int(this.#devices.length))
      else this.#pull(at)
      // Clocks are unreliable: time advances, stands still or goes back.
      this.#nowS += this.#random.int(5) - 1
    }
    this.#settle()
    this.#check()
  }

  #edit(at: number): void {
    const device = this.#devices[at]!
    this.#release(device.local)
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
    this.#publish(at, recordOf(item, device.local, blocks, this.#optionsOf(device)), `writes ${type} <${content}>`)
  }

  #remove(at: number): void {
    const device = this.#devices[at]!
    if (device.local === undefined || device.local.deleted) return
    this.#release(device.local)
    this.#publish(at, deletionOf(device.local, this.#optionsOf(device)), 'removes')
  }

  #optionsOf({ options, minCounter }: PlannerDevice): RecordOptions {
    return { ...options, minCounter, nowS: this.#nowS }
  }

  #read(at: number, from: number): boolean {
    const device = this.#devices[at]!
    const record = device.inbox[from]?.shift()
    if (record === undefined) return false
    device.remote[from] = record
    return true
  }

  /** Whether the record changed. */
  #pull(at: number): boolean {
    const device = this.#devices[at]!
    const records = [device.local, ...device.remote].filter((record) => record !== undefined)
    const global = winnerOf(device, records)
    if (global === undefined) return false
    this.#checkOrder(device, global)
    const others = device.remote.filter((record) => record !== undefined)
    const heldElsewhere = device.program === 'twinfold' && isHeldElsewhere(others, global)
    const step = planStep({ local: device.local, global, heldElsewhere, ...PLAIN })
    checkIgnored(device.local, global)
    if (step.kind === 'ignore') return false
    if (step.kind === 'keep') return this.#overrule(at)
    if ('saveOurs' in step && step.saveOurs && device.local !== undefined) {
      device.saved.add(device.local.sizeBytes)
      this.conflicts++
    }
    if (step.kind === 'metadata' && !(device.local !== undefined && hasSameContent(device.local, global))) {
      throw new InvariantViolation('plan', 'only metadata was taken where the content differs')
    }
    const joins = step.kind === 'adopt' && device.program === 'twinfold'
    const record = joins
      ? jointDeletion(
          global,
          [device.local, ...others].filter((each) => each !== undefined),
        )
      : global
    const forgotten = lostCounter(device.local?.version ?? [], record.version, device.options.ownShortId)
    device.minCounter = Math.max(device.minCounter, Number(forgotten) + 1)
    this.#publish(at, record, `applies ${JSON.stringify(step)} of`)
    const again = planStep({ local: device.local, global, heldElsewhere, ...PLAIN })
    if (again.kind !== 'keep')
      throw new InvariantViolation('progress', `${step.kind} is followed by ${again.kind} for the same record`)
    return true
  }

  /** Whether our record got a version above a deletion that other programs prefer. */
  #overrule(at: number): boolean {
    const { local, program, remote, ...device } = this.#devices[at]!
    if (local === undefined || program !== 'twinfold') return false
    const others = remote.filter((record) => record !== undefined)
    const options = { ...device.options, minCounter: device.minCounter, nowS: this.#nowS }
    const kept = settledRecord({ ...local, blockHashes: undefined }, others, options)
    if (kept === undefined) return false
    this.overruled++
    this.#publish(at, kept, 'overrules a deletion by')
    return true
  }

  /** The winner must not depend on the order of the records. */
  #checkOrder(device: PlannerDevice, global: FileHead): void {
    const mixed = shuffled(device.remote, (below) => this.#orders.int(below))
    const records = [device.local, ...mixed].filter((record) => record !== undefined)
    const [expected, winner] = [textOf(global), textOf(winnerOf(device, records))]
    if (winner !== expected) throw new InvariantViolation('order', `${expected} wins, but ${winner} in another order`)
  }

  #publish(at: number, record: FileHead, why: string): void {
    const device = this.#devices[at]!
    device.local = record
    this.#devices.forEach((other, i) => {
      if (i !== at) other.inbox[at]?.push(record)
    })
    this.#print?.(`device ${at} ${why} ${textOf(record)}`)
  }

  /** Delivers all records, in any order, and pulls until no device has work. */
  #settle(): void {
    const order = this.#devices.map((_, i) => i)
    for (let busy = true; busy;) {
      if (++this.rounds > ROUNDS_MAX) throw new InvariantViolation('ends', `still busy after ${ROUNDS_MAX} rounds`)
      busy = false
      order.sort(() => this.#random.int(3) - 1)
      for (const at of order) {
        for (const from of order) while (this.#random.chance(0.8) && this.#read(at, from)) busy = true
        busy = this.#pull(at) || busy || this.#devices[at]!.inbox.some((records) => records.length > 0)
      }
    }
  }

  #check(): void {
    const first = textOf(this.#devices[0]?.local)
    for (const { local } of this.#devices) {
      // A device does not need the deletion of an item that it never had.
      const [here, there] = [textOf(local), first]
      const bothDeleted = (local?.deleted ?? true) && (this.#devices[0]?.local?.deleted ?? true)
      if (here !== there && !bothDeleted)
        throw new InvariantViolation('convergence', `one device has ${there}, another ${here}`)
    }
    const kept = new Set(this.#devices.flatMap(({ local, saved }) => [...saved, local?.sizeBytes ?? 0]))
    for (let content = 1; content <= this.#contents; content++) {
      if (this.#files.has(content) && !this.#released.has(content) && !kept.has(content)) {
        throw new InvariantViolation('no edit lost', `content <${content}> is nowhere`)
      }
    }
  }

  #release(record: FileHead | undefined): void {
    if (record?.type === 'file' && !record.deleted) this.#released.add(record.sizeBytes)
  }
}

function winnerOf({ program }: PlannerDevice, records: readonly FileHead[]): FileHead | undefined {
  return program === 'syncthing 2.x' ? latest(records) : records[findWinner(records)]
}

/** The rule of Syncthing 2.x: of concurrent records the later one wins, also if it is a deletion. */
function latest(records: readonly FileHead[]): FileHead | undefined {
  const newest = records.filter(({ version }) => {
    return !records.some((other) => compareVersions(version, other.version) === 'older')
  })
  return newest.reduce<FileHead | undefined>((best, record) => {
    if (best === undefined || record.modifiedS > best.modifiedS) return record
    const isBetter = compareVersions(record.version, best.version) === 'concurrent-newer'
    return record.modifiedS === best.modifiedS && isBetter ? record : best
  }, undefined)
}

/** No step changes the disk where the name is ignored. */
function checkIgnored(local: FileHead | undefined, global: FileHead): void {
  const { kind } = planStep({ local, global, heldElsewhere: false, ...PLAIN, ignored: true })
  if (kind !== 'keep' && kind !== 'ignore') throw new InvariantViolation('plan', `${kind} of an ignored name`)
}

function textOf(record: FileHead | undefined): string {
  if (record === undefined) return 'nothing'
  const version = record.version.map(({ device, value }) => `${device}:${value}`).join(' ')
  return `${record.deleted ? 'deleted ' : ''}${record.type} <${record.sizeBytes}${record.symlinkTarget}> at ${version}`
}
