import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { FolderIndex, IndexStore } from '../../../src/db/types.ts'
import { ModelSignals } from '../../../src/model/signals.ts'
import { Peers } from '../../../src/model/peers/peers.ts'
import type { BlockRequest, Connection, ProtocolHandler } from '../../../src/protocol/types.ts'
import { Statistics } from '../../../src/stats/stats.ts'
import { Mutex } from '../../../src/sync/mutex.ts'
import { DiskBlockReader } from '../../../src/platform/files/disk-block-reader.ts'
import { SharedMutex } from '../../../src/sync/shared-mutex.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'
import { allRecords, file, openTestStore } from '../../db/records.ts'
import { OWN, SERVER } from '../../support/config.ts'
import { quietLogger } from '../../support/logger.ts'
import { DOCS, settle, simConfig, simFolder } from '../../support/model.ts'

const REQUEST: BlockRequest = {
  folder: DOCS,
  name: 'a',
  offsetBytes: 0,
  sizeBytes: 1,
  hash: new Uint8Array(32),
  fromTemporary: false,
  blockNumber: 0,
}

/** One end of a connection that carries calls instead of bytes, in order. */
class End implements Connection {
  readonly device: DeviceId
  readonly connectionId: string
  readonly hello = { deviceName: 'name', clientName: 'test', clientVersion: 'v0', numConnections: 3, timestampNs: 1n }
  readonly transport = 'tcp-client'
  readonly remoteAddress = '127.0.0.1:1'
  readonly isLocal = true
  readonly crypto = 'none'
  readonly establishedMs = 0
  readonly priority = 10
  readonly idleMs = 0
  readonly inBytesTotal = 0
  readonly outBytesTotal = 0
  readonly sent: string[] = []
  readonly #stop = new AbortController()
  readonly #order = new Mutex()
  readonly #handler = Promise.withResolvers<ProtocolHandler>()
  other: End | undefined
  /** Number of messages that are delivered; later ones are lost. */
  deliveredMax = Number.POSITIVE_INFINITY

  constructor(device: DeviceId, connectionId: string) {
    this.device = device
    this.connectionId = connectionId
  }

  get closed(): AbortSignal {
    return this.#stop.signal
  }

  async run(handler: ProtocolHandler): Promise<void> {
    this.#handler.resolve(handler)
    await new Promise<void>((resolve) => this.closed.addEventListener('abort', () => resolve(), { once: true }))
  }

  clusterConfig(config: Parameters<Connection['clusterConfig']>[0]): Promise<void> {
    return this.#deliver(`cluster-config${config.secondary ? ' secondary' : ''}`, (handler) =>
      handler.clusterConfig(config),
    )
  }

  index(data: Parameters<Connection['index']>[0]): Promise<void> {
    return this.#deliver('index', (handler) => handler.index(data))
  }

  indexUpdate(data: Parameters<Connection['index']>[0]): Promise<void> {
    return this.#deliver('index-update', (handler) => handler.indexUpdate(data))
  }

  async request(request: BlockRequest): Promise<Uint8Array> {
    this.sent.push('request')
    const reply = await (await this.other!.#handler.promise).request(request, this.closed)
    if (reply.kind === 'refused') throw new Error(reply.code)
    return reply.data
  }

  async downloadProgress(): Promise<void> {}

  async close(reason: string): Promise<void> {
    for (const end of [this, this.other!]) end.#stop.abort(new Error(reason))
  }

  async #deliver(what: string, act: (handler: ProtocolHandler) => Promise<void>): Promise<void> {
    this.closed.throwIfAborted()
    this.sent.push(what)
    if (this.sent.length > this.deliveredMax) return
    const other = this.other!
    using _lock = await other.#order.lock()
    try {
      if (!this.closed.aborted) await act(await other.#handler.promise)
    } catch (error) {
      await this.close(`refused: ${String(error)}`)
    }
  }
}

function connectionBetween(a: DeviceId, b: DeviceId, name: string): readonly [End, End] {
  const ends = [new End(b, name), new End(a, name)] as const
  ends[0].other = ends[1]
  ends[1].other = ends[0]
  return ends
}

/** A device with an index and connections, and an empty disk. */
class Device {
  readonly id: DeviceId
  readonly index: FolderIndex
  readonly peers: Peers
  readonly pulls: string[] = []
  readonly events: string[] = []
  config: Config
  readonly signals = new ModelSignals()
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  private constructor(id: DeviceId, clock: SimClock, store: IndexStore, index: FolderIndex) {
    const both = [OWN, SERVER].map((deviceID) => ({ deviceID, introducedBy: '' as const, encryptionPassword: '' }))
    this.id = id
    this.index = index
    this.config = {
      ...simConfig([simFolder('docs', { devices: both })]),
      devices: both.map(({ deviceID }) => ({ ...defaultsOf(DEVICE), deviceID, name: 'name' })),
    }
    this.signals.pullWanted.listen((folder) => this.pulls.push(folder))
    this.peers = new Peers(
      {
        clock,
        store,
        blocks: new DiskBlockReader(new SimDisk(clock)),
        platform: 'linux',
        log: quietLogger('model'),
        events: { emit: (type) => void this.events.push(type) },
        statistics: new Statistics({ keyValue: store.keyValue, log: quietLogger('stats') }),
        signals: this.signals,
        roots: {
          lock: () => new SharedMutex(),
          get: (folder) =>
            this.config.folders.some(({ id: known, paused }) => known === folder && !paused) ? '/data' : undefined,
        },
        foldersOffered: () => {},
        onClusterConfig: () => {},
        nameDevice: () => {},
      },
      { config: this.config, ownDevice: id },
    )
    this.#running = this.peers.run(this.#stop.signal)
  }

  static async make(id: DeviceId, clock: SimClock, store: IndexStore): Promise<Device> {
    return new Device(id, clock, store, await store.folder(DOCS))
  }

  async add(...names: string[]): Promise<void> {
    await this.index.updateLocal(names.map((name) => file(name)))
    this.signals.localIndexChanged.emit(DOCS)
  }

  async pause(paused: boolean): Promise<void> {
    const from = this.config
    this.config = { ...from, folders: from.folders.map((folder) => ({ ...folder, paused })) }
    await this.peers.release(this.config)
    await this.peers.apply(from, this.config)
  }

  async receivedNames(other: Device): Promise<string> {
    return (await allRecords(this.index, other.id)).map(({ name }) => name).join(' ')
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

class DevicePair implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly #stores: IndexStore[] = []
  devices: readonly Device[] = []

  static async make(): Promise<DevicePair & { readonly devices: readonly [Device, Device] }> {
    const pair = new DevicePair()
    for (let i = 0; i < 2; i++) pair.#stores.push(await openTestStore(undefined))
    const [a, b] = pair.#stores
    const devices = [await Device.make(OWN, pair.clock, a!), await Device.make(SERVER, pair.clock, b!)] as const
    return Object.assign(pair, { devices })
  }

  async pass(ms: number): Promise<void> {
    for (let i = 0; i < 20; i++) await settle()
    await this.clock.advance(ms, settle)
    for (let i = 0; i < 20; i++) await settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const device of this.devices) {
      const stopped = device.stop()
      await this.pass(0)
      await stopped
    }
    assert.equal(this.clock.sleepingCount, 0, 'a timer is left after the stop')
    for (const store of this.#stores) await store[Symbol.asyncDispose]()
  }
}

test('two devices exchange their indexes and later updates', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await a.add('one', 'two')
  const [near, far] = connectionBetween(OWN, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(0)
  assert.equal(await b.receivedNames(a), 'one two', 'the first connection is promoted without delay')
  await b.add('three')
  await a.add('four')
  await pair.pass(300)
  assert.equal(await a.receivedNames(b), 'three')
  assert.equal(await b.receivedNames(a), 'four one two')
  assert.deepEqual(near.sent, ['cluster-config', 'index', 'index-update'])
  assert.deepEqual([a.peers.remoteState(SERVER, DOCS), a.peers.hasConnectedDevice(DOCS)], ['valid', true])
  assert.ok(b.pulls.length >= 2)
})

test('a pull waits for the announced index to be complete, up to a time limit', async () => {
  const names = Array.from({ length: 2_500 }, (_, number) => `file-${number}`)
  for (const delivered of [4, 3]) {
    await using pair = await DevicePair.make()
    const [a, b] = pair.devices
    await a.add(...names)
    const [near, far] = connectionBetween(OWN, SERVER, '1')
    near.deliveredMax = delivered
    a.peers.attach(near)
    b.peers.attach(far)
    await pair.pass(0)
    assert.deepEqual(near.sent, ['cluster-config', 'index', 'index-update', 'index-update'])
    // One pull when the exchange starts, with the stored records.
    assert.equal(b.pulls.length, delivered === 4 ? 2 : 1)
    await pair.pass(600)
    assert.equal(b.pulls.length, 2)
    assert.equal((await allRecords(b.index, a.id)).length, delivered === 4 ? 2_500 : 2_000)
  }
})

test('a device that reconnects receives only the missing updates', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await a.add('one')
  const meet = async (name: string) => {
    const ends = connectionBetween(OWN, SERVER, name)
    a.peers.attach(ends[0])
    b.peers.attach(ends[1])
    await pair.pass(1_300)
    return ends[0]
  }
  const first = await meet('1')
  await first.close('cut')
  await pair.pass(0)
  assert.deepEqual([a.peers.hasConnectedDevice(DOCS), a.peers.remoteState(SERVER, DOCS)], [false, 'unknown'])
  await a.add('two')
  const second = await meet('2')
  assert.deepEqual(second.sent, ['cluster-config', 'index-update'])
  assert.equal(await b.receivedNames(a), 'one two')
  assert.deepEqual(
    a.events.filter((type) => type.startsWith('Device')),
    ['DeviceConnected', 'DeviceDisconnected', 'DeviceConnected'],
  )
})

test('several connections: the oldest of each side carries its index, the others carry requests', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await a.add('ours')
  await b.add('theirs')
  const [x, y] = [connectionBetween(OWN, SERVER, 'x'), connectionBetween(OWN, SERVER, 'y')]
  for (const end of [x[0], y[0]]) a.peers.attach(end)
  for (const end of [y[1], x[1]]) b.peers.attach(end)
  await pair.pass(1_300)
  assert.deepEqual([await a.receivedNames(b), await b.receivedNames(a)], ['theirs', 'ours'])
  assert.deepEqual([x[0].sent, y[0].sent], [['cluster-config', 'index'], ['cluster-config secondary']])
  assert.deepEqual([y[1].sent, x[1].sent], [['cluster-config', 'index'], ['cluster-config secondary']])
  await assert.rejects(a.peers.request(SERVER, REQUEST, new AbortController().signal), /no-such-file/)
  assert.equal(y[0].sent.at(-1), 'request')
  assert.equal(x[0].closed.aborted || y[0].closed.aborted, false, 'no connection was closed')
})

test('the next oldest connection becomes primary, and no update in transit is lost', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await a.add('one')
  const [x, y] = [connectionBetween(OWN, SERVER, 'x'), connectionBetween(OWN, SERVER, 'y')]
  for (const [near, far] of [x, y]) {
    a.peers.attach(near)
    b.peers.attach(far)
  }
  await pair.pass(1_300)
  await a.index.updateLocal([file('two')])
  await x[0].close('cut')
  await pair.pass(1_300)
  await b.add('three')
  await pair.pass(300)
  assert.deepEqual([await b.receivedNames(a), await a.receivedNames(b)], ['one two', 'three'])
  assert.equal(y[0].sent.filter((what) => what === 'cluster-config').length, 1)
  assert.equal(a.events.filter((type) => type === 'DeviceDisconnected').length, 0)
})

test('a paused folder is announced as paused; on resume the missing updates are sent', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  const [near, far] = connectionBetween(OWN, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(1_300)
  await a.pause(true)
  await pair.pass(0)
  assert.equal(b.peers.remoteState(OWN, DOCS), 'paused')
  assert.equal(b.peers.hasConnectedDevice(DOCS), false)
  await a.add('one')
  await b.add('two')
  await pair.pass(300)
  assert.deepEqual([await a.receivedNames(b), await b.receivedNames(a)], ['', ''])
  await a.pause(false)
  await pair.pass(300)
  assert.deepEqual([await a.receivedNames(b), await b.receivedNames(a)], ['two', 'one'])
  assert.equal(near.closed.aborted, false)
})

test('sources of a block: connected devices with that version, the least busy first', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await b.add('have')
  const [near, far] = connectionBetween(OWN, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(1_300)
  const head = await a.index.global('have')
  assert.deepEqual(await a.peers.sourcesOf(DOCS, head!, 0), [{ device: SERVER, fromTemporary: false }])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, { ...head!, version: [] }, 0), [])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, file('other'), 0), [])
  const { head: readHead } = a.index
  let lookups = 0
  a.index.head = (owner, name) => {
    lookups++
    return readHead.call(a.index, owner, name)
  }
  const expected = { ...head!, name: 'expected' }
  a.peers.expectHolders(DOCS)(expected, [SERVER])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, expected, 0), [{ device: SERVER, fromTemporary: false }])
  assert.equal(lookups, 0, 'expected holders need no lookup')
  await b.index.updateLocal([file('have', { deleted: true, sizeBytes: 0, blockHashes: undefined })])
  b.signals.localIndexChanged.emit(DOCS)
  await pair.pass(300)
  assert.deepEqual(await a.peers.sourcesOf(DOCS, head!, 0), [], 'it was deleted meanwhile')
})
