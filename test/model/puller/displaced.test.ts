import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConflictName, isTemporary } from '../../../src/core/paths.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS } from '../../support/model.ts'
import { atEveryMoment, contents, KEEPING } from './every-moment.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const EDIT = 'ours, edited'

function edit({ disk }: SimPull): void {
  disk.direct.write(`${ROOT}/f`, Buffer.from(EDIT))
}

async function keepsTheEdit(pull: SimPull): Promise<void> {
  const names = [...pull.disk.direct.tree(ROOT).keys()]
  assert.ok((await contents(pull)).includes(EDIT), names.join(', '))
  assert.deepEqual(names.filter(isTemporary), [])
}

for (const [size, sizeBytes] of [
  ['small', 20],
  ['large', 300_000],
] as const) {
  for (const [what, folder] of [
    ['a folder without versioning', {}],
    ['a folder with versioning', KEEPING],
    ['a folder without conflict copies', { maxConflicts: 0 }],
  ] as const) {
    test(`an edit at any disk call while a ${size} file replaces it is kept, in ${what}`, async () => {
      const change = ({ peer }: SimPull): unknown => peer.put('f', 'n'.repeat(sizeBytes))
      const moments = await atEveryMoment(folder, change, edit, keepsTheEdit, 'o'.repeat(sizeBytes))
      assert.ok(moments >= 4, `${moments} moments`)
    })
  }
}

test('an edit at any disk call while a symlink replaces the file is kept', async () => {
  let isFile = false
  const moments = await atEveryMoment(
    {},
    ({ peer }) => peer.symlink('f', 'elsewhere'),
    (pull) => {
      isFile = pull.disk.direct.look(`${ROOT}/f`)?.type === 'file'
      if (isFile) edit(pull)
    },
    async (pull) => {
      if (isFile) await keepsTheEdit(pull)
      else assert.deepEqual(await contents(pull), [])
    },
  )
  assert.ok(moments >= 4, `${moments} moments`)
})

test('an edit at any disk call while the file is renamed, or replaced by a rename, is kept', async () => {
  for (const edited of ['f', 'g']) {
    const moments = await atEveryMoment(
      {},
      ({ peer }) => {
        peer.put('g', 'theirs')
        peer.delete('f')
      },
      ({ disk }) => disk.direct.write(`${ROOT}/${edited}`, Buffer.from(EDIT)),
      keepsTheEdit,
    )
    assert.ok(moments >= 4, `${moments} moments`)
  }
})

test('the edited file becomes a conflict copy, the pulled one gets the name, and both are recorded', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'old')
  await pull.sync()
  pull.peer.put('f', 'new')
  const { disk } = pull
  const exchange = disk.exchange.bind(disk)
  disk.exchange = async (from, to) => {
    disk.direct.write(`${ROOT}/f`, Buffer.from(EDIT))
    return await exchange(from, to)
  }
  await pull.sync()
  await pull.hub.pass(120_000)
  await pull.rest()
  assert.equal(await pull.read('f'), 'new')
  const copies = [...disk.direct.tree(ROOT).keys()].filter(isConflictName)
  assert.equal(copies.length, 1)
  assert.equal(await pull.read(copies[0]!), EDIT)
  await pull.assertSettled()
})

test('an edit in the instant of the replacement is kept where no copy of it can be named at first', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'old')
  await pull.sync()
  pull.peer.put('f', 'new')
  const { disk } = pull
  const [exchange, renameNew] = [disk.exchange.bind(disk), disk.renameNew.bind(disk)]
  let edits = 1
  disk.exchange = async (from, to) => {
    if (edits-- > 0) disk.direct.write(`${ROOT}/f`, Buffer.from(EDIT))
    return await exchange(from, to)
  }
  let failures = 1
  disk.renameNew = async (from, to) => {
    if (isConflictName(to) && failures-- > 0)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return await renameNew(from, to)
  }
  await pull.sync()
  await pull.hub.pass(120_000)
  await pull.rest()
  await keepsTheEdit(pull)
  assert.equal(failures, 0)
})

test('C-01: an edit in the instant of a replacement or removal survives a power loss at any later call', async () => {
  for (const change of ['small', 'large', 'symlink', 'renamed', 'deleted'] as const) {
    for (let calls = 1; calls <= 8; calls++) await losesPower(change, calls)
  }
})

/** Edits the file when the pull moves it, then loses power at the given call. */
async function losesPower(change: 'small' | 'large' | 'symlink' | 'renamed' | 'deleted', calls: number): Promise<void> {
  await using pull = await SimPull.start()
  const { disk, peer } = pull
  const sizeBytes = change === 'large' ? 300_000 : 20
  peer.put('f', 'o'.repeat(sizeBytes))
  if (change === 'renamed') peer.put('source', 'n'.repeat(sizeBytes))
  await pull.sync()
  disk.syncAll()
  if (change === 'symlink') peer.symlink('f', 'elsewhere')
  else if (change === 'deleted') peer.delete('f')
  else peer.put('f', 'n'.repeat(sizeBytes))
  if (change === 'renamed') peer.delete('source')
  const [exchange, rename] = [disk.exchange.bind(disk), disk.rename.bind(disk)]
  let edits = 0
  const interrupt = (): void => {
    if (edits++ > 0) return
    edit(pull)
    disk.faults.powerOffAt(calls)
  }
  disk.exchange = (from, to) => {
    interrupt()
    return exchange(from, to)
  }
  disk.rename = (from, to) => {
    if (change === 'deleted' && from === `${ROOT}/f`) interrupt()
    return rename(from, to)
  }
  await pull.sync()
  assert.ok(edits > 0, `${change}: nothing was moved`)
  disk.crash(new SimRandom(calls))
  await pull.hub.pass(10 * 60_000)
  await pull.scan()
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  // A temporary file is kept for a day.
  const names = (await pull.tree()).filter((name) => !isTemporary(name) && !name.includes(' -> '))
  const kept = await Promise.all(names.map((name) => pull.read(name)))
  assert.ok(kept.includes(EDIT), `${change}, power lost at call ${calls}: ${names.join(', ')}`)
}

test('an item that a crash left aside is kept when another device deletes its directory', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  pull.peer.put('d/f', 'theirs')
  await pull.sync()
  pull.disk.put(`${ROOT}/d/.syncthing.f.0123456789abcdef.aside`, EDIT)
  pull.peer.delete('d/f')
  pull.peer.delete('d')
  await pull.sync()
  await pull.hub.pass(120_000)
  await pull.rest()
  await keepsTheEdit(pull)
})

test('where items cannot be exchanged the file is replaced nevertheless', async () => {
  await using pull = await SimPull.start({ disk: { exchanges: false } })
  for (const content of ['old', 'new']) {
    pull.peer.put('f', content)
    await pull.sync()
  }
  assert.equal(await pull.read('f'), 'new')
  await pull.assertSettled()
})
