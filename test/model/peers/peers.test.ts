import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER } from '../../../src/core/never.ts'
import { allRecords, file } from '../../db/records.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../../support/config.ts'
import { DOCS } from '../../support/model.ts'
import { connectionBetween, DevicePair, REQUEST } from './linked-peers.ts'

test('two devices exchange their indexes and later updates', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await a.add('one', 'two')
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
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
    const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
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
    const ends = connectionBetween(LOCAL_ID, SERVER, name)
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
  const [x, y] = [connectionBetween(LOCAL_ID, SERVER, 'x'), connectionBetween(LOCAL_ID, SERVER, 'y')]
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
  const [x, y] = [connectionBetween(LOCAL_ID, SERVER, 'x'), connectionBetween(LOCAL_ID, SERVER, 'y')]
  for (const [near, far] of [x, y]) {
    a.peers.attach(near)
    b.peers.attach(far)
  }
  await pair.pass(1_300)
  await a.index.records.updateLocal([file('two')])
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
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(1_300)
  await a.pause(true)
  await pair.pass(0)
  assert.equal(b.peers.remoteState(LOCAL_ID, DOCS), 'paused')
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

test('sources of a block: connected devices with that version', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await b.add('have')
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(1_300)
  const head = await a.index.records.global('have')
  assert.deepEqual(await a.peers.sourcesOf(DOCS, head!, 0), [{ device: SERVER, fromTemporary: false }])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, { ...head!, version: [] }, 0), [])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, file('other'), 0), [])
  const { head: readHead } = a.index.records
  let lookups = 0
  a.index.records.head = (owner, name) => {
    lookups++
    return readHead.call(a.index.records, owner, name)
  }
  const expected = { ...head!, name: 'expected' }
  a.peers.expectHolders(DOCS)(expected, [SERVER])
  assert.deepEqual(await a.peers.sourcesOf(DOCS, expected, 0), [{ device: SERVER, fromTemporary: false }])
  assert.equal(lookups, 0, 'expected holders need no lookup')
  await b.index.records.updateLocal([file('have', { deleted: true, sizeBytes: 0, blockHashes: undefined })])
  b.signals.localIndexChanged.emit(DOCS)
  await pair.pass(300)
  assert.deepEqual(await a.peers.sourcesOf(DOCS, head!, 0), [], 'it was deleted meanwhile')
})

test('sources of a block: the device that served faster comes first', async () => {
  await using three = await DevicePair.makeThree()
  const [a, b, c] = three.devices
  const ends = [connectionBetween(LOCAL_ID, SERVER, '1'), connectionBetween(LOCAL_ID, LAPTOP, '2')]
  for (const [place, device] of [b, c].entries()) {
    await device.add('have')
    a.peers.attach(ends[place]![0])
    device.peers.attach(ends[place]![1])
  }
  await three.pass(1_300)
  const head = await a.index.records.global('have')
  const devices = async () => (await a.peers.sourcesOf(DOCS, head!, 0)).map(({ device }) => device)
  assert.deepEqual(await devices(), [SERVER, LAPTOP])
  for (const [device, [end], ms] of [
    [SERVER, ends[0]!, 500],
    [LAPTOP, ends[1]!, 5],
  ] as const) {
    end.request = async () => (await three.clock.sleep(ms, NEVER), new Uint8Array(1))
    const served = a.peers.request(device, REQUEST, NEVER)
    await three.pass(ms)
    await served
  }
  assert.deepEqual(await devices(), [LAPTOP, SERVER])
})

test('the only source of a file: the device that has it, and no other one can serve it', async () => {
  await using three = await DevicePair.makeThree()
  const [a, b, c] = three.devices
  const ends = [connectionBetween(LOCAL_ID, SERVER, '1'), connectionBetween(LOCAL_ID, LAPTOP, '2')]
  for (const [place, device] of [b, c].entries()) {
    a.peers.attach(ends[place]![0])
    device.peers.attach(ends[place]![1])
  }
  await b.add('have')
  await three.pass(1_300)
  const head = (await a.index.records.global('have'))!
  const only = (...holders: readonly (typeof SERVER | typeof LAPTOP)[]) => a.peers.onlySource(DOCS, head, holders)
  assert.equal(only(SERVER), SERVER)
  assert.equal(only(), undefined)
  assert.equal(only(SERVER, LAPTOP), undefined)
  const { name, version, blockSizeBytes } = head
  await ends[1]![1].downloadProgress(DOCS, [{ kind: 'append', name, version, blockIndexes: [0], blockSizeBytes }])
  assert.equal(only(SERVER), undefined, 'the other one has it in an unfinished file')
  await ends[1]![0].close('gone')
  await three.pass(100)
  assert.equal(only(SERVER, LAPTOP), SERVER)
})

test('sources of a block: a device that is fetching the file comes first, unless it is much slower', async () => {
  await using three = await DevicePair.makeThree()
  const [a, b, c] = three.devices
  const ends = [connectionBetween(LOCAL_ID, SERVER, '1'), connectionBetween(LOCAL_ID, LAPTOP, '2')]
  await b.add('have')
  for (const [place, device] of [b, c].entries()) {
    a.peers.attach(ends[place]![0])
    device.peers.attach(ends[place]![1])
  }
  await three.pass(1_300)
  const head = await a.index.records.global('have')
  const { name, version, blockSizeBytes } = head!
  await ends[1]![1].downloadProgress(DOCS, [{ kind: 'append', name, version, blockIndexes: [0], blockSizeBytes }])
  const serve = async (device: typeof SERVER | typeof LAPTOP, ms: number) => {
    ends[device === SERVER ? 0 : 1]![0].request = async () => (await three.clock.sleep(ms, NEVER), new Uint8Array(1))
    for (let times = 0; times < 20; times++) {
      const served = a.peers.request(device, REQUEST, NEVER)
      await three.pass(ms)
      await served
    }
  }
  const sources = () => a.peers.sourcesOf(DOCS, head!, 0)
  await serve(SERVER, 20)
  await serve(LAPTOP, 60)
  assert.deepEqual(await sources(), [
    { device: LAPTOP, fromTemporary: true },
    { device: SERVER, fromTemporary: false },
  ])
  await serve(LAPTOP, 600)
  assert.deepEqual((await sources())[0], { device: SERVER, fromTemporary: false })
})

test('sources of a block: a device that alone has other files is spared, unless others are much slower', async () => {
  await using three = await DevicePair.makeThree()
  const [a, b, c] = three.devices
  const ends = [connectionBetween(LOCAL_ID, SERVER, '1'), connectionBetween(LOCAL_ID, LAPTOP, '2')]
  for (const [place, device] of [b, c].entries()) {
    await device.add('have')
    a.peers.attach(ends[place]![0])
    device.peers.attach(ends[place]![1])
  }
  await three.pass(1_300)
  const head = await a.index.records.global('have')
  const first = async () => (await a.peers.sourcesOf(DOCS, head!, 0))[0]?.device
  const serve = async (device: typeof SERVER | typeof LAPTOP, ms: number) => {
    ends[device === SERVER ? 0 : 1]![0].request = async () => (await three.clock.sleep(ms, NEVER), new Uint8Array(1))
    for (let times = 0; times < 20; times++) {
      const served = a.peers.request(device, REQUEST, NEVER)
      await three.pass(ms)
      await served
    }
  }
  await serve(SERVER, 20)
  await serve(LAPTOP, 60)
  assert.equal(await first(), SERVER)
  const names: string[] = []
  {
    using sharing = a.peers.shareFiles(DOCS, (device, sent) => void names.push(`${device} ${sent?.join() ?? 'any'}`))
    sharing.spare(SERVER)
    assert.equal(await first(), LAPTOP)
    await serve(LAPTOP, 600)
    assert.equal(await first(), SERVER)
    await c.add('new')
    await three.pass(300)
    assert.deepEqual(names, [`${LAPTOP} new`])
  }
  await c.add('newer')
  await serve(LAPTOP, 60)
  await serve(SERVER, 20)
  assert.equal(await first(), SERVER, 'the pull has ended')
  assert.equal(names.length, 1)
  assert.deepEqual(a.peers.connectedDevices(DOCS), [SERVER, LAPTOP])
})

test('B-24: download progress is accepted only for a folder that is shared with its sender', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(0)
  for (const folder of ['other', '', DOCS, '../docs']) await near.downloadProgress(folder)
  assert.deepEqual(near.acceptedProgress, [DOCS])
})

test('pausing and resuming a device emits events', async () => {
  await using pair = await DevicePair.make()
  const [a] = pair.devices
  const paused = (value: boolean) => ({
    ...a.config,
    devices: a.config.devices.map((device) => ({ ...device, paused: value })),
  })
  await a.peers.apply(paused(false), paused(true))
  await a.peers.apply(paused(true), paused(false))
  const emitted = a.events.filter((type) => type === 'DevicePaused' || type === 'DeviceResumed')
  assert.deepEqual(emitted, ['DevicePaused', 'DevicePaused', 'DeviceResumed', 'DeviceResumed'])
})
