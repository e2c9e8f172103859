import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS, settle } from '../support/model.ts'
import { Contents } from './contents.ts'
import { Forger } from './byzantine.ts'
import { ROOT, SimDevice } from './device.ts'
import {
  checkCompletion,
  checkConvergence,
  checkEditsKept,
  checkNoResurrection,
  checkNothingLost,
  checkNoTemporaries,
  InvariantViolation,
  sequencesOf,
  treeOf,
  unsettledReason,
} from './invariants.ts'
import { FaultInjector } from './faults.ts'
import { overrideAndRevert } from './decisions.ts'
import { StateFaults } from './state-faults.ts'
import { createSameFile, Scenarios } from './scenarios.ts'
import { Setup } from './setup.ts'
import { Reached } from './sometimes.ts'
import { Trace } from './trace.ts'
import { type Workload, User } from './user.ts'
import { isUsers } from './user-paths.ts'
import { Tamperer } from './tamperer.ts'
import { UntrustedDevice } from './untrusted.ts'
import { Monitor } from './monitor.ts'
import { Observer } from './observer.ts'
import { checkResources } from './resources.ts'

const S = 1_000
const HOUR = 3_600 * S
/** Longer than any rescan interval. */
const QUIET_MS = 130 * S
/** Rounds that devices may take to converge after the last fault. */
const CONVERGENCE_ROUNDS_MAX = 240
const WAIT_ROUNDS_MAX = 2_000
const SCENARIO_CHANCE = 0.2

export interface ClusterOptions {
  /** Receives the trace. */
  readonly print?: (line: string) => void
  /** `types`: five devices that send and receive; `byzantine`: four, one of which forges versions; default: `mixed`. */
  readonly workload?: Workload
  /** Indexes are lost and earlier states are restored, in some of the runs; default: true. */
  readonly stateFaults?: boolean
}

/** The devices, network and clock of one run. */
export class Cluster {
  readonly trace: Trace
  readonly reached = new Reached()
  readonly #random: SimRandom
  readonly #clock = new SimClock()
  readonly #network: SimNetwork
  readonly #contents: Contents
  readonly #user: User
  readonly #setup: Setup
  /** The honest ones, to which the invariants apply. */
  readonly #devices: readonly SimDevice[]
  readonly #all: readonly SimDevice[]
  readonly #untrusted: UntrustedDevice | undefined
  readonly #deceiver: Forger | Tamperer | undefined
  /** Of the byzantine device, if there is one. */
  readonly #forger: Forger | undefined
  readonly #faults: FaultInjector
  readonly #stateFaults: StateFaults
  readonly #monitor: Monitor
  readonly #observer: Observer
  /** Override and revert were requested. */
  #decided = false

  constructor(seed: number, { print, workload = 'mixed', stateFaults = true }: ClusterOptions) {
    const random = new SimRandom(seed)
    this.#random = random
    this.trace = new Trace(() => this.#clock.monotonicMs(), print)
    const travel = random.stream('travel')
    const slowestMs = pick(random, [5, 50, 500])
    this.#network = new SimNetwork(this.#clock, { delayMs: () => 1 + travel.int(slowestMs) })
    this.#contents = new Contents(random.stream('contents'))
    this.#user = new User(random.stream('user'), this.#contents, this.trace, workload)
    this.#monitor = new Monitor(this.#contents, this.#user, this.reached)
    this.#observer = new Observer({
      trace: this.trace,
      reached: this.reached,
      user: this.#user,
      monitor: this.#monitor,
      faults: () => this.#faults,
    })
    this.#setup = new Setup(random, workload)
    this.#forger = workload === 'byzantine' ? new Forger(random.stream('forged')) : undefined
    const tamperer = workload === 'deceptive' ? new Tamperer(random.stream('tampered')) : undefined
    this.#deceiver = this.#forger ?? tamperer
    const deceivers = [undefined, tamperer, undefined, this.#forger]
    this.#all = this.#setup.types.map((_, place) => this.#makeDevice(place, deceivers[place]))
    this.#devices = this.#all.filter(({ isHonest, folderType }) => isHonest && folderType !== 'receiveencrypted')
    const untrusted = this.#all.find(({ folderType }) => folderType === 'receiveencrypted')
    this.#untrusted = untrusted && new UntrustedDevice(untrusted, this.#devices, this.#network, tamperer)
    if (this.#forger !== undefined) this.#forger.victims = this.#devices
    const during = <T>(promise: Promise<T>) => this.#during(promise)
    const common = { user: this.#user, trace: this.trace, reached: this.reached, during }
    this.#faults = new FaultInjector({
      ...common,
      random,
      network: this.#network,
      devices: this.#withUsers,
      checkContents: (device) => this.#monitor.checkContents(device),
    })
    this.#stateFaults = new StateFaults(
      { ...common, random: random.stream('state faults'), contents: this.#contents, devices: this.#devices },
      stateFaults && this.#untrusted === undefined,
    )
  }

  get actions(): number {
    return this.#faults.actions
  }

  get hidden() {
    return { files: this.#untrusted?.files ?? 0, wireBytes: this.#untrusted?.wireBytes ?? 0 }
  }

  get forged(): number {
    return this.#forger?.forged ?? this.#untrusted?.tampered ?? 0
  }

  /** From the first start to the last fault. */
  async run(): Promise<void> {
    const random = this.#random
    for (let i = random.int(8); i > 0; i--) this.#user.act(pick(random, this.#withUsers))
    if (random.chance(0.3)) createSameFile(this.#devices.slice(0, 2), this.#contents, this.#user, this.reached)
    for (const device of this.#all) await device.prepare(this.#setup.neighboursOf(device, this.#all))
    for (const device of this.#all) await device.start()
    await this.#pass(pick(random, [0, S, 20 * S]))
    const steps = 6 + random.int(14)
    for (let step = 0; step < steps; step++) {
      await this.#faults.step()
      await this.#stateFaults.step()
      await this.#untrusted?.disturb(this.#random.stream(`untrusted ${step}`))
      await this.#pass(pick(random, [0, 0, 20, 300, 2 * S, 10 * S, 70 * S]))
      await checkResources(this.#devices, this.#deceiver, this.#user)
    }
  }

  /** In some runs of send-receive devices; no later step could hide its result. */
  async runScenario(): Promise<void> {
    if (this.#isMixed || this.#forger !== undefined) return
    const random = this.#random.stream('scene')
    const deletes = this.#devices.length >= 3 && random.chance(SCENARIO_CHANCE)
    const interrupts = this.#untrusted === undefined && this.#random.stream('scenes').chance(SCENARIO_CHANCE)
    if (!deletes && !interrupts) return
    const scenarios = new Scenarios({
      random,
      network: this.#network,
      user: this.#user,
      trace: this.trace,
      reached: this.reached,
      devices: this.#devices,
      isChain: this.#setup.isChain,
      during: (promise) => this.#during(promise),
      pass: (ms) => this.#pass(ms),
    })
    if (deletes) await scenarios.concurrentDeletions()
    if (interrupts) await scenarios.newVersionOfInterruptedPull()
    await this.converge()
  }

  /** Without faults and user actions all devices must converge. */
  async converge(): Promise<void> {
    this.trace.add('', 'end of faults')
    this.#faults.end()
    this.#stateFaults.end()
    if (this.#forger !== undefined) this.#forger.active = false
    this.#untrusted?.heal()
    for (const device of this.#all) await device.start()
    let reason: string | undefined
    for (let round = 0; round < CONVERGENCE_ROUNDS_MAX; round++) {
      await this.#pass(15 * S)
      reason = (await unsettledReason(this.#devices, this.#decided)) ?? (await this.#scanChanges())
      if (reason === undefined) return await checkCompletion(this.#devices, this.#contents)
    }
    throw new InvariantViolation('ends', `not converged an hour after the last fault: ${reason}`)
  }

  /** A byzantine device may replace what it has not seen, as it may edit every file. */
  checkNothingLost(): void {
    if (this.#forger === undefined) checkNothingLost(this.#devices, this.#contents)
  }

  /** Send-only and receive-only folders converge only after override and revert. */
  async overrideAndRevert(): Promise<void> {
    if (!this.#isMixed) return
    this.#decided = true
    const during = <T>(promise: Promise<T>) => this.#during(promise)
    await overrideAndRevert(this.#devices, { trace: this.trace, reached: this.reached, during })
    await this.converge()
  }

  /** Whatever versions were forged, each honest device can edit every file. */
  async editEverything(): Promise<void> {
    if (this.#forger === undefined) return
    for (const device of this.#devices) {
      for (const [path, { type }] of device.disk.direct.tree(ROOT))
        if (type === 'file' && isUsers(path)) this.#user.write(device, path)
      const edited = treeOf(device, this.#contents)
      await this.converge()
      checkConvergence(this.#devices, this.#contents)
      checkEditsKept(device, edited, this.#contents)
    }
  }

  async checkInvariants(): Promise<void> {
    checkConvergence(this.#devices, this.#contents)
    await checkResources(this.#devices, this.#deceiver, this.#user)
    this.#untrusted?.check()
    // Override and revert may restore older contents.
    const mayReturn = this.#isMixed || this.#forger !== undefined || this.#stateFaults.count > 0
    if (!mayReturn) checkNoResurrection(this.#devices, this.#contents, this.#user)
    const before = await sequencesOf(this.#devices)
    await this.#pass(QUIET_MS)
    const after = await sequencesOf(this.#devices)
    if (before !== after)
      throw new InvariantViolation('no echo', `sequences ${before} became ${after} without user actions`)
    checkConvergence(this.#devices, this.#contents)
    for (const { clock } of this.#devices) clock.jumpPast(25 * HOUR) // temporary files expire after a day
    await this.#scanAll()
    checkNoTemporaries(this.#devices)
  }

  async close(): Promise<void> {
    for (const device of this.#all) device.crash()
    // Wakes all sleepers after the end of their incarnation: signals that never abort would retain them.
    while (this.#clock.step());
    await settle()
    for (const device of this.#all) await device.close()
  }

  /** A full scan may find changes that a watcher missed. */
  async #scanChanges(): Promise<string | undefined> {
    const before = await sequencesOf(this.#devices)
    await this.#scanAll()
    await this.#pass(15 * S)
    if (before !== (await sequencesOf(this.#devices))) return 'a scan finds changes'
    return await unsettledReason(this.#devices, this.#decided)
  }

  get #withUsers(): readonly SimDevice[] {
    return this.#untrusted === undefined ? this.#all : this.#devices
  }

  get #isMixed(): boolean {
    return this.#devices.some(({ folderType }) => folderType !== 'sendreceive')
  }

  #makeDevice(place: number, forger: Forger | Tamperer | undefined): SimDevice {
    const name = 'abcde'[place] ?? 'z'
    const type = this.#setup.types[place] ?? 'sendreceive'
    const random = this.#random.stream(`device ${name}`)
    const isTrusted = type !== 'receiveencrypted'
    const device = new SimDevice({
      name,
      random,
      clock: this.#clock,
      network: this.#network,
      trace: this.trace,
      disk: this.#setup.disk(random),
      folder: { ...this.#setup.folder(random), type },
      onEvent: (event) => isTrusted && this.#observer.onEvent(device, event),
      forger,
      rules: this.#setup.rules[place],
      onBadBlock: () => this.reached.note('a device served corrupt blocks'),
    })
    if (isTrusted) device.disk.subscribe((change) => this.#observer.onDiskChange(device, change))
    return device
  }

  async #scanAll(): Promise<void> {
    await this.#during(Promise.all(this.#devices.map((device) => device.model?.scan(DOCS))))
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.advance(ms, settle)
    if (this.#monitor.violation !== undefined) throw this.#monitor.violation
  }

  /** Advances the clock until the promise settles. */
  async #during<T>(promise: Promise<T>): Promise<T> {
    const progress = { settled: false }
    const mark = () => void (progress.settled = true)
    promise.then(mark, mark)
    for (let round = 0; !progress.settled && round < WAIT_ROUNDS_MAX; round++) await this.#pass(round < 20 ? 0 : 100)
    if (!progress.settled) throw new InvariantViolation('ends', 'a call never settles')
    return await promise
  }
}
