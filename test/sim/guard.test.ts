/** Losses at random moments on devices with a guard: nothing held is deleted, and all agree after the decisions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortIdOf } from '../../src/core/device-id.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { DOCS } from '../support/model.ts'
import { testSeed } from '../support/seed.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const SEEDS = effort(2, 3)
const STEPS = 10
const DIRECTORIES = ['a', 'b', 'c']
const FILES = 14
const HOUR_MS = 3_600_000
const DECISIONS = ['apply', 'refuse'] as const

/** A server and a phone with guards, and a laptop without one. */
class Case {
  readonly #some: SomeDevices
  readonly #random: SimRandom
  readonly #seed: number
  #contents = 0
  /** Directories that the user of a device has removed, emptied or renamed. */
  readonly #touched = new Set<string>()
  readonly figures = { held: 0, applied: 0, refused: 0, restarts: 0, losses: 0 }

  private constructor(some: SomeDevices, seed: number) {
    this.#some = some
    this.#seed = seed
    this.#random = new SimRandom(seed)
  }

  static async run(seed: number): Promise<Case> {
    await using some = await SomeDevices.start('server', 'phone', 'laptop')
    const one = new Case(some, seed)
    for (const device of some.devices.slice(0, 2)) device.guards = true
    for (const directory of DIRECTORIES) one.#fill(one.#server, directory)
    assert.equal(await some.converge(), undefined)
    await some.pass(1.1 * HOUR_MS)
    for (let step = 0; step < STEPS; step++) {
      await one.#step()
      await one.#check()
    }
    await one.#settle()
    return one
  }

  get #server(): SimDevice {
    return this.#some.devices[0]!
  }

  async #step(): Promise<void> {
    const user = pick(this.#random, this.#some.devices)
    switch (this.#random.int(8)) {
      case 0:
      case 1:
        await this.#lose(user)
        break
      case 2:
        this.#fill(user, pick(this.#random, DIRECTORIES))
        break
      case 3:
        await this.#rename(user)
        break
      case 4:
        write(user, `new-${++this.#contents}`, `new ${this.#contents} of ${this.#seed}`)
        break
      case 5:
        await this.#decide(user)
        break
      case 6:
        user.crash()
        await user.start()
        this.figures.restarts++
        break
      case 7:
        await this.#some.pass(1.1 * HOUR_MS)
        break
    }
    if (this.#random.chance(0.6)) await this.#some.scanAll()
    if (this.#random.chance(0.6)) await this.#some.pass(1_000 * this.#random.int(90))
  }

  #fill(user: SimDevice, directory: string): void {
    user.disk.direct.makeDirectories(`${ROOT}/${directory}`)
    for (let i = 0; i < FILES; i++) write(user, `${directory}/f${i}`, `content ${++this.#contents} of ${this.#seed}`)
  }

  /** Deletes or empties whole directories: in most cases more than a quarter of the folder. */
  async #lose({ disk, name }: SimDevice): Promise<void> {
    this.figures.losses++
    const empties = this.#random.chance(0.3)
    for (const directory of DIRECTORIES.slice(this.#random.int(2))) {
      if (disk.direct.look(`${ROOT}/${directory}`) === undefined) continue
      this.#touched.add(`${name} ${directory}`)
      if (!empties) disk.direct.remove(`${ROOT}/${directory}`)
      else
        for (const [path, { type }] of disk.direct.tree(`${ROOT}/${directory}`))
          if (type === 'file') disk.direct.write(`${ROOT}/${directory}/${path}`, new Uint8Array())
    }
  }

  async #rename({ disk, name }: SimDevice): Promise<void> {
    const [from, to] = [pick(this.#random, DIRECTORIES), `moved-${++this.#contents}`]
    this.#touched.add(`${name} ${from}`)
    if (disk.direct.look(`${ROOT}/${from}`) !== undefined) await disk.rename(`${ROOT}/${from}`, `${ROOT}/${to}`)
  }

  async #decide({ model }: SimDevice): Promise<void> {
    for (const { side } of (await model!.guard(DOCS)).held) {
      const decision = pick(this.#random, DECISIONS)
      try {
        await this.#some.during(model!.decideGuard(DOCS, decision, side))
        this.figures[decision === 'apply' ? 'applied' : 'refused']++
      } catch (error) {
        if (!(error instanceof TwinfoldError) || error.code !== 'refused') throw error
      }
    }
  }

  /** What is held stays: on this disk where others have lost it, in this index where it is missing here. */
  async #check(): Promise<void> {
    for (const { disk, id, model, name, store } of this.#some.devices) {
      const index = await store.index()
      for (const { side, examples } of (await model!.guard(DOCS)).held) {
        this.figures.held++
        for (const file of examples) {
          const record = await index.records.head('local', file)
          const where = `seed ${this.#seed}: ${file} on ${name}, held as ${side}`
          if (record?.deleted === true && record.modifiedBy !== shortIdOf(id)) continue // others did that
          if (record === undefined || record.deleted) assert.fail(`${where}, is recorded as deleted`)
          if (side === 'local') assert.ok(record.sizeBytes > 0, `${where}, is recorded as empty`)
          else if (!this.#touched.has(`${name} ${file.split('/')[0]}`))
            assert.ok((disk.direct.look(`${ROOT}/${file}`)?.content.length ?? 0) > 0, `${where}, is gone`)
        }
      }
    }
  }

  /** Everything that is held is decided, until nothing is left to decide. */
  async #settle(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      await this.#some.scanAll()
      await this.#some.pass(90_000)
      const holds = await Promise.all(
        this.#some.devices.map(async ({ model }) => (await model!.guard(DOCS)).held.length),
      )
      if (holds.every((count) => count === 0)) break
      for (const device of this.#some.devices) await this.#decide(device)
    }
    assert.equal(await this.#some.converge(), undefined, `seed ${this.#seed}`)
    const [first, ...others] = this.#some.devices.map(filesOf)
    for (const other of others) assert.deepEqual(other, first, `seed ${this.#seed}`)
  }
}

test('losses at random moments: what is held is not deleted, and all agree after the decisions', async () => {
  const all = { held: 0, applied: 0, refused: 0, restarts: 0, losses: 0 }
  const first = testSeed()
  for (let seed = first; seed < first + SEEDS; seed++) {
    const { figures } = await Case.run(seed)
    for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += figures[name]
  }
  reportRow({ id: 'guard', tried: SEEDS, ...all })
  assert.ok(all.held > 0 && all.applied > 0 && all.refused > 0, JSON.stringify(all))
})
