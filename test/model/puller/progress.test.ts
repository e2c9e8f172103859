import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, settle } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072

/** A file of 20 blocks, of which the device serves 12 before the gate is open. */
function putGated(peer: SimPull['peer']): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  peer.serve = async ({ blockNumber }, data) => {
    if (blockNumber >= 12) await gate.promise
    return data
  }
  const content = Buffer.alloc(20 * BLOCK)
  for (let i = 0; i < 20; i++) content.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
  peer.put('large', content)
  return gate
}

test('the progress and the completion of a large file are reported to clients and other devices', async () => {
  await using pull = await SimPull.start({ folder: { blockPullOrder: 'inOrder' } })
  const gate = putGated(pull.peer)
  pull.peer.put('small', 's')
  await pull.announce()
  await pull.hub.pass(6_000)
  const [first] = pull.hub.of('DownloadProgress')
  const view = first?.['docs']?.['large']
  assert.deepEqual([view?.total, view?.pulled, view?.pulling, view?.bytesDone], [20, 12, 8, 12 * BLOCK])
  assert.deepEqual(
    pull.peer.downloadUpdates.map(({ kind, name, blockIndexes }) => [kind, name, blockIndexes.length]),
    [['append', 'large', 12]],
  )
  gate.resolve()
  await pull.rest()
  await pull.hub.pass(6_000)
  assert.deepEqual({ ...pull.hub.of('DownloadProgress').at(-1) }, {})
  assert.deepEqual(pull.peer.downloadUpdates.at(-1)?.kind, 'forget')
})

test('other devices learn of the blocks of an unfinished file within a second, before the event is due', async () => {
  await using pull = await SimPull.start()
  const gate = putGated(pull.peer)
  await pull.announce()
  await pull.hub.pass(1_500)
  // The only other device has the whole file: no other divides it with us, so that it begins with its first block.
  assert.deepEqual(
    pull.peer.downloadUpdates[0]?.blockIndexes.toSorted((a, b) => a - b),
    [...Array(12).keys()],
  )
  assert.deepEqual(pull.hub.of('DownloadProgress'), [])
  gate.resolve()
  await pull.rest()
})

test('no timer runs without a pull, and enabling progress during a pull takes effect', async () => {
  await using pull = await SimPull.start()
  const wakeupsIn = async (ms: number) => {
    let wakeups = -1 // the first check comes before any time has passed
    await pull.hub.platform.clock.advance(ms, async () => {
      wakeups++
      await settle()
    })
    return wakeups
  }
  pull.peer.put('first', 'x')
  await pull.sync()
  await pull.hub.pass(10_000)
  assert.equal(await wakeupsIn(60_000), 0)
  const setInterval = (progressUpdateIntervalS: number) =>
    pull.hub.change((config) => ({ ...config, options: { ...config.options, progressUpdateIntervalS } }))
  await setInterval(-1)
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async (_request, data) => {
    await gate.promise
    return data
  }
  pull.peer.put('second', Buffer.alloc(3 * BLOCK, 1))
  await pull.announce()
  await pull.hub.pass(6_000)
  assert.deepEqual(pull.hub.of('DownloadProgress'), [])
  await setInterval(5)
  await pull.hub.pass(6_000)
  assert.deepEqual(Object.keys(pull.hub.of('DownloadProgress')[0]?.['docs'] ?? {}), ['second'])
  gate.resolve()
  await pull.rest()
})

test('completed files are stored and announced while the next one is in progress', async () => {
  await using pull = await SimPull.start()
  const held = Promise.withResolvers<void>()
  pull.peer.serve = async ({ name }, data) => {
    if (name === 'slow') await held.promise
    return data
  }
  pull.peer.put('quick', 'here at once')
  pull.peer.put('slow', Buffer.alloc(3 * BLOCK, 's'))
  await pull.announce()
  for (let tick = 0; tick < 1_000 && (await pull.needed()).length > 1; tick++) await pull.hub.pass(10)
  assert.deepEqual(await pull.needed(), ['slow'])
  assert.equal((await pull.hub.model.status(DOCS)).state, 'syncing')
  held.resolve()
  await pull.rest()
  await pull.assertSettled()
})

test('a scan during a pull keeps its temporary file, also where temporary files are not kept', async () => {
  await using pull = await SimPull.start()
  await pull.hub.change((config) => ({ ...config, options: { ...config.options, keepTemporariesH: 0 } }))
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async ({ blockNumber }, data) => {
    if (blockNumber > 0) await gate.promise
    return data
  }
  const content = Buffer.alloc(3 * BLOCK, 1)
  content.fill(2, BLOCK)
  pull.peer.put('large', content)
  await pull.announce()
  await pull.hub.pass(60_000)
  const { disk } = pull.hub.platform
  const temporaries = async () => (await disk.list(ROOT)).filter(({ name }) => name.startsWith('.syncthing.')).length
  disk.put(`${ROOT}/.syncthing.other.tmp`, 'left')
  await pull.hub.pass(2_000)
  assert.equal(await temporaries(), 2)
  await pull.hub.while(pull.hub.model.scan(DOCS))
  assert.equal(await temporaries(), 1)
  gate.resolve()
  await pull.rest()
  assert.equal(await temporaries(), 0)
  assert.deepEqual(
    pull.hub.of('ItemFinished').map(({ error }) => error),
    [null],
  )
})
