import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileToWire } from '../../../src/protocol/file-info.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const TRUE_TIME = { modifiedS: 1_700_000_001, modifiedNs: 123_456_789 }
const COARSE = { disk: { modifiedStepNs: 2_000_000_000n } }
const LARGE = 'x'.repeat(300_000)

async function recordAt(pull: SimPull, name: string) {
  const record = await pull.index.records.get('local', name)
  assert.ok(record !== undefined)
  return record
}

async function times(pull: SimPull, name: string) {
  const record = await recordAt(pull, name)
  const { modified_s: modifiedS, modified_ns: modifiedNs } = fileToWire(record)
  return { announced: { modifiedS, modifiedNs }, onDisk: record.diskTime }
}

test('the announced time does not depend on the resolution of the disk, and a scan finds no change', async () => {
  await using pull = await SimPull.start(COARSE)
  pull.peer.put('small', 'x', TRUE_TIME)
  pull.peer.put('large', LARGE, TRUE_TIME)
  pull.peer.put('whole', 'y', { modifiedS: 1_700_000_000, modifiedNs: 0 })
  await pull.sync()
  for (const name of ['small', 'large']) {
    assert.deepEqual(await times(pull, name), {
      announced: TRUE_TIME,
      onDisk: { modifiedS: 1_700_000_000, modifiedNs: 0 },
    })
  }
  assert.equal((await recordAt(pull, 'whole')).diskTime, undefined)
  await pull.assertSettled()
})

test('a file with a received name, mode or time also gets the received time', async () => {
  await using pull = await SimPull.start(COARSE)
  pull.peer.put('old', LARGE, TRUE_TIME)
  pull.peer.put('touched', 'x', TRUE_TIME)
  await pull.sync()
  const later = { ...TRUE_TIME, modifiedS: TRUE_TIME.modifiedS + 10 }
  pull.peer.delete('old')
  pull.peer.put('new', LARGE, later)
  pull.peer.put('touched', 'x', later)
  await pull.sync()
  for (const name of ['new', 'touched']) assert.deepEqual((await times(pull, name)).announced, later)
  assert.equal((await recordAt(pull, 'old')).diskTime, undefined)
  await pull.assertSettled()
})

test('an edit has the time of the disk; a new mode leaves the time unchanged', async () => {
  await using pull = await SimPull.start(COARSE)
  for (const name of ['edited', 'moded', 'gone']) pull.peer.put(name, 'x', TRUE_TIME)
  await pull.sync()
  pull.disk.put(`${ROOT}/edited`, 'longer')
  await pull.disk.chmod(`${ROOT}/moded`, 0o600)
  await pull.disk.removeFile(`${ROOT}/gone`)
  await pull.scan()
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/edited`)
  assert.deepEqual(await times(pull, 'edited'), { announced: { modifiedS, modifiedNs }, onDisk: undefined })
  assert.deepEqual((await times(pull, 'moded')).announced, TRUE_TIME)
  assert.equal((await recordAt(pull, 'gone')).diskTime, undefined)
  await pull.assertSettled()
})

test('reverted items of a receive-only folder have the true global time', async () => {
  await using pull = await SimPull.start({ ...COARSE, folder: { type: 'receiveonly' } })
  pull.peer.put('f', 'theirs', TRUE_TIME)
  await pull.sync()
  await pull.disk.chmod(`${ROOT}/f`, 0o600)
  await pull.scan()
  await pull.disk.chmod(`${ROOT}/f`, 0o644)
  await pull.scan()
  await pull.hub.while(pull.hub.model.revert(pull.hub.config.folders[0]!.id))
  await pull.rest()
  const record = await recordAt(pull, 'f')
  assert.deepEqual(
    [record.version, record.modifiedS, record.modifiedNs],
    [pull.peer.records.get('f')!.version, TRUE_TIME.modifiedS, TRUE_TIME.modifiedNs],
  )
  await pull.assertSettled()
})
