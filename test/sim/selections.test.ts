/** Devices that keep and drop at random moments, beside edits, renames, deletions and power losses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pick } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'
import { RandomUsers, userFiles } from './random-users.ts'
import { SomeDevices } from './some-devices.ts'

async function act(users: RandomUsers): Promise<void> {
  const device = pick(users.random, users.some.devices)
  const action = users.random.int(10)
  if (action < 4) users.write(device)
  else if (action === 4) users.rename(device)
  else if (action === 5) users.delete(device)
  else if (action < 9) await users.select(pick(users.random, users.selecting))
  else await users.crash(pick(users.random, users.selecting))
  await users.pause()
}

test('selections at random moments lose no edit, and every device has what it keeps', async () => {
  const figures = { runs: 0, selections: 0, refusals: 0, crashes: 0 }
  for (let run = 0; run < effort(4); run++, figures.runs++) {
    const seed = testSeed(100) + run
    await using some = await SomeDevices.start('server', 'laptop', 'phone')
    const users = new RandomUsers(some, seed)
    try {
      for (let step = 0; step < 40; step++) await act(users)
      await users.converge(async () => userFiles(users.server))
      assert.deepEqual(users.lost(new Set(userFiles(users.server).values())), [])
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    }
    figures.selections += users.selections
    figures.refusals += users.refusals
    figures.crashes += users.crashes
  }
  reportRow({ id: 'selections', tried: figures.runs, ...figures })
  assert.ok(figures.selections > 20 && figures.crashes > 3, JSON.stringify(figures))
})
