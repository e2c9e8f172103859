import type { FolderConfig } from '../../src/core/config/config.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS, settle } from '../support/model.ts'
import { SimDevice } from './device.ts'
import { unsettledReason } from './invariants.ts'
import { Trace } from './trace.ts'

const S = 1_000
const ROUNDS_MAX = 40

/** A few connected devices without random faults, for tests of one sequence of events. */
export class SomeDevices implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly network = new SimNetwork(this.clock, { delayMs: () => 5 })
  readonly devices: readonly SimDevice[]
  /** The types of all events so far. */
  readonly eventTypes = new Set<string>()

  private constructor(names: readonly string[], folder: Partial<FolderConfig> = {}) {
    const random = new SimRandom(7)
    const trace = new Trace(() => this.clock.monotonicMs(), undefined)
    this.devices = names.map((name) => {
      return new SimDevice({
        name,
        random: random.stream(name),
        clock: this.clock,
        network: this.network,
        trace,
        disk: {},
        folder,
        isMovable: true,
        onEvent: ({ type }) => void this.eventTypes.add(type),
        onBadBlock: () => {},
      })
    })
  }

  static async start(...names: readonly string[]): Promise<SomeDevices> {
    return await SomeDevices.#start(names, () => true)
  }

  /** With settings of the folder that all have. */
  static async startWith(folder: Partial<FolderConfig>, ...names: readonly string[]): Promise<SomeDevices> {
    return await SomeDevices.#start(names, () => true, folder)
  }

  /** Each device has only its neighbours configured. */
  static async startChain(...names: readonly string[]): Promise<SomeDevices> {
    return await SomeDevices.#start(names, (a, b) => Math.abs(a - b) === 1)
  }

  /** All devices know the first one only. */
  static async startStar(...names: readonly string[]): Promise<SomeDevices> {
    return await SomeDevices.#start(names, (a, b) => a === 0 || b === 0)
  }

  static async #start(
    names: readonly string[],
    knows: (a: number, b: number) => boolean,
    folder: Partial<FolderConfig> = {},
  ): Promise<SomeDevices> {
    const some = new SomeDevices(names, folder)
    for (const [at, device] of some.devices.entries()) {
      await device.prepare(some.devices.filter((other, i) => other !== device && knows(at, i)))
    }
    for (const device of some.devices) await device.start()
    return some
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms, settle)
    await settle()
  }

  /** Advances the clock until the promise settles. */
  async during<T>(promise: Promise<T>): Promise<T> {
    const progress = { settled: false }
    const mark = () => void (progress.settled = true)
    promise.then(mark, mark)
    for (let round = 0; !progress.settled && round < 1_000; round++) await this.pass(10)
    return await promise
  }

  /** Scans all devices that are on, until they agree; undefined, or why they do not. */
  async converge(): Promise<string | undefined> {
    let reason: string | undefined
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.scanAll()
      await this.pass(15 * S)
      reason = await unsettledReason(this.#on, true)
      if (reason === undefined) return undefined
    }
    return reason
  }

  async scanAll(): Promise<void> {
    await this.during(Promise.all(this.#on.map((device) => device.model?.scan(DOCS))))
  }

  get #on(): readonly SimDevice[] {
    return this.devices.filter(({ isOn }) => isOn)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const device of this.devices) device.crash()
    while (this.clock.step());
    await settle()
    for (const device of this.devices) await device.close()
  }
}

export function write({ disk, root }: SimDevice, name: string, text: string): void {
  disk.direct.write(`${root}/${name}`, Buffer.from(text))
}

/** The files of a device by name, conflict copies as `name~`, sorted. */
export function filesOf({ disk, root }: SimDevice): readonly string[] {
  return [...disk.direct.tree(root)]
    .filter(([path, { type }]) => type === 'file' && !path.startsWith('.st'))
    .map(([path, { content }]) => {
      const name = path.replace(/\.sync-conflict-[^.]*/, '~')
      return `${name}: ${Buffer.from(content).toString()}`
    })
    .sort()
}
