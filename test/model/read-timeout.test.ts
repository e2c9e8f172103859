/** B-18 with whole simulated devices: a network that drops everything without closing the connections. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { ROOT, SimDevice } from '../sim/device.ts'
import { Trace } from '../sim/trace.ts'
import { someBytes } from '../support/bytes.ts'
import { reportRow } from '../support/effort.ts'
import { DOCS, settle } from '../support/model.ts'

const S = 1_000
/** The longest delay of a part of a message: the beginning of a response arrives before the rest of it. */
const DELAY_MS_MAX = 800
const SILENCE_MS_MAX = 300 * S
const STALL_MS_MAX = 60 * S
/** The interval of the timeout checks. */
const CHECK_MS = S
const BLOCK = 131_072
const ENDED = /connection to .* ended: read timeout/

/** Two devices that share a folder, on a network that can be partitioned. */
class TwoDevices implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly a: SimDevice
  readonly b: SimDevice
  readonly #travel = new SimRandom(81)
  readonly #network = new SimNetwork(this.clock, { delayMs: () => 1 + this.#travel.int(DELAY_MS_MAX) })
  /** When a device logged a read timeout. */
  readonly #timeouts: { readonly device: string; readonly atMs: number }[] = []

  constructor() {
    const print = (line: string): void => {
      if (ENDED.test(line)) this.#timeouts.push({ device: line.slice(10, 11), atMs: this.clock.monotonicMs() })
    }
    const trace = new Trace(() => this.clock.monotonicMs(), print)
    const random = new SimRandom(18)
    const [a, b] = ['a', 'b'].map(
      (name) =>
        new SimDevice({
          name,
          trace,
          clock: this.clock,
          network: this.#network,
          random: random.stream(name),
          disk: {},
          folder: {},
          onEvent: () => {},
          onBadBlock: () => {},
          facilities: 'connections',
        }),
    )
    this.a = a!
    this.b = b!
  }

  static async connected(): Promise<TwoDevices> {
    const two = new TwoDevices()
    await two.a.prepare([two.b])
    await two.b.prepare([two.a])
    await Promise.all([two.a.start(), two.b.start()])
    await two.until('connected', () => two.a.missing.length + two.b.missing.length === 0)
    return two
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms, settle)
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 600 * S): Promise<void> {
    for (let passedMs = 0; passedMs < limitMs; passedMs += 100) {
      if (await isSo()) return
      await this.pass(100)
    }
    assert.fail(`not within ${limitMs / S} s: ${what}`)
  }

  /** Makes a file and has the device find it. */
  async write(device: SimDevice, name: string, content: Uint8Array): Promise<void> {
    device.disk.put(`${ROOT}/${name}`, content)
    const progress = { done: false }
    const scan = device.model!.scan(DOCS).finally(() => (progress.done = true))
    await this.until('scanned', () => progress.done)
    await scan
  }

  async isInSync(): Promise<boolean> {
    const [one, other] = [await this.a.index(), await this.b.index()]
    const needs = await Promise.all([one, other].map(async (index) => (await index.needs.counts()).need))
    const counts = await Promise.all([one, other].map(async (index) => (await index.needs.counts()).global))
    return (
      needs.every(({ files }) => files === 0) &&
      counts[0]?.files === counts[1]?.files &&
      (await one.exchange.sequence(this.b.id)) === (await other.exchange.sequence('local')) &&
      (await other.exchange.sequence(this.a.id)) === (await one.exchange.sequence('local'))
    )
  }

  /** Drops everything from now on. Returns the time to the first read timeout of the device. */
  async partitionUntilTimeout(device: SimDevice): Promise<number> {
    const sinceMs = this.clock.monotonicMs()
    const first = () => this.#timeouts.find(({ device: name, atMs }) => name === device.name && atMs >= sinceMs)
    this.#network.partition('a', 'b')
    await this.until('noticed', () => first() !== undefined)
    return first()!.atMs - sinceMs
  }

  heal(): void {
    this.#network.heal('a', 'b')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopping = Promise.all([this.a.stop(), this.b.stop()])
    await this.pass(60 * S)
    await stopping
    await Promise.all([this.a.close(), this.b.close()])
  }
}

test('B-18: a connection without messages times out after 300 s, and no index entry is lost', async () => {
  await using two = await TwoDevices.connected()
  await two.write(two.a, 'before', Buffer.from('known to both'))
  await two.until('the first file is there', () => two.isInSync())
  const noticedMs = await two.partitionUntilTimeout(two.b)
  assert.ok(noticedMs <= SILENCE_MS_MAX + CHECK_MS, `after ${noticedMs} ms`)
  assert.ok(noticedMs > STALL_MS_MAX, `an idle connection timed out after ${noticedMs} ms`)
  await two.until('both have timed out', () => two.a.missing.length + two.b.missing.length === 2, SILENCE_MS_MAX)
  for (let i = 0; i < 5; i++) {
    await two.write(two.a, `meanwhile at a ${i}`, someBytes(1_000, i))
    await two.write(two.b, `meanwhile at b ${i}`, someBytes(1_000, 100 + i))
  }
  two.heal()
  await two.until('in sync again', () => two.isInSync())
  assert.equal((await (await two.a.index()).needs.counts()).local.files, 11)
  reportRow({ id: 'B-18', part: 'silent peer', tried: 1, noticedS: noticedMs / S })
})

test('B-18: a connection that stalls within a message times out after 60 s; its file is finished later', async () => {
  await using two = await TwoDevices.connected()
  const noticed: number[] = []
  for (let moment = 0; moment < 9; moment++) {
    await two.write(two.a, `large ${moment}`, someBytes(40 * BLOCK, moment))
    // Some blocks are under way at each of these moments.
    await two.until('begun', async () => (await (await two.b.index()).needs.counts()).need.files > 0)
    await two.pass(moment * 130)
    noticed.push(await two.partitionUntilTimeout(two.b))
    two.heal()
    await two.until(`large ${moment} is there`, () => two.isInSync())
  }
  for (const ms of noticed) assert.ok(ms <= SILENCE_MS_MAX + CHECK_MS, `after ${ms} ms`)
  const stalled = noticed.filter((ms) => ms <= STALL_MS_MAX + CHECK_MS)
  assert.ok(stalled.length > 0, `none in the middle of a message: ${noticed.join()}`)
  reportRow({
    id: 'B-18',
    part: 'stalled message',
    tried: noticed.length,
    stalled: stalled.length,
    noticedS: noticed.map((ms) => ms / S),
  })
})
