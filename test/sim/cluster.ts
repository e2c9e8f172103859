import type { FolderConfig } from '../../src/core/config/config.ts'
import type { Event } from '../../src/events/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS, settle } from '../support/model.ts'
import { Arrivals } from './arrivals.ts'
import { Contents } from './contents.ts'
import { ROOT, SimDevice } from './device.ts'
import {
  checkConvergence,
  checkNoResurrection,
  checkNothingLost,
  checkNoTemporaries,
  LawBroken,
  sequencesOf,
  unrest,
} from './laws.ts'
import { Mishaps } from './mishaps.ts'
import { Scenes } from './scenes.ts'
import { Setup } from './setup.ts'
import { Reached } from './sometimes.ts'
import { Trace } from './trace.ts'
import { type Taste, User } from './user.ts'
import { Witness } from './witness.ts'

const S = 1_000
const HOUR = 3_600 * S
/** Longer than any folder waits between two scans. */
const QUIET_MS = 130 * S
/** How long devices may take to agree once nothing goes wrong any more. */
const REST_ROUNDS_MAX = 240
/** How often a person looks at what devices complain of. */
const PERSON_ROUNDS = 20
const WAIT_TURNS_MAX = 2_000
const SCENE_CHANCE = 0.2

export interface RunResult {
  readonly seed: number
  readonly digest: string
  readonly lines: number
  readonly deeds: number
  readonly failure: Error | undefined
  readonly reached: Reached
}

export interface RunOptions {
  /** For whoever reads along. */
  readonly print?: (line: string) => void
  /** `shapes`: five devices that all send and receive; everything unless told. */
  readonly taste?: Taste
}

/** One life of a few devices, from the seed to the last law. Never throws: what went wrong is in the result. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const cluster = new Cluster(seed, options)
  let failure: Error | undefined
  try {
    await cluster.live()
    await cluster.comeToRest()
    await cluster.playScene()
    cluster.checkNothingLost()
    await cluster.decide()
    await cluster.checkLaws()
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    cluster.trace.add('', `FAILED ${failure.message}`)
  } finally {
    await cluster.close()
  }
  const { trace, reached, deeds } = cluster
  return { seed, digest: trace.digest(), lines: trace.count, deeds, failure, reached }
}

/** The devices of one run and the time they live in. */
class Cluster {
  readonly trace: Trace
  readonly reached = new Reached()
  readonly #random: SimRandom
  readonly #clock = new SimClock()
  readonly #network: SimNetwork
  readonly #contents: Contents
  readonly #user: User
  readonly #setup: Setup
  readonly #devices: readonly SimDevice[]
  readonly #mishaps: Mishaps
  readonly #witness: Witness
  readonly #arrivals: Arrivals
  /** A person has said whose state is the right one. */
  #decided = false

  constructor(seed: number, { print, taste = 'everything' }: RunOptions) {
    const random = new SimRandom(seed)
    this.#random = random
    this.trace = new Trace(() => this.#clock.monotonicMs(), print)
    const travel = random.stream('travel')
    const slowestMs = pick(random, [5, 50, 500])
    this.#network = new SimNetwork(this.#clock, { delayMs: () => 1 + travel.int(slowestMs) })
    this.#contents = new Contents(random.stream('contents'))
    this.#user = new User(random.stream('user'), this.#contents, this.trace, taste)
    this.#witness = new Witness(this.#contents, this.#user, this.reached)
    this.#arrivals = new Arrivals(this.reached)
    this.#setup = new Setup(random)
    const types =
      taste === 'shapes'
        ? Array.from({ length: 5 }, () => 'sendreceive' as const)
        : this.#setup.folderTypes(pick(random, [2, 2, 2, 2, 3, 3, 3, 4, 5]))
    this.#devices = types.map((type, i) => this.#makeDevice('abcde'[i] ?? 'z', type))
    this.#mishaps = new Mishaps({
      random,
      network: this.#network,
      user: this.#user,
      trace: this.trace,
      reached: this.reached,
      devices: this.#devices,
      during: (promise) => this.#during(promise),
      checkContents: (device) => this.#witness.checkContents(device),
    })
  }

  get deeds(): number {
    return this.#mishaps.deeds
  }

  /** From the first start to the last misfortune. */
  async live(): Promise<void> {
    const random = this.#random
    for (let i = random.int(8); i > 0; i--) this.#user.act(pick(random, this.#devices))
    if (random.chance(0.3)) this.#sameFileApart()
    for (const device of this.#devices) await device.prepare(this.#setup.neighboursOf(device, this.#devices))
    for (const device of this.#devices) await device.start()
    await this.#pass(pick(random, [0, S, 20 * S]))
    const steps = 6 + random.int(14)
    for (let step = 0; step < steps; step++) {
      await this.#mishaps.step()
      await this.#pass(pick(random, [0, 0, 20, 300, 2 * S, 10 * S, 70 * S]))
    }
  }

  /** Sometimes, where there are enough who send and receive; nothing else happens after it that could hide what it did. */
  async playScene(): Promise<void> {
    const random = this.#random.stream('scene')
    if (this.#devices.length < 3 || this.#isMixed || !random.chance(SCENE_CHANCE)) return
    const scenes = new Scenes({
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
    await scenes.deletionsApart()
    await this.comeToRest()
  }

  /** Nothing goes wrong from now on, and nobody does anything: all devices must come to agree. */
  async comeToRest(): Promise<void> {
    this.trace.add('', 'everything is well again')
    this.#mishaps.end()
    for (const device of this.#devices) await device.start()
    let reason: string | undefined
    for (let round = 0; round < REST_ROUNDS_MAX; round++) {
      await this.#pass(15 * S)
      reason = (await unrest(this.#devices, this.#decided)) ?? (await this.#newsOfAScan())
      if (reason === undefined) return
      if (round % PERSON_ROUNDS === PERSON_ROUNDS - 1) await this.#askPeople()
    }
    throw new LawBroken('ends', `not at rest an hour after everything was well: ${reason}`)
  }

  checkNothingLost(): void {
    checkNothingLost(this.#devices, this.#contents)
  }

  /** Where a device only sends or only receives, a person says in the end whose state is the right one. */
  async decide(): Promise<void> {
    if (!this.#isMixed) return
    this.#decided = true
    for (const { name, model } of this.#ofType('sendonly')) {
      this.trace.add(name, 'override')
      await this.#during(model?.override(DOCS) ?? Promise.resolve())
      this.reached.note('a folder that only sends had its way')
    }
    for (const { name, model } of this.#ofType('receiveonly')) {
      this.trace.add(name, 'revert')
      await this.#during(model?.revert(DOCS) ?? Promise.resolve())
      this.reached.note('a folder that only receives took its changes back')
    }
    await this.comeToRest()
  }

  async checkLaws(): Promise<void> {
    checkConvergence(this.#devices, this.#contents)
    // Whose state was chosen may be older than what others had done since.
    if (!this.#isMixed) checkNoResurrection(this.#devices, this.#contents, this.#user)
    const before = await sequencesOf(this.#devices)
    await this.#pass(QUIET_MS)
    const after = await sequencesOf(this.#devices)
    if (before !== after)
      throw new LawBroken('no echo', `sequences ${before} became ${after} while nobody did anything`)
    checkConvergence(this.#devices, this.#contents)
    for (const { clock } of this.#devices) clock.jump(25 * HOUR) // what waits for another attempt is given up after a day
    await this.#scanAll()
    checkNoTemporaries(this.#devices)
  }

  async close(): Promise<void> {
    for (const device of this.#devices) device.crash()
    // Whoever still sleeps wakes and finds its life over: otherwise signals that never abort would remember it.
    while (this.#clock.step());
    await settle()
    for (const device of this.#devices) await device.close()
  }

  /** A look at everything may still find what a watcher missed. */
  async #newsOfAScan(): Promise<string | undefined> {
    const before = await sequencesOf(this.#devices)
    await this.#scanAll()
    await this.#pass(15 * S)
    if (before !== (await sequencesOf(this.#devices))) return 'a scan finds something new'
    return await unrest(this.#devices, this.#decided)
  }

  /** A directory here, something else there: no device may decide that, and each of them says so. */
  async #askPeople(): Promise<void> {
    for (const device of this.#devices) {
      for (const { path } of (await device.model?.folderErrors(DOCS, { page: 1, perPage: 100 })) ?? []) {
        if (!this.#user.makeWay(device, path)) continue
        this.reached.note('a person had to choose between a directory and something else')
      }
    }
  }

  #ofType(type: FolderConfig['type']): readonly SimDevice[] {
    return this.#devices.filter(({ folderType }) => folderType === type)
  }

  get #isMixed(): boolean {
    return this.#devices.some(({ folderType }) => folderType !== 'sendreceive')
  }

  /** The same content by the same name, made on two devices that have not met. */
  #sameFileApart(): void {
    const content = this.#contents.make(undefined)
    for (const device of this.#devices.slice(0, 2)) device.disk.hands.write(`${ROOT}/same`, content)
    this.#contents.written(content)
    this.#user.touched.add(this.#contents.identify(content) ?? 0) // removing one of them does not remove the other
    this.reached.note('two devices made the same file apart')
  }

  #makeDevice(name: string, type: FolderConfig['type']): SimDevice {
    const random = this.#random.stream(`device ${name}`)
    const device = new SimDevice({
      name,
      random,
      clock: this.#clock,
      network: this.#network,
      trace: this.trace,
      disk: this.#setup.disk(random),
      folder: { ...this.#setup.folder(random), type },
      onEvent: (event) => this.#heard(device, event),
      onBadBlock: () => this.reached.note('a device gave others wrong bytes'),
    })
    device.disk.subscribe(({ kind, path }) => {
      if (kind !== 'changed') return this.#witness.gone(device, path)
      this.#witness.changed(device, path)
      if (path.startsWith(`${ROOT}/.stversions/`)) this.reached.note('an old version was kept')
    })
    return device
  }

  #heard(device: SimDevice, event: Event): void {
    this.trace.add(device.name, `${event.type} ${JSON.stringify(event.data, printable)}`)
    this.reached.noteEvent(event)
    this.#arrivals.heard(device, event)
    if (event.type === 'LocalIndexUpdated') this.#user.past.unrecorded.recorded(device.name, event.data.filenames)
    if (event.type === 'LocalChangeDetected' && event.data.action === 'deleted')
      this.#witness.checkDeletion(device, event.data.path)
    if (event.type === 'StateChanged') this.#mishaps.stateChanged(device, event.data.to)
    if (event.type === 'ItemFinished' && event.data.error === null) this.#witness.taken(device, event.data.item)
    if (event.type === 'ItemStarted' && event.data.action === 'delete') device.removing.add(event.data.item)
    if (event.type === 'ItemFinished') device.removing.delete(event.data.item)
    if (event.type === 'ItemStarted') this.#mishaps.itemStarted(device)
  }

  async #scanAll(): Promise<void> {
    await this.#during(Promise.all(this.#devices.map((device) => device.model?.scan(DOCS, [], undefined))))
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.advance(ms, settle)
    if (this.#witness.broken !== undefined) throw this.#witness.broken
  }

  /** Lets time pass until the promise is settled. */
  async #during<T>(promise: Promise<T>): Promise<T> {
    const progress = { settled: false }
    const mark = () => void (progress.settled = true)
    promise.then(mark, mark)
    for (let turn = 0; !progress.settled && turn < WAIT_TURNS_MAX; turn++) await this.#pass(turn < 20 ? 0 : 100)
    if (!progress.settled) throw new LawBroken('ends', 'somebody waits forever')
    return await promise
  }
}

function printable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
