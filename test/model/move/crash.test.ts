/** C-03, C-04: the machine stops, or a call fails, at any call of a move. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEnded } from '../../../src/core/move/journal.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { NEW, newMachine, OLD, SimMove, type SimMachine } from './sim-move.ts'

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'first',
  'd/b.txt': 'second'.repeat(30_000),
  'd/e/c.txt': '',
  'local.tmpl': 'ignored',
  '.stignore': '*.tmpl\n',
}

/** Calls from one power loss to the next: each takes a tenth of a second. */
const STEP = { rename: 3, copy: Math.max(1, Math.round(7 / effort(1))) }

interface Outcome {
  readonly calls: number
  readonly isMoved: boolean
}

async function machineWithFiles(seed: number, method: 'rename' | 'copy'): Promise<SimMachine> {
  const machine = await newMachine(seed)
  for (const [name, content] of Object.entries(FILES)) machine.platform.disk.put(`${OLD}/${name}`, content)
  if (method === 'copy') addBorder(machine)
  return machine
}

function addBorder({ platform }: SimMachine): void {
  platform.disk.fail({ call: 'rename', code: 'EXDEV', under: OLD, times: Number.POSITIVE_INFINITY })
}

/** All files are at the place that the settings have, as they were, and nothing is missing for the next scan. */
async function assertWhole(move: SimMove, about: string): Promise<boolean> {
  const root = move.machine.config.folders[0]!.path
  for (const [name, content] of Object.entries(FILES))
    assert.equal(await move.read(`${root}/${name}`).catch(() => undefined), content, `${name} in ${root}, ${about}`)
  await move.scan()
  assert.equal(move.hub.deletions(), 0, about)
  return root === NEW
}

/** A move whose nth call of the disk, and all later ones, fail; then a restart. */
async function powerLoss(method: 'rename' | 'copy', nth: number): Promise<Outcome> {
  const about = `${method}, power off at call ${nth}`
  const machine = await machineWithFiles(nth, method)
  const move = await SimMove.start(machine)
  await move.scan()
  machine.platform.disk.syncAll()
  const announced = await move.announced()
  const before = move.disk.faults.callCount
  move.disk.faults.powerOffAt(nth)
  await move.begin().catch(() => {})
  if (move.status() !== undefined)
    for (let turn = 0; turn < 100 && move.disk.faults.powered && !isEnded(move.status()!); turn++)
      await move.hub.pass(0)
  const calls = move.disk.faults.callCount - before
  await move.crash(new SimRandom(nth))
  if (method === 'copy') addBorder(machine)
  await using again = await SimMove.start(machine)
  if (again.status() !== undefined) assert.ok(isEnded(await again.finish()), `${about}: ${again.status()?.state}`)
  const isMoved = await assertWhole(again, about)
  assert.equal(await again.announced(), announced, about)
  const left = again.disk.direct.look(isMoved ? OLD : NEW)
  assert.ok(left === undefined || again.disk.direct.tree(isMoved ? OLD : NEW).size === 0, `${about}: remains`)
  return { calls, isMoved }
}

for (const method of ['rename', 'copy'] as const)
  test(`C-03: a power loss at any call of a move by ${method}: everything is in one place`, async () => {
    let [tried, moved] = [0, 0]
    const { calls } = await powerLoss(method, 1_000_000)
    for (let nth = 1; nth <= calls; nth += STEP[method], tried++) if ((await powerLoss(method, nth)).isMoved) moved++
    reportRow({ id: 'C-03', part: `move by ${method}`, tried, moved })
    assert.ok(tried > 15 && moved > 0 && moved < tried, `${moved} of ${tried}`)
  })

test('whichever call of a move fails, it is done or undone, and everything is in one place', async () => {
  let [tried, moved] = [0, 0]
  for (let nth = 1, calls = 1; nth <= calls; nth += STEP.copy, tried++) {
    const machine = await machineWithFiles(nth, 'copy')
    await using move = await SimMove.start(machine)
    await move.scan()
    const before = move.disk.faults.callCount
    move.disk.fail({ call: 'any', code: 'EIO', nth })
    const begun = await move.begin().then(
      () => true,
      () => false,
    )
    if (begun) assert.ok(isEnded(await move.finish()), `call ${nth}`)
    calls = Math.max(calls, Math.min(500, move.disk.faults.callCount - before))
    move.disk.faults.clear()
    for (let turn = 0; turn < 5; turn++) await move.hub.pass(60_000)
    if (await assertWhole(move, `call ${nth}`)) moved++
  }
  reportRow({ id: 'C-03', part: 'any call of a move fails', tried, moved })
  assert.ok(tried > 30 && moved > 0 && moved < tried, `${moved} of ${tried}`)
})

test('a move that was interrupted waits for a disk that is not mounted', async () => {
  const machine = await machineWithFiles(1, 'copy')
  const move = await SimMove.start(machine)
  await move.scan()
  machine.platform.disk.syncAll()
  let isCopied = false
  move.disk.subscribe(({ path }) => {
    if (path !== `${NEW}/a.txt` || isCopied) return
    isCopied = true
    move.disk.faults.powerOffAt(1)
  })
  await move.begin()
  for (let turn = 0; turn < 60; turn++) await move.hub.pass(0)
  await move.crash('everything')
  assert.ok(isCopied)
  addBorder(machine)
  const { direct } = machine.platform.disk
  for (const away of [OLD, NEW]) {
    direct.rename(away, '/unplugged')
    direct.makeDirectories(away)
    const again = await SimMove.start(machine)
    for (let turn = 0; turn < 5; turn++) await again.hub.pass(60_000)
    assert.deepEqual([again.status()?.state, again.status()?.error === ''], ['copying', false])
    assert.equal(again.hub.deletions(), 0)
    assert.equal(direct.tree(away).size, 0, 'nothing is copied to where the disk was')
    if (away === OLD) assert.ok(direct.look(`${NEW}/a.txt`) !== undefined, 'its copies do not count as deleted')
    direct.remove(away)
    direct.rename('/unplugged', away)
    await again.stop()
  }
  await using again = await SimMove.start(machine)
  assert.equal((await again.finish()).state, 'done')
  assert.ok(await assertWhole(again, 'after the disks came back'))
})

test('a disk that goes away while it is copied is waited for; nothing counts as deleted', async () => {
  const machine = await machineWithFiles(1, 'copy')
  await using move = await SimMove.start(machine)
  await move.scan()
  const { direct } = machine.platform.disk
  let isAway = false
  using _watch = move.disk.subscribe(({ path }) => {
    if (isAway || path !== `${NEW}/d`) return
    isAway = true
    direct.rename(OLD, '/unplugged')
    direct.makeDirectories(OLD)
  })
  await move.begin()
  for (let turn = 0; turn < 100; turn++) await move.hub.pass(1_000)
  assert.ok(isAway)
  assert.deepEqual([move.status()?.state, move.status()?.error === ''], ['copying', false])
  direct.remove(OLD)
  direct.rename('/unplugged', OLD)
  for (let turn = 0; turn < 60 && !isEnded(move.status()!); turn++) await move.hub.pass(1_000)
  assert.equal(move.status()?.state, 'done')
  assert.ok(await assertWhole(move, 'after the disk came back'))
})
