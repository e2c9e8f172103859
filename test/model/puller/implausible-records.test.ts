import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportRow } from '../../support/effort.ts'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const HOUR_MS = 3_600_000
const YEARS_10_MS = 10 * 365 * 24 * HOUR_MS

test('C-13: clock jumps and implausible times do not diverge devices', async () => {
  let tried = 0
  let divergences = 0
  for (const modifiedStepNs of [1n, 1_000n, 1_000_000_000n, 2_000_000_000n]) {
    await using pull = await SimPull.start({
      disk: { modifiedStepNs },
      folder: { modTimeWindowS: modifiedStepNs > 1_000n ? 3 : 0 },
    })
    const times = [-31_536_000, -1, 0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 4_102_444_800, 8_640_000_000]
    times.forEach((modifiedS, i) => pull.peer.put(`t${i}`, `at ${modifiedS}`, { modifiedS, modifiedNs: 999_999_999 }))
    await pull.sync()
    for (const byMs of [1_000, -1_000, HOUR_MS, -HOUR_MS, YEARS_10_MS, -2 * YEARS_10_MS, YEARS_10_MS]) {
      tried++
      pull.hub.platform.clock.jumpWall(byMs)
      pull.disk.put(`${ROOT}/ours ${tried}`, `${byMs}`)
      pull.peer.put(`theirs ${tried}`, `${byMs}`)
      pull.peer.put('edited', `edit ${tried}`)
      await pull.sync()
      await pull.hub.pass(2 * HOUR_MS) // timers do not depend on the wall clock
      await pull.rest()
      if ((await pull.read('edited')) !== `edit ${tried}`) divergences++
      if ((await pull.index.records.get('local', `ours ${tried}`))?.deleted !== false) divergences++
    }
    for (const [i, modifiedS] of times.entries()) if ((await pull.read(`t${i}`)) !== `at ${modifiedS}`) divergences++
    await pull.assertSettled()
  }
  reportRow({ id: 'C-13', tried, divergences })
  assert.equal(divergences, 0)
})

test('N-04: of names that are equal on this disk none is deleted, whichever comes first', async () => {
  const pairs = [
    ['File', 'file'],
    ['dir/A', 'dir/a'],
    ['STRASSE', 'strasse'],
    ['É', 'é'],
  ] as const
  let tried = 0
  let losses = 0
  for (const [one, other] of [...pairs, ...pairs.map(([a, b]) => [b, a] as const)]) {
    tried++
    await using pull = await SimPull.start({ disk: { caseInsensitive: true } })
    if (one.includes('/')) pull.peer.directory('dir')
    pull.disk.put(`${ROOT}/${one}`, 'ours')
    await pull.scan()
    pull.peer.put(other, 'theirs')
    await pull.sync()
    await pull.scan()
    const contents = await Promise.all(
      (await pull.tree()).filter((path) => !path.endsWith('/')).map((path) => pull.read(path)),
    )
    const ours = await pull.index.records.get('local', one)
    if (!contents.includes('ours') || ours?.deleted !== false) losses++
    // The second item is missing with a reported problem, or exists under a name of its own.
    if (!contents.includes('theirs') && (await pull.errors()).length === 0) losses++
    assert.equal(pull.hub.deletions(), 0)
  }
  reportRow({ id: 'N-04', tried, losses })
  assert.equal(losses, 0)
})

test('N-04: a name in another case is reported as such; caseSensitiveFS: no name is taken for another', async () => {
  for (const caseSensitiveFS of [false, true]) {
    await using pull = await SimPull.start({ disk: { caseInsensitive: true }, folder: { caseSensitiveFS } })
    pull.disk.put(`${ROOT}/photo.jpg`, 'ours')
    await pull.scan()
    pull.peer.put('Photo.JPG', 'theirs')
    await pull.sync()
    const [error] = await pull.errors()
    const clash =
      'Photo.JPG: syncing: remote "Photo.JPG" uses different upper or lowercase characters than local "photo.jpg"; ' +
      'change the casing on either side to match the other'
    assert.equal(error === clash, !caseSensitiveFS, error)
    await pull.disk.rename(`${ROOT}/photo.jpg`, `${ROOT}/PHOTO.jpg`)
    await pull.scan()
    const old = await pull.index.records.get('local', 'photo.jpg')
    assert.equal(old?.deleted, !caseSensitiveFS, 'the disk still has an item for the old name')
    assert.equal((await pull.index.records.get('local', 'PHOTO.jpg'))?.deleted, false)
  }
})

test('N-13: setuid, setgid and sticky bits are not applied from remote records', async () => {
  await using pull = await SimPull.start()
  let tried = 0
  let taken = 0
  for (const bits of [0o4755, 0o2755, 0o1777, 0o7777, 0o177777, -1]) {
    tried++
    pull.peer.put(`f${tried}`, 'x', { permissions: bits })
    pull.peer.directory(`d${tried}`, { permissions: bits })
    await pull.sync()
    for (const name of [`f${tried}`, `d${tried}`])
      if (((await pull.disk.lstat(`${ROOT}/${name}`)).mode & 0o7000) !== 0) taken++
  }
  reportRow({ id: 'N-13', tried: tried * 2, taken, part: 'mode' })
  assert.equal(taken, 0)
})

test('B-19: a device with false records does not block valid files of others, and the reason is shown', async () => {
  await using pull = await SimPull.start()
  const { peer } = pull
  for (let i = 0; i < 20; i++) peer.put(`honest ${i}`, `content ${i}`)
  for (let i = 0; i < 20; i++) peer.put(`claimed ${i}`, `never served ${i}`)
  for (let i = 0; i < 5; i++) peer.put(`wrong ${i}`, `other bytes ${i}`)
  peer.put('ahead', 'from the year 9999', { modifiedS: 253_370_764_800 })
  peer.put('deleted', 'first')
  peer.serve = async ({ name }, data) => {
    if (name.startsWith('claimed')) throw new Error('no such file')
    return name.startsWith('wrong') ? Buffer.alloc(data.length, '?') : data
  }
  await pull.sync()
  for (let second = 0; second < 10; second++) {
    peer.put('flips', `content ${second}`)
    if (second % 2 === 0) peer.delete('deleted')
    else peer.put('deleted', `back ${second}`)
    await pull.hub.pass(1_000)
    await pull.sync()
  }
  let converged = 0
  for (let i = 0; i < 20; i++) if ((await pull.read(`honest ${i}`)) === `content ${i}`) converged++
  const errors = await pull.errors()
  reportRow({ id: 'B-19', tried: 20, honestConverged: converged, reasonsShown: errors.length })
  assert.equal(converged, 20)
  assert.equal(errors.filter((line) => line.startsWith('claimed ') && line.includes('no such file')).length, 20)
  assert.equal(errors.filter((line) => line.startsWith('wrong ') && line.includes('hash mismatch')).length, 5)
  assert.deepEqual(
    [await pull.read('flips'), await pull.read('deleted'), await pull.read('ahead')],
    ['content 9', 'back 9', 'from the year 9999'],
  )
  // Our own edit of an item with a time in the future is still newer.
  pull.disk.put(`${ROOT}/ahead`, 'edited here')
  await pull.scan()
  const { global, local } = await pull.hub.while(pull.hub.model.file(DOCS, 'ahead'))
  assert.deepEqual(global?.version, local?.version)
})
