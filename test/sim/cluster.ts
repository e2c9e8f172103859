import { BLOCK_SIZE_BYTES_MIN } from '../../src/core/blocks.ts'
import type { FolderConfig } from '../../src/core/config.ts'
import { isBelow, isTemporary } from '../../src/core/paths.ts'
import { SimClock } from '../../src/world/sim/clock.ts'
import type { SimDiskOptions } from '../../src/world/sim/disk.ts'
import { SimNetwork } from '../../src/world/sim/net.ts'
import { SimRandom } from '../../src/world/sim/random.ts'
import { DOCS, settle } from '../support/model.ts'
import { Contents } from './contents.ts'
import { ROOT, SimDevice } from './device.ts'
import { checkConvergence, checkNoResurrection, checkNothingLost, checkNoTemporaries, LawBroken, sequencesOf, unrest } from './laws.ts'
import { Reached, type Sometime } from './sometimes.ts'
import { Trace } from './trace.ts'
import { isUsers, User } from './user.ts'

const S = 1_000
const MINUTE = 60 * S
const HOUR = 60 * MINUTE
/** How long devices may take to agree once nothing goes wrong any more. */
const REST_ROUNDS_MAX = 240
/** How often a person looks at what devices complain of. */
const PERSON_ROUNDS = 20

export interface RunResult {
  readonly seed: number
  readonly digest: string
  readonly lines: number
  readonly deeds: number
  readonly failure: Error | undefined
  readonly reached: Reached
}

/** One life of a few devices, from the seed to the last law. Never throws: what went wrong is in the result. */
export async function runSeed(seed: number, print?: (line: string) => void): Promise<RunResult> {
  const cluster = new Cluster(seed, print)
  let failure: Error | undefined
  try {
    await cluster.live()
    await cluster.comeToRest()
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

class Cluster {
  readonly trace: Trace
  readonly reached = new Reached()
  deeds = 0
  readonly #random: SimRandom
  readonly #clock = new SimClock()
  readonly #network: SimNetwork
  readonly #contents: Contents
  readonly #user: User
  readonly #devices: readonly SimDevice[]
  /** Broken while nobody could be told: thrown at the next step. */
  #broken: LawBroken | undefined
  /** A person has said whose state is the right one. */
  #decided = false
  readonly #states = new Map<SimDevice, string>()
  /** What is to happen once a device has begun its next item. */
  readonly #ambushes = new Map<SimDevice, () => void>()

  constructor(seed: number, print: ((line: string) => void) | undefined) {
    this.#random = new SimRandom(seed)
    this.trace = new Trace(() => this.#clock.monotonicMs(), print)
    const travel = this.#random.stream('travel')
    const slowestMs = this.#pick([5, 50, 500])
    this.#network = new SimNetwork(this.#clock, { delayMs: () => 1 + travel.int(slowestMs) })
    this.#contents = new Contents(this.#random.stream('contents'))
    this.#user = new User(this.#random.stream('user'), this.#contents, this.trace)
    const count = this.#pick([2, 2, 2, 3, 3, 4, 5])
    const types = this.#folderTypes(count)
    this.#devices = types.map((type, i) => this.#makeDevice('abcde'[i] ?? 'z', type))
  }

  /** From the first start to the last misfortune. */
  async live(): Promise<void> {
    for (let i = this.#random.int(8); i > 0; i--) this.#user.act(this.#anyDevice())
    if (this.#random.chance(0.3)) this.#sameFileApart()
    for (const device of this.#devices) await device.prepare(this.#neighboursOf(device))
    for (const device of this.#devices) await device.start()
    await this.#pass(this.#pick([0, S, 20 * S]))
    const steps = 6 + this.#random.int(14)
    for (let step = 0; step < steps; step++) {
      await this.#step()
      await this.#pass(this.#pick([0, 0, 20, 300, 2 * S, 10 * S, 70 * S]))
    }
  }

  /** Nothing goes wrong from now on, and nobody does anything: all devices must come to agree. */
  async comeToRest(): Promise<void> {
    this.trace.add('', 'everything is well again')
    for (const device of this.#devices) {
      device.disk.faults.clear()
      device.life?.forgetPlans()
      this.#ambushes.delete(device)
      await device.start()
    }
    this.#healAll()
    let reason: string | undefined = 'not asked yet'
    for (let round = 0; round < REST_ROUNDS_MAX; round++) {
      await this.#pass(15 * S)
      reason = await unrest(this.#devices, this.#decided)
      if (reason === undefined) {
        // A look at everything may still find what a watcher missed.
        const before = await sequencesOf(this.#devices)
        await this.#scanAll()
        await this.#pass(15 * S)
        if (String(before) === String(await sequencesOf(this.#devices)) && (await unrest(this.#devices, this.#decided)) === undefined) return
        reason = 'a scan finds something new'
      }
      if (round % PERSON_ROUNDS === PERSON_ROUNDS - 1) await this.#askPeople()
    }
    throw new LawBroken('ends', `not at rest an hour after everything was well: ${reason}`)
  }

  /** A directory here, something else there: no device may decide that, and each of them says so. */
  async #askPeople(): Promise<void> {
    for (const device of this.#devices) {
      for (const { path } of (await device.model?.folderErrors(DOCS, { page: 1, perPage: 100 })) ?? []) {
        if (this.#user.makeWay(device, path)) this.reached.note('a person had to choose between a directory and something else')
      }
    }
  }

  checkNothingLost(): void {
    checkNothingLost(this.#devices, this.#contents)
  }

  /** Where a device only sends or only receives, a person says in the end whose state is the right one. */
  async decide(): Promise<void> {
    if (!this.#isMixed) return
    this.#decided = true
    const [sending, receiving] = [this.#ofType('sendonly'), this.#ofType('receiveonly')]
    for (const { name, model } of sending) {
      this.trace.add(name, 'override')
      await this.#while(model?.override(DOCS) ?? Promise.resolve())
      this.reached.note('a folder that only sends had its way')
    }
    for (const { name, model } of receiving) {
      this.trace.add(name, 'revert')
      await this.#while(model?.revert(DOCS) ?? Promise.resolve())
      this.reached.note('a folder that only receives took its changes back')
    }
    await this.comeToRest()
  }

  #ofType(type: FolderConfig['type']): readonly SimDevice[] {
    return this.#devices.filter(({ folderType }) => folderType === type)
  }

  get #isMixed(): boolean {
    return this.#devices.some(({ folderType }) => folderType !== 'sendreceive')
  }

  async checkLaws(): Promise<void> {
    checkConvergence(this.#devices, this.#contents)
    // Whose state was chosen may be older than what others had done since.
    if (!this.#isMixed) checkNoResurrection(this.#devices, this.#contents, this.#user)
    const before = await sequencesOf(this.#devices)
    await this.#pass(5 * MINUTE)
    const after = await sequencesOf(this.#devices)
    if (String(before) !== String(after)) throw new LawBroken('no echo', `sequences ${before} became ${after} while nobody did anything`)
    checkConvergence(this.#devices, this.#contents)
    for (const { clock } of this.#devices) clock.jump(25 * HOUR) // what waits for another attempt is given up after a day
    await this.#scanAll()
    checkNoTemporaries(this.#devices)
  }

  async close(): Promise<void> {
    for (const device of this.#devices) device.crash()
    for (const device of this.#devices) await device.close()
  }

  async #step(): Promise<void> {
    const device = this.#anyDevice()
    const chance = this.#random.int(100)
    if (chance < 40) return this.#actSome(device)
    if (chance < 55) return this.#actLater(device)
    if (chance < 60) return this.#crash(device)
    if (chance < 69) return this.#crashLater(device)
    if (chance < 76) return this.#switch(device)
    if (chance < 82) return this.#part(device)
    if (chance < 87) return this.#healAll()
    if (chance < 91) return this.#cut(device)
    if (chance < 94) return this.#setClock(device)
    if (chance < 97) return this.#spoil(device)
    return this.#scan(device)
  }

  #actSome(device: SimDevice): void {
    for (let i = 1 + this.#random.int(4); i > 0; i--) this.#act(device)
  }

  #act(device: SimDevice): void {
    this.deeds++
    if (device.isOn && device.watching) this.reached.note('a watched folder was changed')
    this.#user.act(device)
  }

  /** In the middle of whatever the device is about to do. */
  #actLater(device: SimDevice): void {
    if (device.life === undefined) return this.#actSome(device)
    this.#ambush(device, () => {
      this.#noteState(device, 'syncing', 'a user changed a file in the middle of a pull')
      this.#act(device)
    })
  }

  /** Something happens a few calls of the disk from now, or a few after the next item is begun. */
  #ambush(device: SimDevice, action: () => void): void {
    const calls = 1 + this.#random.int(40)
    if (this.#random.chance(0.4)) device.life?.beforeCall(calls, action)
    else this.#ambushes.set(device, () => device.life?.beforeCall(1 + (calls % 20), action))
  }

  #crash(device: SimDevice): void {
    if (!device.isOn) return
    device.crash()
    if ([...device.disk.hands.tree(ROOT).keys()].some(isTemporary)) this.reached.note('a temporary file was left by a crash')
    this.#checkContents(device)
  }

  #crashLater(device: SimDevice): void {
    this.#ambush(device, () => {
      this.#noteState(device, 'syncing', 'a device lost power while it pulled')
      this.#noteState(device, 'scanning', 'a device lost power while it scanned')
      this.#crash(device)
    })
  }

  async #switch(device: SimDevice): Promise<void> {
    if (!device.isOn) return device.start()
    await this.#while(device.stop())
    this.reached.note('a device stopped in order and came back')
    if (this.#random.chance(0.5)) await device.start()
  }

  #part(device: SimDevice): void {
    for (const other of this.#devices) {
      if (other === device || this.#random.chance(0.3)) continue
      this.trace.add('', `${device.name} and ${other.name} are parted`)
      this.#network.partition(device.name, other.name)
      this.reached.note('devices were parted')
    }
  }

  #healAll(): void {
    for (const a of this.#devices) for (const b of this.#devices) if (a !== b) this.#network.heal(a.name, b.name)
  }

  #cut(device: SimDevice): void {
    for (const other of this.#devices) if (other !== device) this.#network.cut(device.name, other.name)
    this.trace.add('', `the connections of ${device.name} are cut`)
    this.reached.note('a connection was cut')
  }

  #setClock(device: SimDevice): void {
    const byMs = this.#pick([-HOUR, -5 * S, 5 * S, HOUR, 24 * HOUR])
    this.reached.note(byMs < 0 ? 'a clock was set back' : 'a clock was set forward')
    this.trace.add(device.name, `clock set by ${byMs} ms`)
    device.clock.jump(byMs)
  }

  #spoil(device: SimDevice): void {
    const full = this.#random.chance(0.5)
    const fault = full
      ? { call: 'write', code: 'ENOSPC' } as const
      : { call: this.#pick(['open', 'stat', 'list', 'rename', 'read', 'sync', 'mkdir', 'utime'] as const), code: this.#pick(['EIO', 'EACCES']) }
    device.disk.fail({ ...fault, nth: 1 + this.#random.int(20), times: 1 + this.#random.int(20), under: ROOT })
    this.trace.add(device.name, `disk will fail: ${fault.call} ${fault.code}`)
    this.reached.note(full ? 'a disk was full' : 'a disk refused')
  }

  #scan(device: SimDevice): void {
    this.#ambush(device, () => this.#requestScan(device))
  }

  #requestScan(device: SimDevice): void {
    this.#noteState(device, 'syncing', 'a scan was asked for while the folder was pulling')
    device.model?.scan(DOCS, [], undefined).catch(() => {}) // refused while the folder has an error
  }

  /** The same content by the same name, made on two devices that have not met. */
  #sameFileApart(): void {
    const content = this.#contents.make(undefined)
    for (const device of this.#devices.slice(0, 2)) device.disk.hands.write(`${ROOT}/same`, content)
    this.#contents.written(content)
    this.#user.touched.add(this.#contents.identify(content) ?? 0) // removing one of them does not remove the other
    this.reached.note('two devices made the same file apart')
  }

  #noteState(device: SimDevice, state: string, what: Sometime): void {
    if (this.#states.get(device) === state) this.reached.note(what)
  }

  #noteLarge(device: SimDevice, path: string): void {
    const sizeBytes = device.disk.hands.look(`${ROOT}/${path}`)?.content.length ?? 0
    if (sizeBytes > BLOCK_SIZE_BYTES_MIN) this.reached.note('a file of several blocks was pulled')
  }

  async #scanAll(): Promise<void> {
    await this.#while(Promise.all(this.#devices.map((device) => device.model?.scan(DOCS, [], undefined))))
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.advance(ms, settle)
    if (this.#broken !== undefined) throw this.#broken
  }

  /** Lets time pass until the promise is settled. */
  async #while<T>(promise: Promise<T>): Promise<T> {
    const progress = { settled: false }
    const mark = () => void (progress.settled = true)
    promise.then(mark, mark)
    for (let turn = 0; !progress.settled && turn < 2_000; turn++) await this.#pass(turn < 20 ? 0 : 100)
    if (!progress.settled) throw new LawBroken('ends', 'somebody waits forever')
    return await promise
  }

  /** No file is ever seen with a content that nobody wrote. */
  #checkContent(device: SimDevice, path: string): void {
    if (!isBelow(path, ROOT) || !isUsers(path.slice(ROOT.length + 1))) return
    const item = device.disk.hands.look(path)
    if (item?.type !== 'file' || this.#contents.identify(item.content) !== undefined) return
    this.#broken ??= new LawBroken('no torn file', `${path} on ${device.name} has a content of ${item.content.length} bytes that nobody wrote`)
  }

  #checkContents(device: SimDevice): void {
    for (const path of device.disk.hands.tree(ROOT).keys()) this.#checkContent(device, `${ROOT}/${path}`)
  }

  /** Mostly everybody sends and receives. At most one only sends: between two of those only a person could decide. */
  #folderTypes(count: number): readonly FolderConfig['type'][] {
    const random = this.#random.stream('types')
    const types = Array.from({ length: count }, () => 'sendreceive' as FolderConfig['type'])
    if (this.#chain || random.chance(0.6)) return types
    if (random.chance(0.6)) types[count - 1] = 'receiveonly'
    if (count > 2 && random.chance(0.6)) types[1] = 'sendonly'
    return types
  }

  #makeDevice(name: string, type: FolderConfig['type']): SimDevice {
    const random = this.#random.stream(`device ${name}`)
    const device = new SimDevice({
      name, random, clock: this.#clock, network: this.#network, trace: this.trace,
      disk: this.#diskOptions(random), folder: { ...this.#folderOptions(random), type },
      onEvent: (_, event) => {
        this.trace.add(name, `${event.type} ${JSON.stringify(event.data, printable)}`)
        this.reached.noteEvent(event)
        if (event.type === 'StateChanged') this.#states.set(device, event.data.to)
        if (event.type === 'ItemFinished') this.#noteLarge(device, event.data.item)
        if (event.type !== 'ItemStarted') return
        this.#ambushes.get(device)?.()
        this.#ambushes.delete(device)
      },
    })
    device.disk.subscribe(({ kind, path }) => {
      if (kind === 'changed') this.#checkContent(device, path)
      if (kind === 'changed' && path.startsWith(`${ROOT}/.stversions/`)) this.reached.note('an old version was kept')
    })
    return device
  }

  #diskOptions(random: SimRandom): SimDiskOptions {
    return {
      ...(random.chance(0.15) && { caseInsensitive: true }),
      ...(random.chance(0.15) && { modifiedStepNs: 2_000_000_000n }),
      ...(random.chance(0.2) && { shortReads: random.stream('short reads') }),
    }
  }

  #folderOptions(random: SimRandom): Partial<FolderConfig> {
    const versioning = { type: 'simple', params: { keep: '5' }, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic' }
    return {
      fsWatcherEnabled: random.chance(0.5), rescanIntervalS: 30 + random.int(90),
      ...(random.chance(0.2) && { versioning }),
    }
  }

  /** Everybody knows everybody, or only those beside them. */
  #neighboursOf(device: SimDevice): readonly SimDevice[] {
    const all = this.#devices
    const at = all.indexOf(device)
    return this.#chain ? all.filter((_, i) => Math.abs(i - at) === 1) : all.filter((other) => other !== device)
  }

  get #chain(): boolean {
    return this.#random.stream('topology').chance(0.3)
  }

  #anyDevice(): SimDevice {
    return this.#pick(this.#devices)
  }

  #pick<T>(choices: readonly T[]): T {
    const choice = choices[this.#random.int(choices.length)]
    if (choice === undefined) throw new Error('nothing to choose from')
    return choice
  }
}

function printable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
