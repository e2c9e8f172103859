import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { earlierDevices } from '../../../src/core/records/pull-order.ts'
import { PullList } from '../../../src/model/puller/pull-list.ts'
import { SharedFeed } from '../../../src/model/puller/shared-feed.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import type { RecordsListener } from '../../../src/model/state/sources.ts'
import { DOCS } from '../../support/model.ts'

const MIB = 1_024 * 1_024
const [OWN, SOURCE, OTHER] = [1, 2, 3].map((byte) => deviceIdFromBytes(new Uint8Array(32).fill(byte))) as [
  DeviceId,
  DeviceId,
  DeviceId,
]
const isOurs = (name: string) => earlierDevices({ own: OWN, devices: [OTHER] })(name).length === 0

/** A feed of files that the source has, and that another device needs as well. */
class FeedCase {
  readonly jobs = new JobQueue(1_000)
  readonly holders = new Map<string, DeviceId[]>()
  readonly connected = [SOURCE, OTHER]
  readonly spared: DeviceId[] = []
  readonly feed: SharedFeed
  nowMs = 0
  announcements = 0
  #listener: RecordsListener | undefined

  constructor(names: readonly string[], sizeBytes = MIB) {
    const files = new PullList()
    for (const name of names) {
      files.add({ name, sizeBytes, modifiedS: 0, modifiedNs: 0, blocksHash: undefined })
      this.holders.set(name, [SOURCE])
    }
    const deps = {
      folder: DOCS,
      jobs: this.jobs,
      records: { availability: async (name: string) => this.holders.get(name) ?? [] },
      sources: {
        connectedDevices: () => this.connected,
        shareFiles: (_: string, listener: RecordsListener) => {
          this.#listener = listener
          const spare = (device: DeviceId) => void this.spared.push(device)
          return { spare, [Symbol.dispose]: () => void (this.#listener = undefined) }
        },
      },
      clock: { monotonicMs: () => this.nowMs },
      onAnnounced: () => void this.announcements++,
    }
    this.feed = new SharedFeed(deps, files, Uint32Array.from(names.keys()), OWN)
  }

  get isListening(): boolean {
    return this.#listener !== undefined
  }

  /** Begins and ends files until one is to be waited for, or none is left; returns their names. */
  async begun(): Promise<readonly string[]> {
    const names: string[] = []
    for (;;) {
      await this.feed.prepare()
      const next = this.feed.next()
      if (next?.kind !== 'file') return names
      names.push(next.name)
      this.feed.begin(next.name)
      this.nowMs += 1_000
      this.feed.ended(next.name)
    }
  }

  /** A device has the file, and has sent its record. */
  announce(device: DeviceId, name: string): void {
    this.holders.get(name)?.push(device)
    this.#listener?.(device, [name])
  }
}

const NAMES = Array.from({ length: 40 }, (_, i) => `file ${i}`)
const OURS = NAMES.filter(isOurs)
const THEIRS = NAMES.filter((name) => !isOurs(name))

test('our own share is begun first, and what others announce; a silent device is not waited for', async () => {
  const some = new FeedCase(NAMES)
  await some.feed.prepare()
  some.announce(OTHER, THEIRS[3]!)
  assert.equal(some.announcements, 1)
  assert.deepEqual(some.spared[0], SOURCE)
  const begun = await some.begun()
  assert.deepEqual(begun.slice(0, OURS.length + 1).sort(), [...OURS, THEIRS[3]!].sort())
  assert.deepEqual([...begun].sort(), [...NAMES].sort(), 'the other device announced nothing for two seconds')
  assert.equal(some.feed.hasMore, false)
})

test('while the other device announces files, it is waited for, but not with a prioritized file', async () => {
  const some = new FeedCase(NAMES)
  await some.feed.prepare()
  const first = OURS.length
  const wait = async () => {
    await some.feed.prepare()
    return some.feed.next()?.kind
  }
  for (let i = 0; i < first; i++) {
    const next = some.feed.next()
    assert.equal(next?.kind === 'file' && isOurs(next.name), true)
    if (next?.kind !== 'file') return
    some.feed.begin(next.name)
    some.nowMs += 1_000
    some.feed.ended(next.name)
  }
  some.announce(OTHER, THEIRS[0]!)
  assert.deepEqual(some.jobs.waiting(), [])
  await some.feed.prepare()
  assert.deepEqual(some.jobs.waiting(), [THEIRS[0]])
  some.feed.begin(THEIRS[0]!)
  some.feed.ended(THEIRS[0]!)
  assert.equal(await wait(), 'wait')
  assert.equal(some.feed.hasMore, true)
  some.jobs.bringToFront(THEIRS[5]!)
  assert.deepEqual(some.feed.next(), { kind: 'file', name: THEIRS[5], sizeBytes: MIB })
  some.feed.begin(THEIRS[5]!)
  assert.equal(await wait(), 'wait')
  some.nowMs += 3_000
  assert.deepEqual([...(await some.begun())].sort(), THEIRS.filter((_, i) => i !== 0 && i !== 5).sort())
})

test('files whose blocks are announced, and files that no device has, are not postponed', async () => {
  const large = new FeedCase(THEIRS, 2 * MIB)
  await large.feed.prepare()
  assert.deepEqual(large.jobs.waiting(), THEIRS)
  const lost = new FeedCase(THEIRS)
  lost.connected.shift()
  await lost.feed.prepare()
  assert.deepEqual(lost.jobs.waiting(), THEIRS)
  lost.feed[Symbol.dispose]()
  assert.equal(lost.isListening, false)
})

test('names that wait for other devices are bounded, and every file is begun', async () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `file ${i}`)
  const some = new FeedCase(many, 1_000)
  let [waiting, begun] = [0, 0]
  for (;;) {
    await some.feed.prepare()
    const next = some.feed.next()
    if (next === undefined) break
    waiting = Math.max(waiting, some.jobs.waiting().length)
    some.nowMs += 100
    if (next.kind === 'wait') continue
    some.feed.begin(next.name)
    some.feed.ended(next.name)
    begun++
  }
  assert.equal(begun, many.length)
  assert.ok(waiting <= 1_064, `${waiting} queued`)
})

test('a prioritized file is the first one, whoever has its turn', async () => {
  const some = new FeedCase(NAMES)
  some.jobs.bringToFront(THEIRS[7]!)
  const begun = await some.begun()
  assert.equal(begun[0], THEIRS[7])
})
