import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

/** Far more turns than a scan of a few items takes. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a scan that begins while a directory is half made takes it for nobody\'s change', async () => {
  await using pull = await SimPull.start()
  const record = pull.peer.directory('d', { permissions: 0o755 })
  const chmod = pull.disk.chmod.bind(pull.disk)
  let scanning: Promise<void> | undefined
  pull.disk.chmod = async (path, mode) => {
    scanning ??= pull.hub.model.scan(DOCS, [], undefined)
    await manyTurns()
    await chmod(path, mode)
  }
  await pull.sync()
  assert.ok(scanning !== undefined, 'the directory got its mode after it was made')
  await pull.hub.while(scanning)
  const local = await pull.index.get('local', 'd')
  assert.deepEqual([local?.permissions, local?.version], [0o755, record.version])
  await pull.assertSettled()
})

test('a scan that begins between a finished file and its record takes it for nobody\'s change', async () => {
  await using pull = await SimPull.start()
  const record = pull.peer.put('f', 'content')
  const rename = pull.disk.rename.bind(pull.disk)
  let scanning: Promise<void> | undefined
  pull.disk.rename = async (from, to) => {
    await rename(from, to)
    if (to !== `${ROOT}/f`) return
    scanning ??= pull.hub.model.scan(DOCS, [], undefined)
    await manyTurns()
  }
  await pull.sync()
  assert.ok(scanning !== undefined, 'the file was renamed into its place')
  await pull.hub.while(scanning)
  assert.deepEqual((await pull.index.get('local', 'f'))?.version, record.version)
  await pull.assertSettled()
})
