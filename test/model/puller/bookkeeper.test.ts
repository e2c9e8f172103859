import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { DOCS } from '../../support/model.ts'
import { PEER } from './sim-peer.ts'
import { SimPull } from './sim-pull.ts'

const MANY = 300

/** A send-only folder that needs many items it will never pull, with the number of names compared so far. */
async function sender(): Promise<{ pull: SimPull; looks: () => number }> {
  const pull = await SimPull.start({ folder: { type: 'sendonly' } })
  let count = 0
  const global = pull.index.global.bind(pull.index)
  pull.index.global = (name) => {
    count++
    return global(name)
  }
  for (let i = 0; i < MANY; i++) pull.peer.put(`theirs ${i}`, `content ${i}`)
  await pull.sync()
  const looks = () => {
    const sum = count
    count = 0
    return sum
  }
  return { pull, looks }
}

/** The other device announces only these. */
async function tell(pull: SimPull, ...names: readonly string[]): Promise<void> {
  await pull.index.updateRemote(
    PEER,
    names.map((name) => pull.peer.records.get(name)!),
  )
  pull.hub.model.pullSoon(DOCS)
  await pull.rest()
}

async function hasTheirVersion(pull: SimPull, name: string): Promise<boolean> {
  const local = await pull.index.get('local', name)
  return local !== undefined && compareVersions(local.version, pull.peer.records.get(name)!.version) === 'equal'
}

test('sendonly: updates of a few names compare only those, however many are needed', async () => {
  const { pull, looks } = await sender()
  await using _pull = pull
  assert.ok(looks() >= MANY)
  pull.peer.put('one more', 'x')
  pull.peer.put('theirs 7', 'changed')
  await tell(pull, 'one more', 'theirs 7')
  assert.ok(looks() <= 4)
  assert.equal((await pull.needed()).length, MANY + 1)
})

test('sendonly: the version of an identical item is adopted', async () => {
  const { pull, looks } = await sender()
  await using _pull = pull
  looks()
  await pull.write('equal', 'same content')
  await pull.scan()
  const mine = (await pull.index.get('local', 'equal'))!
  pull.peer.put('equal', 'same content', {
    modifiedS: mine.modifiedS,
    modifiedNs: mine.modifiedNs,
    permissions: mine.permissions,
    basedOn: mine.version,
  })
  await tell(pull, 'equal')
  assert.ok(await hasTheirVersion(pull, 'equal'))
  assert.ok(looks() <= 6)
})

test('sendonly: new patterns are applied to all needed items', async () => {
  const { pull, looks } = await sender()
  await using _pull = pull
  looks()
  await pull.write('.stignore', 'theirs 1*\n')
  await tell(pull, 'theirs 1')
  assert.ok(looks() >= MANY)
  assert.equal((await pull.index.get('local', 'theirs 17'))?.localFlags, FLAG_IGNORED)
  assert.equal(await pull.index.get('local', 'theirs 20'), undefined)
  await tell(pull, 'theirs 2')
  assert.ok(looks() <= 2 * MANY, 'once is enough')
})
