/** C-03: the machine stops, or a call fails, at any call of a rewind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConflictName } from '../../../src/core/paths.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { newMachine, ROOT, SimRewind } from './sim-rewind.ts'

const LARGE = 'a larger file, '.repeat(20_000)
const PAST: Readonly<Record<string, string>> = { 'a.txt': 'one', 'd/b.txt': LARGE, 'd/e/c.txt': 'three', 'z.txt': '' }
const PRESENT: Readonly<Record<string, string | undefined>> = {
  'a.txt': 'damaged',
  'd/b.txt': 'damaged, too',
  'd/e/c.txt': undefined,
  'z.txt': undefined,
  'new.txt': 'newer',
}

/** Calls from one power loss to the next. */
const STEP = Math.max(1, Math.round(7 / effort(1)))

async function prepared(seed: number): Promise<{ readonly sim: SimRewind; readonly moment: number }> {
  const machine = newMachine(seed)
  const sim = await SimRewind.start(machine)
  for (const [name, content] of Object.entries(PAST)) sim.disk.put(`${ROOT}/${name}`, content)
  await sim.scan()
  const moment = await sim.now()
  for (const [name, content] of Object.entries(PAST)) sim.disk.put(`${ROOT}/.stversions/${name}`, content)
  await sim.change(PRESENT)
  sim.disk.syncAll()
  return { sim, moment }
}

const definedOf = (files: typeof PRESENT) =>
  Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined))

/** Every content that was there is there: as a file, or as an old version. */
async function assertNothingLost(sim: SimRewind, about: string): Promise<void> {
  const all = [await sim.files(), await sim.files(`${ROOT}/.stversions`)].flatMap((files) => Object.values(files))
  for (const content of [...Object.values(PAST), ...Object.values(PRESENT)])
    assert.ok(content === undefined || all.includes(content), `${about}: lost ${JSON.stringify(content?.slice(0, 20))}`)
}

/** A rewind whose nth call of the disk, and all later ones, fail; then a restart. */
async function powerLoss(nth: number): Promise<number> {
  const about = `power off at call ${nth}`
  const { sim, moment } = await prepared(nth)
  const presentMoment = await sim.now()
  const before = sim.disk.faults.callCount
  sim.disk.faults.powerOffAt(nth)
  await sim.begin(moment).catch(() => {})
  for (let turn = 0; turn < 200 && sim.disk.faults.powered && sim.status()?.state === 'running'; turn++)
    await sim.hub.pass(0)
  const calls = sim.disk.faults.callCount - before
  await sim.crash(new SimRandom(nth))
  await using again = await SimRewind.start(sim.machine)
  const wasBegun = again.status() !== undefined
  if (wasBegun) assert.equal((await again.ended()).state, 'done', about)
  await again.scan()
  await assertNothingLost(again, about)
  if (!wasBegun) await again.rewind(moment)
  assert.deepEqual(await again.files(), { ...PAST, 'new.txt': 'newer' }, about)
  await again.rewind(presentMoment)
  assert.deepEqual(await again.files(), definedOf(PRESENT), `${about}, and another rewind`)
  return calls
}

test('C-03: a power loss at any call of a rewind: it is completed after the restart, and can be undone', async () => {
  const calls = await powerLoss(1_000_000)
  let tried = 0
  for (let nth = 1; nth <= calls; nth += STEP, tried++) await powerLoss(nth)
  reportRow({ id: 'C-03', part: 'rewind', tried })
  assert.ok(tried > 15, `${tried} of ${calls} calls`)
})

test('whichever call of a rewind fails, nothing is lost, and a second rewind completes it', async () => {
  let tried = 0
  for (let nth = 1, calls = 50; nth <= calls; nth += STEP, tried++) {
    const { sim, moment } = await prepared(nth)
    await using _sim = sim
    const before = sim.disk.faults.callCount
    sim.disk.fail({ call: 'any', code: 'EIO', nth })
    const isBegun = await sim.begin(moment).then(
      () => true,
      () => false,
    )
    if (isBegun) await sim.ended()
    calls = Math.max(calls, Math.min(400, sim.disk.faults.callCount - before))
    sim.disk.faults.clear()
    for (let turn = 0; turn < 5; turn++) await sim.hub.pass(60_000)
    await sim.scan()
    await assertNothingLost(sim, `call ${nth}`)
    await sim.rewind(moment)
    // A replaced file that could not be removed is a conflict copy.
    const files = Object.entries(await sim.files()).filter(([name]) => !isConflictName(name))
    assert.deepEqual(Object.fromEntries(files), { ...PAST, 'new.txt': 'newer' }, `call ${nth}`)
  }
  reportRow({ id: 'C-03', part: 'any call of a rewind fails', tried })
  assert.ok(tried > 15, `${tried}`)
})
