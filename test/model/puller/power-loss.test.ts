import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { reportRow } from '../../support/effort.ts'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072
const MINUTE_MS = 60_000

test('stopping keeps fetched blocks, and the next start resumes with them', async () => {
  const pull = await SimPull.start({ folder: { blockPullOrder: 'inOrder' } })
  const content = Buffer.alloc(10 * BLOCK)
  for (let i = 0; i < 10; i++) content.fill(65 + i, i * BLOCK, (i + 1) * BLOCK)
  pull.peer.put('f', content)
  pull.peer.serve = async (request, data, signal) => {
    if (request.blockNumber < 6) return data
    return await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
  }
  await pull.announce()
  for (let i = 0; i < 100; i++) await pull.hub.pass(0)
  await pull.hub.change((config) => ({
    ...config,
    folders: config.folders.map((folder) => ({ ...folder, paused: true })),
  }))
  assert.deepEqual(await pull.tree(), ['.syncthing.f.tmp'])
  pull.peer.requests.length = 0
  pull.peer.serve = async (_request, data) => data
  await pull.hub.change((config) => ({
    ...config,
    folders: config.folders.map((folder) => ({ ...folder, paused: false })),
  }))
  await pull.rest()
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [6, 7, 8, 9],
  )
  assert.equal(await pull.read('f'), content.toString('latin1'))
  await pull.assertSettled()
  await pull[Symbol.asyncDispose]()
})

test('the visible file is never torn, whichever disk call fails', async () => {
  let tried = 0
  let torn = 0
  for (let nth = 1, calls = 1; nth <= calls; nth += 3, tried++) {
    await using pull = await SimPull.start()
    pull.peer.directory('d')
    pull.peer.put('d/f', 'old content')
    await pull.sync()
    pull.peer.put('d/f', 'NEW CONTENT!')
    pull.peer.put('d/g', Buffer.alloc(3 * BLOCK, 'g'))
    const before = pull.disk.faults.callCount
    pull.disk.fail({ call: 'any', code: 'EIO', nth, times: 1, under: `${ROOT}/d` })
    await pull.sync()
    calls = Math.max(calls, Math.min(200, pull.disk.faults.callCount - before))
    pull.disk.faults.clear()
    const text = await pull.read('d/f')
    if (text !== 'old content' && text !== 'NEW CONTENT!') torn++
    await pull.hub.pass(5 * MINUTE_MS)
    await pull.rest()
    assert.equal(await pull.read('d/f'), 'NEW CONTENT!', `call ${nth}`)
    await pull.assertSettled()
  }
  console.log(JSON.stringify({ id: 'pull-any-call-fails', tried, torn }))
  assert.equal(torn, 0)
})

/** A pull interrupted by a power loss at the nth call, with random survival of unsynced data, followed by a restart. */
async function crashAt(
  nth: number,
  seed: number,
  disableFsync = false,
): Promise<{ readonly calls: number; readonly torn: number; readonly lost: number }> {
  await using pull = await SimPull.start({ seed, folder: { disableFsync } })
  const { peer, disk } = pull
  const old = new Map<string, string>()
  const wanted = new Map<string, string>()
  for (let i = 0; i < 4; i++) {
    peer.put(`f${i}`, `old ${i} ${'o'.repeat(i * 70_000)}`)
    old.set(`f${i}`, peer.contents.get(`f${i}`)!.toString('latin1'))
  }
  await pull.sync()
  disk.syncAll()
  for (let i = 0; i < 4; i++) {
    peer.put(`f${i}`, `new ${i} ${'n'.repeat(i * 70_000)}`)
    wanted.set(`f${i}`, peer.contents.get(`f${i}`)!.toString('latin1'))
  }
  peer.directory('d')
  peer.put('d/added', 'a')
  const before = disk.faults.callCount
  disk.faults.powerOffAt(nth)
  await pull.sync()
  const calls = disk.faults.callCount - before
  const records = new Map<string, FileInfo>()
  for (const name of old.keys()) records.set(name, (await pull.index.records.get('local', name))!)
  disk.crash(new SimRandom(seed))
  let torn = 0
  let lost = 0
  for (const [name, content] of old) {
    const text = await pull.read(name).catch(() => undefined)
    if (text === undefined) lost++
    else if (text !== content && text !== wanted.get(name)) torn++
    // The index must not claim the new version while the disk has the old one.
    const claims =
      records.get(name)!.sizeBytes === wanted.get(name)!.length &&
      wanted.get(name) !== content &&
      records.get(name)!.version.length > 0
    if (
      claims &&
      text === content &&
      records.get(name)!.blocksHash !== undefined &&
      Buffer.from(records.get(name)!.blocksHash!).equals(peer.records.get(name)!.blocksHash!)
    )
      torn++
  }
  await pull.hub.pass(10 * MINUTE_MS)
  await pull.scan()
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  for (const [name, content] of wanted) assert.equal(await pull.read(name), content, `crash at ${nth}, seed ${seed}`)
  assert.deepEqual(
    (await pull.tree()).filter((path) => path.includes('sync-conflict')),
    [],
    `crash at ${nth}, seed ${seed}`,
  )
  return { calls, torn, lost }
}

test('C-03: a power loss at any call of a pull leaves whole files, and the next start completes it', async () => {
  let tried = 0
  let torn = 0
  let lost = 0
  const { calls } = await crashAt(1_000_000, 1)
  for (let nth = 1; nth <= calls; nth++) {
    const result = await crashAt(nth, nth)
    torn += result.torn
    lost += result.lost
    tried++
  }
  const bad = torn + lost
  reportRow({ id: 'C-03', part: 'pull', tried, badStates: bad })
  // Which unsynced sectors, sizes and names survive is random.
  reportRow({ id: 'C-04', part: 'pull', tried, torn, lost })
  assert.equal(bad, 0)
  assert.ok(tried > 60, `only ${tried} calls`)
})

test('the crash test has power: without syncing a power loss leaves torn files', async () => {
  let bad = 0
  for (let nth = 20; nth <= 60 && bad === 0; nth += 2) {
    const { torn, lost } = await crashAt(nth, nth, true).catch(() => ({ torn: 1, lost: 0 }))
    bad += torn + lost
  }
  assert.ok(bad > 0)
})
