import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, NEVER } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const MANY = 90

/** How many files each order to the disk has. */
function countOrders(pull: SimPull): number[] {
  const { fileMaker } = pull.hub.platform
  const makeAll = fileMaker.makeAll.bind(fileMaker)
  const counts: number[] = []
  fileMaker.makeAll = (orders) => {
    counts.push(orders.length)
    return makeAll(orders)
  }
  return counts
}

function itemEvents(pull: SimPull, name: string): readonly string[] {
  return pull.hub.events
    .filter(({ data }) => Object(data).item === name)
    .map(({ type, data }) => (Object(data).error ? `${type}: ${Object(data).error}` : type))
}

test('new files are put together: few orders, each file once, with its events', async () => {
  await using pull = await SimPull.start()
  const counts = countOrders(pull)
  for (let i = 0; i < 4 * MANY; i++) pull.peer.put(`f${i}`, `content ${i}`)
  await pull.sync()
  const together = counts.reduce((sum, count) => sum + count, 0)
  assert.ok(together > 2 * MANY && together >= 4 * counts.length, counts.join())
  assert.equal(pull.peer.requests.length, 4 * MANY)
  assert.equal(await pull.read('f77'), 'content 77')
  for (const name of ['f0', 'f77', 'f200']) assert.deepEqual(itemEvents(pull, name), ['ItemStarted', 'ItemFinished'])
  await pull.assertSettled()
})

test('content that is wrong, short or refused at first is requested again', async () => {
  await using pull = await SimPull.start()
  const faults: Readonly<Record<string, (data: Buffer) => Uint8Array>> = {
    wrong: (data) => Buffer.alloc(data.length, 'x'),
    short: (data) => data.subarray(1),
    refused: () => {
      throw new Error('not now')
    },
  }
  const asked = new Map<string, number>()
  pull.peer.serve = async ({ name }, data) => {
    asked.set(name, (asked.get(name) ?? 0) + 1)
    return asked.get(name) === 1 ? (faults[name]?.(data) ?? data) : data
  }
  for (const name of [...Object.keys(faults), 'right']) pull.peer.put(name, `the content of ${name}`)
  await pull.sync()
  for (const name of Object.keys(faults)) {
    assert.equal(await pull.read(name), `the content of ${name}`)
    assert.equal(asked.get(name), 2, name)
    assert.deepEqual(itemEvents(pull, name), ['ItemStarted', 'ItemFinished'], name)
  }
  assert.equal(asked.get('right'), 1)
  await pull.assertSettled()
})

test('a file that another program has made meanwhile is not replaced', async () => {
  await using pull = await SimPull.start()
  pull.peer.serve = async ({ name }, data) => {
    if (name === 'f') pull.disk.put(`${ROOT}/f`, 'of the user')
    return data
  }
  pull.peer.put('f', 'theirs')
  pull.peer.put('g', 'beside it')
  await pull.sync()
  assert.equal(await pull.read('g'), 'beside it')
  const contents = await Promise.all((await pull.tree()).map((name) => pull.read(name)))
  assert.ok(contents.includes('of the user'), contents.join())
})

test('a file with two sources, or of two blocks, is left to the usual way', async () => {
  await using pull = await SimPull.start()
  const counts = countOrders(pull)
  const onlySource = pull.peer.onlySource.bind(pull.peer)
  pull.peer.onlySource = (folder, file) => (file.name === 'two sources' ? undefined : onlySource(folder, file))
  pull.peer.put('two sources', 'x')
  pull.peer.put('two blocks', Buffer.alloc(131_073, 'x'))
  pull.peer.put('empty', '')
  pull.peer.put('new', 'x')
  await pull.sync()
  assert.deepEqual(counts, [1])
  assert.equal((await pull.tree()).length, 4)
  await pull.assertSettled()
})

test('a file in the place of one that is kept here is left to the usual way', async () => {
  await using pull = await SimPull.start({ collect: true })
  pull.peer.put('f', 'kept')
  await pull.sync()
  pull.peer.delete('f')
  await pull.sync()
  assert.equal(await pull.read('f'), 'kept')
  pull.peer.put('f', 'new')
  await pull.sync()
  assert.equal(await pull.read('f'), 'new')
  const contents = await Promise.all((await pull.tree()).map((name) => pull.read(name)))
  assert.ok(contents.includes('kept'), contents.join())
})

test('files are not requested that do not fit on the disk', async () => {
  await using pull = await SimPull.start({ folder: { minDiskFree: { value: 10, unit: '%' } } })
  pull.disk.space = async () => ({ freeBytes: 1_005, totalBytes: 10_000 })
  pull.peer.put('f', 'too many bytes')
  await pull.sync()
  assert.equal(pull.peer.requests.length, 0)
  assert.match((await pull.errors()).join(), /insufficient space/)
})

test('a pull that is stopped while contents arrive ends, and the next one completes it', async () => {
  await using pull = await SimPull.start()
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async ({ name }, data, signal) => {
    if (Number(name.slice(1)) % 2 === 0) return data
    await Promise.race([
      gate.promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
    return data
  }
  for (let i = 0; i < MANY; i++) pull.peer.put(`f${i}`, `content ${i}`)
  await pull.announce()
  for (let i = 0; i < 30; i++) await pull.hub.pass(0)
  assert.ok((await pull.hub.model.need(DOCS, { page: 1, perPage: 1_000 }, NEVER)).progress.length > 0)
  pull.disk.put(`${ROOT}/.stignore`, 'other')
  await pull.hub.while(pull.hub.model.scan(DOCS))
  gate.resolve()
  await pull.rest()
  assert.equal((await pull.tree()).filter((name) => name.startsWith('f')).length, MANY)
  assert.deepEqual((await pull.hub.model.need(DOCS, { page: 1, perPage: 1_000 }, NEVER)).progress, [])
  await pull.assertSettled()
})

test('an index that cannot be written ends the pull, and nothing is lost', async () => {
  await using pull = await SimPull.start()
  const { records } = pull.index
  const updateLocal = records.updateLocal.bind(records)
  let fails = true
  records.updateLocal = async (batch, origin) => {
    if (fails && batch.some(({ name }) => name === 'f7')) throw new Error('the disk of the index is full')
    return await updateLocal(batch, origin)
  }
  for (let i = 0; i < MANY; i++) pull.peer.put(`f${i}`, `content ${i}`)
  await pull.sync()
  assert.match((await pull.hub.model.status(DOCS)).error, /index is full/)
  fails = false
  await pull.hub.while(pull.hub.model.scan(DOCS))
  await pull.rest()
  await pull.assertSettled()
})

test('a name that a scan records meanwhile is planned again', async () => {
  await using pull = await SimPull.start()
  let asked = 0
  pull.peer.serve = async (_request, data) => {
    if (++asked > 1) return data
    pull.disk.put(`${ROOT}/f`, 'of the user')
    await pull.hub.model.scan(DOCS)
    await pull.disk.removeFile(`${ROOT}/f`)
    await pull.hub.model.scan(DOCS)
    return data
  }
  pull.peer.put('f', 'theirs')
  await pull.sync()
  assert.equal(asked, 2, 'not put by the plan from before')
  assert.equal(await pull.read('f'), 'theirs')
  await pull.assertSettled()
})

test('a failure that is not one of an item ends the pull', async () => {
  await using pull = await SimPull.start()
  const { fileMaker } = pull.hub.platform
  const makeAll = fileMaker.makeAll.bind(fileMaker)
  fileMaker.makeAll = async () => {
    throw new Error('out of memory')
  }
  pull.peer.put('f', 'theirs')
  await pull.sync()
  assert.match((await pull.hub.model.status(DOCS)).error, /out of memory/)
  assert.deepEqual(itemEvents(pull, 'f'), ['ItemStarted', 'ItemFinished: out of memory'])
  fileMaker.makeAll = makeAll
  await pull.hub.while(pull.hub.model.scan(DOCS))
  await pull.rest()
  assert.equal(await pull.read('f'), 'theirs')
  await pull.assertSettled()
})
