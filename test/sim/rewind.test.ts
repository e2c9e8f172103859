/** Devices that are rewound at random moments, while users work and power fails: nothing is lost, all agree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { pick } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { DOCS, NEVER, simFolder } from '../support/model.ts'
import { testSeed } from '../support/seed.ts'
import type { SimDevice } from './device.ts'
import { filesBelow, RandomUsers, userFiles } from './random-users.ts'
import { SomeDevices } from './some-devices.ts'

const SEEDS = effort(4)
const STEPS = 40

class Case {
  readonly #users: RandomUsers
  readonly figures = { rewinds: 0, refused: 0, rewound: 0, removed: 0, crashes: 0 }

  constructor(some: SomeDevices, seed: number) {
    this.#users = new RandomUsers(some, seed)
  }

  async run(): Promise<void> {
    const { random, some } = this.#users
    await some.scanAll()
    for (let step = 0; step < STEPS; step++) {
      const device = pick(random, some.devices)
      const action = random.int(10)
      if (action < 4) this.#users.write(device)
      else if (action === 4) this.#users.rename(device)
      else if (action < 7) this.#users.delete(device)
      else if (action === 7) await this.#users.crash(device)
      else await this.#rewind(device)
      await this.#users.pause()
    }
    await this.#endRewinds()
    assert.equal(await some.converge(), undefined)
    this.figures.crashes = this.#users.crashes
    this.#checkNothingLost()
  }

  async #rewind(device: SimDevice): Promise<void> {
    const { random, some } = this.#users
    const { rewinder } = device
    if (rewinder === undefined) return
    const nowMs = device.clock.nowMs()
    const momentMs = nowMs - random.int(120) * 1_000
    const path = pick(random, ['', '', 'a', 'a/b', 'z'])
    const mode = random.int(4) === 0 ? 'beside' : 'in-place'
    try {
      const started = await some.during(rewinder.start({ folder: DOCS, path, momentMs, mode }, NEVER))
      assert.equal(started.state, 'running')
      this.figures.rewinds++
    } catch (error) {
      if (!(error instanceof TwinfoldError)) throw error
      this.figures.refused++
    }
    // Some are crossed by what the users do next, some by a power loss.
    if (random.int(3) === 0) await this.#users.crash(device)
    else if (random.int(2) === 0) await some.pass(5_000)
  }

  async #endRewinds(): Promise<void> {
    const { some } = this.#users
    for (const device of some.devices) {
      for (let round = 0; device.rewinder?.status(DOCS)?.state === 'running'; round++) {
        assert.ok(round < 200, `the rewind of ${device.name}: ${device.rewinder.status(DOCS)?.error}`)
        await some.pass(1_000)
      }
      const status = device.rewinder?.status(DOCS)
      assert.ok(status === undefined || status.state === 'done', status?.error)
      this.figures.rewound += status?.totals.rewound ?? 0
      this.figures.removed += status?.totals.removed ?? 0
    }
  }

  /** What no user overwrote or deleted is a file, or an old version, of some device. */
  #checkNothingLost(): void {
    const found = new Set<string>()
    for (const device of this.#users.some.devices) {
      for (const content of userFiles(device).values()) found.add(content)
      for (const content of filesBelow(device, `${device.root}/.stversions`).values()) found.add(content)
    }
    assert.deepEqual(this.#users.lost(found), [])
  }
}

test('rewinds at random moments, crossed by edits, deletions and power losses', async () => {
  const sums = { rewinds: 0, refused: 0, rewound: 0, removed: 0, crashes: 0 }
  for (let round = 0; round < SEEDS; round++) {
    const seed = testSeed() + round
    const kinds = [
      { type: 'simple', params: { keep: '100' } },
      { type: 'trashcan', params: { cleanoutDays: '30' } },
    ] as const
    const versioning = { ...simFolder('docs').versioning, ...kinds[round % kinds.length]! }
    await using some = await SomeDevices.startWith({ versioning }, 'server', 'laptop', 'phone')
    // As in folders made here: every replaced version is kept, up to a share of the disk.
    for (const device of some.devices) device.versionsPercentMax = versioning.type === 'trashcan' ? 10 : 0
    const each = new Case(some, seed)
    await each.run().catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error })
    })
    for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += each.figures[key]
  }
  reportRow({ id: 'rewind at random moments', tried: SEEDS, ...sums })
  assert.ok(sums.rewinds > SEEDS && sums.rewound > 0, JSON.stringify(sums))
})
