/** A user works in a folder while it is moved, cancelled and interrupted at random moments: no edit is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEnded } from '../../../src/core/move/journal.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS } from '../../support/model.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { testSeed } from '../../support/seed.ts'
import { NEW, newMachine, OLD, SimMove, type SimMachine } from './sim-move.ts'

const NAMES = ['a', 'b', 'd/a', 'd/b', 'd/e/a', 'local.tmpl']
const SEEDS = effort(25)

class User {
  readonly #machine: SimMachine
  readonly #random: SimRandom
  /** What the user wrote last under each name. */
  readonly written = new Map<string, string>()
  #count = 0
  #isWorking = false
  edits = 0

  constructor(machine: SimMachine, random: SimRandom) {
    this.#machine = machine
    this.#random = random
  }

  write(): void {
    const name = NAMES[this.#random.int(NAMES.length)]!
    const path = `${this.#machine.config.folders[0]!.path}/${name}`
    const { direct } = this.#machine.platform.disk
    const before = direct.look(path)
    const content = `${name} ${String(this.#count++).padStart(4)}`
    direct.write(path, Buffer.from(content))
    // Some programs set the time back.
    if (before !== undefined && this.#random.chance(0.3))
      direct.setModified(path, Number(before.modifiedNs / 1_000_000n))
    this.written.set(name, content)
    this.edits++
  }

  /** Sometimes, when a program has changed something. */
  react(path: string): boolean {
    if (this.#isWorking || !(path.startsWith(OLD) || path.startsWith(NEW)) || !this.#random.chance(0.15)) return false
    this.#isWorking = true
    this.write()
    this.#isWorking = false
    return true
  }
}

/** Moves there and back, with one interruption of each kind at most. Returns the edits and the ways the moves ended. */
async function history(seed: number): Promise<{ readonly edits: number; readonly ends: readonly string[] }> {
  const random = new SimRandom(seed)
  const machine = await newMachine(seed)
  const { disk } = machine.platform
  disk.put(`${OLD}/.stignore`, '*.tmpl\n')
  const user = new User(machine, random)
  for (let i = 0; i < 12; i++) user.write()
  let move = await SimMove.start(machine)
  await move.scan()
  disk.syncAll()
  const ends: string[] = []
  for (let round = 0; round < 3; round++) {
    const from = machine.config.folders[0]!.path
    if (random.chance(0.8))
      disk.fail({ call: 'rename', code: 'EXDEV', under: from, times: random.chance(0.5) ? 1 : 1_000 })
    let left = random.int(8)
    const cancels = random.chance(0.3)
    const now = move
    using _watch = disk.subscribe(({ path }) => {
      if (left > 0 && user.react(path)) left--
      else if (cancels && path.startsWith(from === OLD ? NEW : OLD) && random.chance(0.05))
        now.mover.cancel(DOCS).catch(() => {}) // too late, perhaps
    })
    const powerOff = random.chance(0.4)
    if (powerOff) disk.faults.powerOffAt(20 + random.int(300))
    const turns = await move.begin(from === OLD ? NEW : OLD).then(
      () => 60,
      () => 0, // the power was off before it was in the journal
    )
    for (let turn = 0; turn < turns && disk.faults.powered && !isEnded(move.status()!); turn++) await move.hub.pass(0)
    if (powerOff) {
      await move.crash('everything')
      disk.faults.clear()
      move = await SimMove.start(machine)
    }
    if (move.status() !== undefined) ends.push((await move.finish()).state)
    disk.faults.clear()
    await move.scan()
  }
  for (const [name, content] of user.written) {
    const found = [OLD, NEW].map((root) => disk.direct.look(`${root}/${name}`)?.content)
    const texts = found.map((each) => (each === undefined ? '' : Buffer.from(each).toString()))
    assert.ok(texts.includes(content), `seed ${seed}: ${name} should be "${content}", is ${JSON.stringify(texts)}`)
  }
  await move[Symbol.asyncDispose]()
  return { edits: user.edits, ends }
}

test('edits during moves, cancels and power losses at random moments: none is lost', async () => {
  const ends = new Map<string, number>()
  let edits = 0
  const first = testSeed(1)
  for (let seed = first; seed < first + SEEDS; seed++) {
    const done = await history(seed)
    edits += done.edits
    for (const end of done.ends) ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  reportRow({ id: 'moves', tried: SEEDS, edits, ...Object.fromEntries(ends) })
  assert.ok((ends.get('done') ?? 0) > SEEDS && (ends.get('cancelled') ?? 0) > 0, JSON.stringify([...ends]))
})
