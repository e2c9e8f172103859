/** The recorder of figures over a simulated clock and disk: what it stores, when, and what a restart keeps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Observation } from '../../src/core/series/book.ts'
import type { SeriesLevel } from '../../src/core/series/ring.ts'
import { EventBus } from '../../src/events/bus.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SeriesRecorder, type SeriesFacts } from '../../src/stats/series-recorder.ts'
import { quietLogger } from '../support/logger.ts'

const FILE = '/home/twinfold-series'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const settle = async () => {
  for (let turn = 0; turn < 30; turn++) await setImmediate()
}

class Scene {
  readonly clock = new SimClock()
  readonly disk = new SimDisk(this.clock)
  readonly events = new EventBus({ clock: this.clock, log: quietLogger('events') })
  /** Calls to the disk, by name. */
  readonly calls: string[] = []
  readonly warnings: string[] = []
  facts: SeriesFacts = { inBytesTotal: 0, outBytesTotal: 0, devices: [], folders: [] }
  free: Observation['disks'] = []
  #stop = new AbortController()
  #run: Promise<void> = Promise.resolve()
  recorder: SeriesRecorder | undefined

  async start(): Promise<SeriesRecorder> {
    await this.disk.makeDirectories('/home', 0o700)
    const { clock, events, disk, calls } = this
    const counted = new Proxy(disk, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          calls.push(String(name))
          return Reflect.apply(member, target, args)
        }
      },
    }) as Disk
    this.#stop = new AbortController()
    this.recorder = await SeriesRecorder.open(
      {
        clock,
        events,
        disk: counted,
        log: { ...quietLogger('stats'), warn: (text) => void this.warnings.push(text) },
        facts: () => this.facts,
        disks: async () => {
          calls.push('space')
          return this.free
        },
      },
      FILE,
    )
    this.#run = this.recorder.run(this.#stop.signal)
    this.#run.catch(() => {}) // looked at by stop
    await settle()
    return this.recorder
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'))
    await this.#run.catch((error: unknown) => assert.match(String(error), /stopped/))
  }

  /** As a crash: nothing is written at the end. */
  async crash(): Promise<void> {
    const [stored, path] = [await this.read(), FILE]
    await this.stop()
    await this.disk.removeFile(path)
    if (stored !== undefined) this.disk.put(path, stored)
  }

  async read(): Promise<Uint8Array | undefined> {
    const file = await this.disk.open(FILE, 'read').catch(() => undefined)
    if (file === undefined) return undefined
    const data = new Uint8Array((await file.stat()).sizeBytes)
    await file.read(data, 0)
    await file.close()
    return data
  }

  async pass(minutes: number, each: (minute: number) => void = () => {}): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      each(minute)
      await this.clock.advance(MINUTE_MS, settle)
    }
  }

  values(level: SeriesLevel, kind: string, subject: string): readonly (number | null)[] {
    const found = this.recorder?.read({ level, count: 5, isWanted: (of, id) => of === kind && id === subject })
    return found?.series[0]?.values ?? []
  }
}

const NAS = (bytes: number | undefined) => ({
  id: 'NAS',
  bytes: bytes === undefined ? undefined : { in: bytes, out: 0 },
})

test('an hour in which nothing changes accesses no disk', async () => {
  const scene = new Scene()
  scene.facts = { inBytesTotal: 0, outBytesTotal: 0, devices: [NAS(0)], folders: [{ id: 'a', behind: 0 }] }
  await scene.start()
  await scene.pass(15)
  assert.ok(scene.calls.includes('rename'), 'the first state is stored')
  scene.calls.length = 0
  await scene.pass(60, (minute) => {
    // Keep-alive messages.
    scene.facts = { ...scene.facts, inBytesTotal: minute * 30, devices: [NAS(minute * 30)] }
  })
  assert.deepEqual(scene.calls, [])
  assert.deepEqual(scene.values('hour', 'connected', 'NAS').slice(-1), [1])
  await scene.stop()
})

test('a restart continues with what was known, with a gap for the time between', async () => {
  const scene = new Scene()
  scene.facts = { ...scene.facts, devices: [NAS(0)], folders: [{ id: 'a', behind: 3 }] }
  await scene.start()
  await scene.pass(60)
  await scene.stop()
  await scene.clock.advance(2 * HOUR_MS, settle)
  await scene.start()
  await scene.pass(60)
  const shares = scene.values('hour', 'connected', 'NAS')
  assert.equal(shares.filter((share) => share === 1).length >= 2, true, String(shares))
  assert.ok(shares.includes(null), 'the time without this device is not known')
  assert.ok(scene.values('hour', 'behind', 'a').includes(3))
  assert.deepEqual(scene.warnings, [])
  await scene.stop()
})

test('a crash loses at most the last ten minutes of changes', async () => {
  const scene = new Scene()
  await scene.start()
  await scene.pass(65, (minute) => {
    scene.facts = { ...scene.facts, folders: [{ id: 'a', behind: minute }] }
  })
  await scene.crash()
  scene.facts = { ...scene.facts, folders: [{ id: 'a', behind: undefined }] }
  await scene.start()
  const [most] = scene.values('day', 'behind', 'a').slice(-1)
  assert.ok(most !== undefined && most !== null && most >= 54 && most < 64, String(most))
  await scene.stop()
})

test('bytes of a new connection count from its start, and those of all devices from the total', async () => {
  const scene = new Scene()
  scene.facts = { ...scene.facts, devices: [NAS(undefined)] }
  await scene.start()
  await scene.pass(1)
  scene.facts = { ...scene.facts, inBytesTotal: 600_000, devices: [NAS(600_000)] }
  await scene.pass(1)
  scene.facts = { ...scene.facts, inBytesTotal: 720_000, devices: [NAS(120_000)] }
  await scene.pass(1)
  assert.deepEqual(scene.values('minute', 'in', 'NAS').slice(-3, -1), [10_000, 2_000])
  assert.deepEqual(scene.values('minute', 'in', '').slice(-3, -1), [10_000, 2_000])
  await scene.stop()
})

test('free space is looked at after work on a folder, not more often than every five minutes', async () => {
  const scene = new Scene()
  scene.free = [{ path: '/', freeBytes: 7_000 }]
  await scene.start()
  const looks = () => scene.calls.filter((call) => call === 'space').length
  assert.equal(looks(), 1)
  await scene.pass(20)
  assert.equal(looks(), 1)
  await scene.pass(20, () => {
    scene.events.emit('LocalIndexUpdated', { folder: 'a', items: 1, filenames: ['x'], sequence: 1, version: 1 })
  })
  assert.ok(looks() >= 4 && looks() <= 6, `${looks()} looks`)
  assert.deepEqual(scene.values('hour', 'free', '/').slice(-1), [7_000])
  await scene.stop()
})

test('a damaged file is reported, and the figures begin anew', async () => {
  const scene = new Scene()
  await scene.disk.makeDirectories('/home', 0o700)
  scene.disk.put(FILE, 'no series')
  await scene.start()
  assert.match(scene.warnings.join('\n'), /twinfold-series is damaged/)
  await scene.pass(1)
  await scene.stop()
  await scene.start()
  assert.equal(scene.warnings.length, 1)
  await scene.stop()
})

test('a disk that is full does not stop the recording', async () => {
  const scene = new Scene()
  await scene.start()
  scene.disk.fail({ call: 'any', code: 'ENOSPC', times: 1_000 })
  await scene.pass(12, (minute) => {
    scene.facts = { ...scene.facts, folders: [{ id: 'a', behind: minute }] }
  })
  assert.deepEqual(scene.values('minute', 'behind', 'a').slice(-1), [11])
  await scene.stop()
})

test('a wall clock that is set back, and one that jumps ahead, leave no false time', async () => {
  const scene = new Scene()
  scene.facts = { ...scene.facts, devices: [NAS(0)] }
  await scene.start()
  await scene.pass(180)
  scene.clock.jumpWall(-2 * HOUR_MS)
  await scene.pass(30)
  const { nowMs } = { nowMs: scene.clock.nowMs() }
  const read = scene.recorder?.read({ level: 'hour', count: 4, isWanted: (kind) => kind === 'connected' })
  assert.equal(read?.startMs, Math.floor(nowMs / HOUR_MS) * HOUR_MS - 3 * HOUR_MS)
  assert.ok(read?.series[0]?.values.every((share) => share === null || share === 1))
  scene.clock.jumpWall(5 * HOUR_MS)
  await scene.pass(2)
  const after = scene.values('hour', 'connected', 'NAS')
  assert.equal(after.filter((share) => share === null).length >= 3, true, String(after))
  await scene.stop()
})
