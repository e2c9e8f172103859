import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, NEVER, settle } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072
const MINUTE_MS = 60_000

test('wrong bytes from a source are rejected and never reach the file', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'right')
  pull.peer.serve = async (_request, data) => Buffer.alloc(data.length, 'wrong')
  await pull.sync()
  assert.deepEqual(await pull.errors(), ['f: syncing: pull: hash mismatch'])
  assert.ok(!(await pull.tree()).includes('f'))
  pull.peer.serve = async (_request, data) => data
  await pull.hub.pass(2 * MINUTE_MS)
  await pull.rest()
  assert.equal(await pull.read('f'), 'right')
  await pull.assertSettled()
})

test('a source that sent wrong bytes gets a second request and may then send right ones', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('small', 'right')
  pull.peer.put('large', 'r'.repeat(3 * BLOCK))
  const requested = new Map<string, number>()
  pull.peer.serve = async ({ name, offsetBytes }, data) => {
    const key = `${name} ${offsetBytes}`
    requested.set(key, (requested.get(key) ?? 0) + 1)
    return requested.get(key) === 1 ? Buffer.alloc(data.length, 'wrong') : data
  }
  await pull.sync()
  assert.deepEqual(await pull.errors(), [])
  assert.equal(await pull.read('small'), 'right')
  assert.equal(await pull.read('large'), 'r'.repeat(3 * BLOCK))
  assert.deepEqual(new Set(requested.values()), new Set([2]))
  await pull.assertSettled()
})

test('the error of a refusing device is reported unchanged, and fetched blocks are kept for the retry', async () => {
  await using pull = await SimPull.start({ folder: { blockPullOrder: 'inOrder' } })
  const content = Buffer.alloc(5 * BLOCK)
  for (let i = 0; i < 5; i++) content.fill(65 + i, i * BLOCK, (i + 1) * BLOCK)
  pull.peer.put('f', content)
  pull.peer.serve = async (request, data) => {
    await settle()
    if (request.blockNumber === 3) throw new Error('generic error')
    return data
  }
  await pull.sync()
  assert.deepEqual(await pull.errors(), ['f: syncing: pull: generic error'])
  assert.deepEqual(await pull.tree(), ['.syncthing.f.tmp'])
  assert.equal((await pull.index.needs.counts()).need.files, 1)
  const requested = new Set(pull.peer.requests.map(({ blockNumber }) => blockNumber))
  assert.deepEqual([...requested].sort(), [0, 1, 2, 3, 4])
  pull.peer.requests.length = 0
  pull.peer.serve = async (_request, data) => data
  await pull.hub.pass(2 * MINUTE_MS)
  await pull.rest()
  assert.ok(pull.peer.requests.length <= 2, `${pull.peer.requests.length} blocks were requested again`)
  assert.equal(await pull.read('f'), content.toString('latin1'))
  await pull.assertSettled()
})

test('without connections only steps without transfer are done, and the rest after a connect', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('old', 'x'.repeat(100))
  pull.peer.put('gone', 'y')
  await pull.sync()
  pull.peer.connected = false
  pull.peer.directory('d')
  pull.peer.put('d/f', 'z')
  pull.peer.delete('gone')
  pull.peer.delete('old')
  pull.peer.put('new', 'x'.repeat(100))
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', 'new'])
  assert.deepEqual(await pull.errors(), [])
  assert.deepEqual(await pull.needed(), ['d/f'])
  pull.peer.connected = true
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  assert.equal(await pull.read('d/f'), 'z')
  await pull.assertSettled()
})

test('a prioritized file is the next one, also when it was prioritized without connections', async () => {
  await using pull = await SimPull.start({ folder: { order: 'alphabetic', copiers: 1 } })
  pull.peer.connected = false
  for (let i = 0; i < 60; i++) pull.peer.put(`f${String(i).padStart(2, '0')}`, Buffer.alloc(3 * BLOCK, i + 1))
  await pull.sync()
  pull.hub.model.bringToFront(DOCS, 'f50')
  const gate = Promise.withResolvers<void>()
  const order: string[] = []
  pull.peer.serve = async ({ name }, data) => {
    if (!order.includes(name)) order.push(name)
    await gate.promise
    return data
  }
  pull.peer.connected = true
  pull.hub.pullSoon(DOCS)
  for (let i = 0; i < 50; i++) await pull.hub.pass(0)
  const need = await pull.hub.model.need(DOCS, { page: 1, perPage: 100 }, NEVER)
  assert.equal(need.progress[0]?.name, 'f50')
  assert.ok(
    need.progress.length > 1 && need.queued.length > 1,
    `${need.progress.length} in progress, ${need.queued.length} queued`,
  )
  assert.equal(need.progress.length + need.queued.length + need.rest.length, 60)
  const last = need.queued.at(-1)!.name
  pull.hub.model.bringToFront(DOCS, last)
  assert.equal((await pull.hub.model.need(DOCS, { page: 1, perPage: 100 }, NEVER)).queued[0]?.name, last)
  const begun = order.length
  gate.resolve()
  await pull.rest()
  assert.deepEqual([order[0], order[begun]], ['f50', last])
  await pull.assertSettled()
})

test('a scan does not wait for a running download, and the download continues', async () => {
  await using pull = await SimPull.start()
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async (_request, data) => {
    await gate.promise
    return data
  }
  pull.peer.put('large', Buffer.alloc(20 * BLOCK, 'l'))
  await pull.announce()
  for (let i = 0; i < 30; i++) await pull.hub.pass(0)
  assert.equal((await pull.hub.model.status(DOCS)).state, 'syncing')
  pull.disk.put(`${ROOT}/new here`, 'x')
  await pull.hub.while(pull.hub.model.scan(DOCS))
  assert.equal((await pull.index.records.get('local', 'new here'))?.deleted, false)
  assert.equal((await pull.hub.model.status(DOCS)).state, 'syncing')
  gate.resolve()
  await pull.rest()
  assert.equal((await pull.read('large')).length, 20 * BLOCK)
  await pull.assertSettled()
})

test('the only source of a small file is looked up once; one that went away meanwhile, again', async () => {
  await using pull = await SimPull.start()
  const [onlySource, sourcesOf] = [pull.peer.onlySource.bind(pull.peer), pull.peer.sourcesOf.bind(pull.peer)]
  let lookups = 0
  pull.peer.onlySource = (folder, file) => {
    lookups++
    return onlySource(folder, file)
  }
  pull.peer.sourcesOf = async (folder, file) => {
    lookups++
    return await sourcesOf(folder, file)
  }
  pull.peer.put('f', 'right')
  await pull.sync()
  assert.deepEqual([lookups, await pull.read('f')], [1, 'right'])
  pull.peer.put('g', 'right')
  pull.peer.serve = async () => {
    throw new Error('not connected')
  }
  await pull.sync()
  assert.ok(lookups > 2)
  assert.equal((await pull.errors()).length, 1)
})
