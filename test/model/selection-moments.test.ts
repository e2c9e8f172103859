/** A drop with an edit, or a failing disk, at each of its calls. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../src/core/records/file-info.ts'
import { reportRow } from '../support/effort.ts'
import { DOCS, NEVER } from '../support/model.ts'
import { ROOT, SimPull } from './puller/sim-pull.ts'

const CALLS_MAX = 120
const EDIT = 'an edit of the user'

async function synced(): Promise<SimPull> {
  const pull = await SimPull.start()
  for (const name of ['a', 'a/b']) pull.peer.directory(name)
  for (const name of ['a/b/one', 'a/b/two', 'a/three', 'other']) pull.peer.put(name, `the content of ${name}`)
  await pull.sync()
  return pull
}

async function drop(pull: SimPull): Promise<void> {
  const dropped = pull.hub.model.select(DOCS, [{ path: 'a', state: 'dropped' }], false, NEVER)
  await pull.hub.while(dropped.catch(() => undefined)) // refused, or the disk failed
}

/** Runs an action just before the `nth` disk call below the folder's root. */
function atCall(pull: SimPull, nth: number, action: () => void): { readonly isReached: () => boolean } {
  const { faults } = pull.disk
  const check = faults.check.bind(faults)
  let seen = 0
  faults.check = (call, at) => {
    if (at.startsWith(`${ROOT}/`) && ++seen === nth) action()
    check(call, at)
  }
  return { isReached: () => seen >= nth }
}

async function announcedDeletions(pull: SimPull): Promise<readonly string[]> {
  const records = await pull.index.records.page('local', { within: '', afterName: '', limit: 1_000 })
  return records.filter(({ deleted, version }) => deleted && version.length > 0).map(({ name }) => name)
}

test('a file that is edited at any moment of a drop stays here', async () => {
  let tried = 0
  for (let nth = 1; nth <= CALLS_MAX; nth++, tried++) {
    await using pull = await synced()
    const moment = atCall(pull, nth, () => pull.disk.direct.write(`${ROOT}/a/b/two`, Buffer.from(EDIT)))
    await drop(pull)
    if (!moment.isReached()) break
    await pull.rest()
    await pull.scan()
    const contents = [...pull.disk.direct.tree(ROOT)].map(([, { content }]) => Buffer.from(content).toString())
    assert.ok(contents.includes(EDIT), `an edit before call ${nth} is lost: ${JSON.stringify(await pull.tree())}`)
    assert.deepEqual(await announcedDeletions(pull), [], `call ${nth}`)
  }
  reportRow({ id: 'drop-edits', tried })
  assert.ok(tried > 20, `${tried} moments`)
})

test('a drop during which any disk call fails announces no deletion, and can be repeated', async () => {
  let tried = 0
  for (let nth = 1; nth <= CALLS_MAX; nth += 2, tried++) {
    await using pull = await synced()
    const moment = atCall(pull, nth, () => {})
    pull.disk.fail({ call: 'any', code: 'EIO', nth, times: 1, under: `${ROOT}/` })
    await drop(pull)
    pull.disk.faults.clear()
    if (!moment.isReached()) break
    await pull.hub.pass(120_000)
    await pull.rest()
    await pull.scan()
    assert.deepEqual(await announcedDeletions(pull), [], `call ${nth}`)
    await drop(pull)
    await pull.rest()
    assert.deepEqual(
      (await pull.tree()).filter((path) => path.startsWith('a/') || path.includes('.syncthing.')),
      [],
      `call ${nth}`,
    )
    const { localFlags } = (await pull.index.records.get('local', 'a/b/one'))!
    assert.equal(localFlags & FLAG_IGNORED, FLAG_IGNORED)
    await pull.assertSettled()
  }
  reportRow({ id: 'drop-faults', tried })
  assert.ok(tried > 10, `${tried} calls`)
})
