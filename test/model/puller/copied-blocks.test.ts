import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072

for (const clones of [true, false]) {
  test(`a large file reuses blocks in place, on a disk ${clones ? 'with' : 'without'} clones`, async () => {
    await using pull = await SimPull.start({ disk: { clones } })
    const content = Buffer.alloc(80 * BLOCK)
    for (let i = 0; i < 80; i++) content.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
    pull.peer.put('f', content)
    await pull.sync()
    pull.peer.requests.length = 0
    const edited = Buffer.from(content.subarray(0, 79 * BLOCK + 7))
    edited.write('changed', 5 * BLOCK + 100)
    pull.peer.put('f', edited)
    await pull.sync()
    assert.deepEqual(pull.peer.requests.map(({ blockNumber }) => blockNumber).sort(), [5, 79])
    assert.ok((await pull.read('f')) === edited.toString('latin1'))
    await pull.assertSettled()
  })
}

test('a large file is copied by the system, unless it is sparse', async () => {
  await using pull = await SimPull.start({ disk: { clones: false } })
  const copied: string[] = []
  const copyNew = pull.disk.copyNew.bind(pull.disk)
  pull.disk.copyNew = async (from, to, permissions) => {
    copied.push(from)
    await copyNew(from, to, permissions)
  }
  const dense = Buffer.alloc(80 * BLOCK)
  for (let i = 0; i < 80; i++) dense.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
  const sparse = Buffer.from(dense).fill(0, 10 * BLOCK, 20 * BLOCK)
  for (const text of ['before', 'after']) {
    dense.write(text)
    sparse.write(text)
    pull.peer.put('dense', Buffer.from(dense))
    pull.peer.put('sparse', Buffer.from(sparse))
    await pull.sync()
  }
  assert.deepEqual(copied, [`${ROOT}/dense`])
  assert.ok((await pull.read('dense')) === dense.toString('latin1'))
  assert.ok((await pull.read('sparse')) === sparse.toString('latin1'))
  await pull.assertSettled()
})

test('only changed blocks are requested', async () => {
  await using pull = await SimPull.start()
  const content = Buffer.alloc(10 * BLOCK)
  for (let i = 0; i < 10; i++) content.fill(65 + i, i * BLOCK, (i + 1) * BLOCK)
  pull.peer.put('f', content)
  await pull.sync()
  pull.peer.requests.length = 0
  const edited = Buffer.from(content)
  edited.write('changed', 5 * BLOCK + 100)
  pull.peer.put('f', edited)
  await pull.sync()
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [5],
  )
  assert.equal(await pull.read('f'), edited.toString('latin1'))
  pull.peer.requests.length = 0
  const shifted = Buffer.concat([Buffer.alloc(BLOCK, 'n'), edited])
  pull.peer.put('f', shifted)
  await pull.sync()
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [0],
    'blocks at another offset are found by their hash',
  )
  assert.equal(await pull.read('f'), shifted.toString('latin1'))
  await pull.assertSettled()
})

test('zeros and content present under another name are not transferred', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('original', Buffer.alloc(3 * BLOCK, 'o'))
  await pull.sync()
  pull.peer.requests.length = 0
  pull.peer.put('copy', Buffer.alloc(3 * BLOCK, 'o'))
  pull.peer.put('sparse', Buffer.alloc(5 * BLOCK))
  await pull.sync()
  assert.deepEqual(pull.peer.requests, [])
  assert.equal(await pull.read('copy'), 'o'.repeat(3 * BLOCK))
  assert.equal(await pull.read('sparse'), '\0'.repeat(5 * BLOCK))
  await pull.assertSettled()
})
