import { isTemporary } from '../../src/core/paths.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS, settle } from '../support/model.ts'
import { ROOT, SimDevice } from './device.ts'
import { History, type Value } from './history.ts'
import { unsettledReason } from './invariants.ts'
import { Trace } from './trace.ts'

const S = 1_000
const NAMES = ['one', 'two', 'three'] as const
const STEPS = 30
const CONVERGENCE_ROUNDS_MAX = 240

export interface HistoriesResult {
  readonly histories: number
  readonly reads: number
  readonly unexplained: readonly string[]
}

/** Devices that share three names, each with its own history, under partitions, stops and power losses. */
export async function runHistories(seed: number, print?: (line: string) => void): Promise<HistoriesResult> {
  const run = new HistoriesRun(seed, print)
  try {
    await run.start()
    await run.converge()
  } finally {
    await run.close()
  }
  return run.result
}

class HistoriesRun {
  readonly #random: SimRandom
  readonly #clock = new SimClock()
  readonly #network: SimNetwork
  readonly #trace: Trace
  readonly #devices: readonly SimDevice[]
  readonly #histories: ReadonlyMap<string, History>
  /** Partitioned pairs of devices, by name. */
  readonly #partitioned = new Set<string>()
  readonly #unsettled: string[] = []
  #reads = 0
  #values = 0

  constructor(seed: number, print: ((line: string) => void) | undefined) {
    this.#random = new SimRandom(seed)
    this.#trace = new Trace(() => this.#clock.monotonicMs(), print)
    const travel = this.#random.stream('travel')
    this.#network = new SimNetwork(this.#clock, { delayMs: () => 1 + travel.int(200) })
    const names = ['a', 'b', 'c'].slice(0, 2 + this.#random.int(2))
    this.#devices = names.map((name) => this.#makeDevice(name))
    this.#histories = new Map(NAMES.map((name) => [name, new History(names)]))
  }

  get result(): HistoriesResult {
    const unexplained = [...this.#histories].flatMap(([name, history]) =>
      history.unexplained.map((line) => `${name}: ${line}`),
    )
    return { histories: NAMES.length, reads: this.#reads, unexplained: [...unexplained, ...this.#unsettled] }
  }

  async start(): Promise<void> {
    for (const device of this.#devices) await device.prepare(this.#devices.filter((other) => other !== device))
    for (const device of this.#devices) await device.start()
    this.#updateLinks()
    for (let step = 0; step < STEPS; step++) {
      await this.#step()
      await this.#pass(pick(this.#random, [0, 100, 2 * S, 10 * S, 60 * S]))
    }
  }

  async converge(): Promise<void> {
    this.#partitioned.clear()
    for (const a of this.#devices) for (const b of this.#devices) if (a !== b) this.#network.heal(a.name, b.name)
    for (const device of this.#devices) await device.start()
    this.#updateLinks()
    let reason: string | undefined = 'not checked'
    for (let round = 0; round < CONVERGENCE_ROUNDS_MAX && reason !== undefined; round++) {
      const scans = Promise.all(this.#devices.map((device) => device.model?.scan(DOCS)))
      await this.#pass(15 * S)
      await scans
      await this.#pass(15 * S)
      reason = await unsettledReason(this.#devices, true)
    }
    if (reason !== undefined) this.#unsettled.push(`not converged: ${reason}`)
    const everywhere = this.#everywhere()
    for (const [name, history] of this.#histories) {
      history.settled(new Map(this.#devices.map((device) => [device.name, valueAt(device, name)])), everywhere)
    }
  }

  async close(): Promise<void> {
    for (const device of this.#devices) device.crash()
    while (this.#clock.step());
    await settle()
    for (const device of this.#devices) await device.close()
  }

  async #step(): Promise<void> {
    const random = this.#random
    const device = pick(random, this.#devices)
    const chance = random.int(100)
    if (chance < 55) return this.#act(device)
    if (chance < 70) return this.#partition(device)
    if (chance < 80) return this.#heal()
    if (chance < 90) return await this.#stopOrStart(device)
    this.#crash(device)
  }

  /** Reads, and mostly writes a new value or removes the old one. */
  #act(device: SimDevice): void {
    const name = pick(this.#random, NAMES)
    const history = this.#histories.get(name)
    const seen = valueAt(device, name)
    history?.read(device.name, seen)
    this.#reads++
    const chance = this.#random.int(10)
    if (chance < 3) return this.#trace.add(device.name, `reads ${name}: ${seen}`)
    if (chance < 5 && seen !== undefined) {
      device.disk.direct.remove(`${ROOT}/${name}`)
      this.#trace.add(device.name, `removes ${name}: ${seen}`)
      return history?.write(device.name, undefined)
    }
    // Each has a distinct length: a scan detects an edit even when the time is equal.
    const value = `<${++this.#values}>`.padEnd(20 + this.#values, '.')
    device.disk.direct.write(`${ROOT}/${name}`, Buffer.from(value))
    this.#trace.add(device.name, `writes ${name}: ${seen} → ${value}`)
    history?.write(device.name, value)
  }

  #partition(device: SimDevice): void {
    for (const other of this.#devices) {
      if (other === device || this.#random.chance(0.3)) continue
      this.#network.partition(device.name, other.name)
      this.#partitioned.add(pairOf(device, other))
    }
    this.#updateLinks()
  }

  #heal(): void {
    for (const a of this.#devices) for (const b of this.#devices) if (a !== b) this.#network.heal(a.name, b.name)
    this.#partitioned.clear()
    this.#updateLinks()
  }

  async #stopOrStart(device: SimDevice): Promise<void> {
    if (device.isOn) {
      const stopped = device.stop()
      await this.#pass(S)
      await stopped
    } else await device.start()
    this.#updateLinks()
  }

  #crash(device: SimDevice): void {
    if (!device.isOn) return
    device.crash()
    for (const history of this.#histories.values()) history.lostPower(device.name)
    this.#updateLinks()
  }

  #updateLinks(): void {
    const on = this.#devices.filter(({ isOn }) => isOn)
    const links = on.flatMap((a) =>
      on.filter((b) => a.name < b.name && !this.#partitioned.has(pairOf(a, b))).map((b) => [a.name, b.name] as const),
    )
    for (const history of this.#histories.values()) history.connect(links)
    this.#trace.add('', `links ${links.map((pair) => pair.join('-')).join(' ')}`)
  }

  #everywhere(): ReadonlySet<string> {
    const found = new Set<string>()
    for (const { disk } of this.#devices) {
      for (const [path, item] of disk.direct.tree(ROOT)) {
        if (item.type === 'file' && !isTemporary(path)) found.add(Buffer.from(item.content).toString())
      }
    }
    return found
  }

  #makeDevice(name: string): SimDevice {
    const random = this.#random.stream(`device ${name}`)
    return new SimDevice({
      name,
      random,
      clock: this.#clock,
      network: this.#network,
      trace: this.#trace,
      disk: { ...(random.chance(0.2) && { modifiedStepNs: 2_000_000_000n }) },
      folder: { fsWatcherEnabled: random.chance(0.5), rescanIntervalS: 30 + random.int(60) },
      onEvent: (event) => this.#trace.add(name, event.type),
      onBadBlock: () => {},
    })
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.advance(ms, settle)
  }
}

function pairOf(a: SimDevice, b: SimDevice): string {
  return [a.name, b.name].toSorted().join('-')
}

function valueAt({ disk }: SimDevice, name: string): Value {
  const item = disk.direct.look(`${ROOT}/${name}`)
  return item === undefined ? undefined : Buffer.from(item.content).toString()
}
