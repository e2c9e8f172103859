import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise((resolve) => setImmediate(resolve))
}

/** Far longer than a scan of a few items takes. */
const A_SCAN = 300

/** A scan finds an unknown file, and hashing it takes longer than the concurrent steps of a pull. */
function readSlowly(pull: SimPull): void {
  const { hasher } = pull.hub.platform
  const hash = hasher.hash.bind(hasher)
  hasher.hash = async (jobs, onHashed, signal) => {
    if (jobs.some(({ path }) => path === `${ROOT}/new`)) await ticks(3 * A_SCAN)
    return await hash(jobs, onHashed, signal)
  }
  pull.disk.put(`${ROOT}/new`, 'unknown file')
}

test('a scan that finds a directory in creation does not record a local change', async () => {
  await using pull = await SimPull.start()
  const record = pull.peer.directory('d', { permissions: 0o775 }) // more than the umask leaves
  readSlowly(pull)
  const chmod = pull.disk.chmod.bind(pull.disk)
  let scanning: Promise<void> | undefined
  pull.disk.chmod = async (path, mode) => {
    scanning ??= pull.hub.model.scan(DOCS)
    await ticks(A_SCAN)
    await chmod(path, mode)
  }
  await pull.sync()
  assert.ok(scanning !== undefined, 'the directory got its mode after its creation')
  await pull.hub.while(scanning)
  const local = await pull.index.records.get('local', 'd')
  assert.deepEqual([local?.permissions, local?.version], [0o775, record.version])
  await pull.assertSettled()
})

test('a scan that finds a file just finished does not record a local change', async () => {
  await using pull = await SimPull.start()
  const record = pull.peer.put('f', 'content')
  readSlowly(pull)
  const rename = pull.disk.renameNew.bind(pull.disk)
  let scanning: Promise<void> | undefined
  pull.disk.renameNew = async (from, to) => {
    await rename(from, to)
    if (to !== `${ROOT}/f`) return
    scanning ??= pull.hub.model.scan(DOCS)
    await ticks(A_SCAN)
  }
  await pull.sync()
  assert.ok(scanning !== undefined, 'the file was renamed into place')
  await pull.hub.while(scanning)
  assert.deepEqual((await pull.index.records.get('local', 'f'))?.version, record.version)
  await pull.assertSettled()
})

test('a change that a scan records while the file is transferred is a conflict at the first attempt', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'theirs', { modifiedS: 4_000_000_000 })
  let scanned = false
  pull.peer.serve = async (_request, data) => {
    if (!scanned) {
      pull.disk.put(`${ROOT}/f`, 'ours')
      await pull.hub.model.scan(DOCS)
      scanned = true
    }
    return data
  }
  await pull.sync()
  assert.ok(scanned)
  assert.equal(await pull.read('f'), 'theirs')
  assert.equal((await pull.tree()).length, 2, 'ours is a conflict copy')
  assert.equal(pull.peer.requests.length, 2, 'for memory, and for the temporary file that a conflict needs')
  await pull.assertSettled()
})
