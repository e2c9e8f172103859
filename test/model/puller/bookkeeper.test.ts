import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { NEVER } from '../../../src/core/never.ts'
import { Bookkeeper } from '../../../src/model/puller/bookkeeper.ts'
import type { PullParts } from '../../../src/model/puller/pull-parts.ts'
import { DOCS } from '../../support/model.ts'
import { PEER } from './sim-peer.ts'
import { SimPull } from './sim-pull.ts'

const MANY = 300

/** A send-only folder that needs many items it will never pull, with the number of names compared so far. */
async function sender(): Promise<{ pull: SimPull; comparisons: () => number }> {
  const pull = await SimPull.start({ folder: { type: 'sendonly' } })
  let count = 0
  const both = pull.index.records.both.bind(pull.index.records)
  pull.index.records.both = (name) => {
    count++
    return both(name)
  }
  for (let i = 0; i < MANY; i++) pull.peer.put(`theirs ${i}`, `content ${i}`)
  await pull.sync()
  const comparisons = () => {
    const sum = count
    count = 0
    return sum
  }
  return { pull, comparisons }
}

/** The other device announces only these. */
async function announce(pull: SimPull, ...names: readonly string[]): Promise<void> {
  await pull.index.records.updateRemote(
    PEER,
    names.map((name) => pull.peer.records.get(name)!),
  )
  pull.hub.pullSoon(DOCS)
  await pull.rest()
}

async function hasTheirVersion(pull: SimPull, name: string): Promise<boolean> {
  const local = await pull.index.records.get('local', name)
  return local !== undefined && compareVersions(local.version, pull.peer.records.get(name)!.version) === 'equal'
}

test('sendonly: updates of a few names compare only those, however many are needed', async () => {
  const { pull, comparisons } = await sender()
  await using _pull = pull
  assert.ok(comparisons() >= MANY)
  pull.peer.put('one more', 'x')
  pull.peer.put('theirs 7', 'changed')
  await announce(pull, 'one more', 'theirs 7')
  assert.ok(comparisons() <= 4)
  assert.equal((await pull.needed()).length, MANY + 1)
})

test('sendonly: the version of an identical item is adopted', async () => {
  const { pull, comparisons } = await sender()
  await using _pull = pull
  comparisons()
  await pull.write('equal', 'same content')
  await pull.scan()
  const mine = (await pull.index.records.get('local', 'equal'))!
  pull.peer.put('equal', 'same content', {
    modifiedS: mine.modifiedS,
    modifiedNs: mine.modifiedNs,
    permissions: mine.permissions,
    basedOn: mine.version,
  })
  await announce(pull, 'equal')
  assert.ok(await hasTheirVersion(pull, 'equal'))
  assert.ok(comparisons() <= 6)
})

test('sendonly: new patterns are applied to all needed items', async () => {
  const { pull, comparisons } = await sender()
  await using _pull = pull
  comparisons()
  await pull.write('.stignore', 'theirs 1*\n')
  await announce(pull, 'theirs 1')
  assert.ok(comparisons() >= MANY)
  assert.equal((await pull.index.records.get('local', 'theirs 17'))?.localFlags, FLAG_IGNORED)
  assert.equal(await pull.index.records.get('local', 'theirs 20'), undefined)
  await announce(pull, 'theirs 2')
  assert.ok(comparisons() <= 2 * MANY, 'compared only once')
})

test('sendonly: a deletion without a record here is adopted only while another device has the item', async () => {
  await using pull = await SimPull.start({ folder: { type: 'sendonly' } })
  const third = 'THIRD-device' as typeof PEER
  for (const name of ['gone', 'held']) {
    pull.peer.put(name, name)
    if (name === 'held') await pull.index.records.updateRemote(third, [pull.peer.records.get(name)!])
    pull.peer.delete(name)
  }
  await announce(pull, 'gone', 'held')
  assert.equal(await pull.index.records.get('local', 'gone'), undefined)
  assert.equal(await hasTheirVersion(pull, 'held'), true)
})

test('sendonly: other work runs while many names are compared', async () => {
  let nowMs = 0
  let comparisons = 0
  const between: number[] = []
  const clock = { monotonicMs: () => ++nowMs, sleep: async () => void between.push(comparisons) }
  const records = { both: async () => ({ order: comparisons++ }), flush: async () => {} }
  const heads = Array.from({ length: MANY }, (_none, place) => ({ name: `theirs ${place}` }))
  const needs = { takeTouched: async () => undefined, need: async () => heads }
  const folderLock = { shared: async () => ({ [Symbol.dispose]: () => {} }) }
  const ignore = { lines: [], hasLines: () => false }
  const parts = { clock, index: { needs, records }, records, folderLock, ignore } as unknown as PullParts
  await new Bookkeeper().reconcile(parts, NEVER)
  assert.equal(comparisons, MANY)
  assert.ok(between.length > MANY / 20, `other work ran ${between.length} times`)
})
