import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, NEVER, settle } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

test('small files: where the fast path never works, the slow path is soon used alone', async () => {
  await using pull = await SimPull.start()
  const { fileMaker } = pull.hub.platform
  let requested = 0
  fileMaker.make = async () => {
    requested++
    return { kind: 'failed', code: 'ELOOP', message: 'ELOOP: not here, open' }
  }
  for (let i = 0; i < 200; i++) pull.peer.put(`f${i}`, `content ${i}`)
  await pull.sync()
  assert.equal((await pull.tree()).length, 200)
  assert.equal(await pull.read('f123'), 'content 123')
  assert.ok(requested >= 8 && requested < 200, `${requested} tries`)
  assert.equal(pull.peer.requests.length, 200 + requested)
  await pull.assertSettled()
})

test('small files: many at a time, and never more than 96', async () => {
  for (const sizeBytes of [10, 31_000]) {
    await using pull = await SimPull.start()
    let most = 0
    pull.peer.serve = async (_request, data) => {
      for (let tick = 0; tick < 40; tick++) await settle()
      const { progress } = await pull.hub.model.need(DOCS, { page: 1, perPage: 1_000 }, NEVER)
      most = Math.max(most, progress.length)
      return data
    }
    for (let i = 0; i < 300; i++) pull.peer.put(`f${i}`, `${i}`.padEnd(sizeBytes))
    await pull.sync()
    assert.ok(most > 1 && most <= 96, `${most} at a time`)
    assert.equal((await pull.tree()).length, 300)
    await pull.assertSettled()
  }
})

test('small files: more at a time over a long way', async () => {
  await using pull = await SimPull.start()
  let [underWay, most] = [0, 0]
  pull.peer.serve = async (_request, data) => {
    most = Math.max(most, ++underWay)
    await pull.hub.platform.clock.sleep(40, NEVER)
    underWay--
    return data
  }
  for (let i = 0; i < 3_000; i++) pull.peer.put(`f${i}`, `${i}`)
  await pull.announce()
  for (let ms = 0; ms < 2_000; ms += 10) await pull.hub.pass(10)
  await pull.rest()
  assert.equal(most, 256)
  assert.equal((await pull.tree()).length, 3_000)
  await pull.assertSettled()
})

test('directories: several at a time, parents first', async () => {
  await using pull = await SimPull.start()
  const make = pull.disk.makeDirectory.bind(pull.disk)
  let [open, most] = [0, 0]
  pull.disk.makeDirectory = async (path, mode) => {
    open++
    most = Math.max(most, open)
    for (let tick = 0; tick < 5; tick++) await settle()
    await make(path, mode)
    open--
  }
  for (let i = 0; i < 20; i++) for (const name of [`d${i}`, `d${i}/e`, `d${i}/e/f`]) pull.peer.directory(name)
  await pull.sync()
  assert.ok(most > 1, `${most} at a time`)
  assert.equal((await pull.tree()).length, 60)
  await pull.assertSettled()
})

test('small files: an edit takes the fast path too, and a local change made meanwhile is kept', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'first')
  pull.peer.put('g', 'first')
  await pull.sync()
  const { fileMaker } = pull.hub.platform
  const make = fileMaker.make.bind(fileMaker)
  const replaced: string[] = []
  fileMaker.make = async (order) => {
    if (order.replaces !== undefined) replaced.push(order.path)
    if (order.path === `${ROOT}/g`) {
      await using file = await pull.disk.open(order.path, 'write')
      await file.write(Buffer.from('of the user'), 0)
    }
    return await make(order)
  }
  pull.peer.put('f', 'other')
  pull.peer.put('g', 'other')
  await pull.sync()
  assert.ok(replaced.includes(`${ROOT}/f`))
  assert.equal(await pull.read('f'), 'other')
  const contents = await Promise.all((await pull.tree()).map((path) => pull.read(path)))
  assert.ok(contents.includes('of the user'), contents.join())
})
