/** D-04: an index that was lost, or that returned to an earlier state, loses no edit of any device. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { DOCS } from '../support/model.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const HOUR = 3_600_000

async function twoDevices(): Promise<{ some: SomeDevices; a: SimDevice; b: SimDevice }> {
  const some = await SomeDevices.start('a', 'b')
  const [a, b] = some.devices
  assert.ok(a !== undefined && b !== undefined)
  return { some, a, b }
}

for (const [when, aheadMs, behindMs] of [
  ['was ahead once', 25 * HOUR, -25 * HOUR],
  ['is behind now', 0, -25 * HOUR],
  ['has no battery and is at its start', 0, -40 * 365 * 24 * HOUR],
  ['is right', 0, 0],
] as const) {
  test(`D-03: an edit after the index was lost is kept when the clock ${when}`, async () => {
    const { some, a, b } = await twoDevices()
    await using _some = some
    a.clock.jump(aheadMs)
    write(a, 'f', 'first')
    assert.equal(await some.converge(), undefined)
    await some.during(a.stop())
    await a.loseIndex()
    a.clock.jump(behindMs)
    write(a, 'f', 'edited without an index')
    await a.start()
    assert.equal(await some.converge(), undefined)
    assert.deepEqual(filesOf(a), filesOf(b))
    const kept = filesOf(a).map((file) => file.replace(/^f~?: /, ''))
    assert.deepEqual(kept.sort(), ['edited without an index', 'first'])
  })
}

test('D-03: after an index reset only what the peer changed from our very bytes gets no copy', async () => {
  const { some, a, b } = await twoDevices()
  await using _some = some
  for (const name of ['peer', 'twice', 'own', 'both', 'none']) write(a, name, `${name} 1`)
  assert.equal(await some.converge(), undefined)
  await some.during(a.stop())
  await a.loseIndex()
  write(a, 'own', 'own 2')
  write(a, 'both', 'both 2')
  for (const name of ['peer', 'twice', 'both']) write(b, name, `${name} by the peer`)
  await some.during(b.model?.scan(DOCS) ?? Promise.resolve())
  write(b, 'twice', 'twice by the peer, again')
  await some.during(b.model?.scan(DOCS) ?? Promise.resolve())
  await some.pass(1_000)
  await a.start()
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(a), filesOf(b))
  const names = (name: string) => filesOf(a).filter((file) => file.startsWith(name))
  // The peer announced our very bytes as the predecessor of its version: they were replaced knowingly.
  assert.deepEqual(names('peer'), ['peer: peer by the peer'])
  assert.deepEqual(names('none'), ['none: none 1'])
  // Here nothing proves that ours was not edited.
  assert.deepEqual(names('twice'), ['twice: twice by the peer, again', 'twice~: twice 1'])
  assert.deepEqual(names('own').toSorted(), ['own: own 2', 'own~: own 1'])
  const both = names('both').map((file) => file.replace(/^both~?: /, ''))
  assert.deepEqual(both.sort(), ['both 2', 'both by the peer'])
})

test('D-04: files made after a restored backup reach the other device, past the sequence that it knows', async () => {
  const { some, a, b } = await twoDevices()
  await using _some = some
  for (let i = 0; i < 20; i++) write(a, `old${i}`, `old ${i}`)
  assert.equal(await some.converge(), undefined)
  const backup = a.backUp()
  for (let i = 0; i < 100; i++) write(a, `lost${i}`, `made after the backup ${i}`)
  assert.equal(await some.converge(), undefined)
  await some.during(a.stop())
  a.disk.direct.restore(ROOT, backup.items)
  await a.restoreHome(backup)
  for (let i = 0; i < 140; i++) write(a, `new${i}`, `made after the restoration ${i}`)
  const known = (await (await b.index()).exchange.remoteSequences()).get(a.id) ?? 0
  // The device works alone until its own sequence is beyond the one that the other knows.
  some.network.partition('a', 'b')
  await a.start()
  await some.during(a.model?.scan(DOCS) ?? Promise.resolve())
  assert.ok((await (await a.index()).exchange.sequence('local')) > known)
  some.network.heal('a', 'b')
  assert.equal(await some.converge(), undefined)
  const missing = filesOf(a).filter((file) => !filesOf(b).includes(file)).length
  reportRow({ id: 'D-04', part: 'files after a restored backup', tried: 140, missing })
  assert.deepEqual([filesOf(a).length, missing], [260, 0])
})

test('D-04: an edit on a restored old version does not replace the newer one unseen', async () => {
  const { some, a, b } = await twoDevices()
  await using _some = some
  for (const name of ['edited', 'untouched', 'removed']) write(a, name, `${name} 1`)
  assert.equal(await some.converge(), undefined)
  const backup = a.backUp()
  for (const name of ['edited', 'untouched', 'removed']) {
    write(a, name, `${name} 2`)
    assert.equal(await some.converge(), undefined)
    write(a, name, `${name} 3, after the backup`)
  }
  assert.equal(await some.converge(), undefined)
  await some.during(a.stop())
  a.disk.direct.restore(ROOT, backup.items)
  await a.restoreHome(backup)
  some.network.partition('a', 'b')
  await a.start()
  await some.pass(HOUR)
  write(a, 'edited', 'edited on the restored version')
  a.disk.direct.remove(`${ROOT}/removed`)
  await some.during(a.model?.scan(DOCS) ?? Promise.resolve())
  some.network.heal('a', 'b')
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(a), filesOf(b))
  assert.deepEqual(filesOf(a), [
    'edited: edited on the restored version',
    'edited~: edited 3, after the backup',
    'removed: removed 3, after the backup',
    'untouched: untouched 3, after the backup',
  ])
})

test('D-04: a restored index takes a new ID once, and keeps it over later connections', async () => {
  const { some, a, b } = await twoDevices()
  await using _some = some
  write(a, 'f', 'one')
  assert.equal(await some.converge(), undefined)
  const backup = a.backUp()
  write(a, 'g', 'two')
  assert.equal(await some.converge(), undefined)
  await some.during(a.stop())
  await a.restoreHome(backup)
  const before = await (await a.index()).exchange.indexId()
  await a.start()
  assert.equal(await some.converge(), undefined)
  const after = await (await a.index()).exchange.indexId()
  assert.notEqual(after, before)
  some.network.cut('a', 'b')
  assert.equal(await some.converge(), undefined)
  assert.equal(await (await a.index()).exchange.indexId(), after)
  assert.deepEqual(filesOf(a), filesOf(b))
})

test('D-04: a device that claims more than it was sent causes at most one restart of the index an hour', async () => {
  const { some, a, b } = await twoDevices()
  await using _some = some
  write(a, 'f', 'one')
  assert.equal(await some.converge(), undefined)
  const ids = [await (await a.index()).exchange.indexId()]
  for (const waitMs of [0, 0, HOUR, 0]) {
    await some.pass(waitMs)
    const index = await b.index()
    const record = await index.records.get(a.id, 'f')
    assert.ok(record !== undefined)
    await index.records.updateRemote(a.id, [{ ...record, sequence: 100_000 }])
    some.network.cut('a', 'b')
    await some.pass(60_000)
    ids.push(await (await a.index()).exchange.indexId())
  }
  const changed = ids.slice(1).map((id, i) => id !== ids[i])
  assert.deepEqual(changed, [true, false, true, false])
})
