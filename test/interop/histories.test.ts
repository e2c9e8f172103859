/** S-04: the same model of a synchronizer as for simulated devices, beside a real Syncthing. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isConflictName } from '../../src/core/paths.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { History, type Value } from '../sim/history.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { testSeed } from '../support/seed.ts'

const SEED = testSeed()
const NAMES = Array.from({ length: 24 }, (_, i) => `name ${i}`)
const ROUNDS = effort(2, 3)

function valueAt({ root }: Member, name: string): Value {
  try {
    return readFileSync(join(root, name), 'utf8')
  } catch {
    return undefined // nothing is there
  }
}

/** People at one device, or at several that cannot talk to each other, do something with each of the names. */
class People {
  readonly #random: SimRandom
  readonly #histories: ReadonlyMap<string, History>
  #values = 0
  reads = 0

  constructor(random: SimRandom, histories: ReadonlyMap<string, History>) {
    this.#random = random
    this.#histories = histories
  }

  act(member: Member): void {
    for (const [name, history] of this.#histories) {
      const seen = valueAt(member, name)
      history.read(member.name, seen)
      this.reads++
      const deed = pick(this.#random, ['look', 'write', 'write', 'remove'] as const)
      if (deed === 'look' || (deed === 'remove' && seen === undefined)) continue
      const value = deed === 'write' ? `<${++this.#values}>`.padEnd(20 + this.#values, '.') : undefined
      if (value === undefined) rmSync(join(member.root, name))
      else writeFileSync(join(member.root, name), value)
      history.write(member.name, value)
    }
  }
}

function everywhere(members: readonly Member[]): ReadonlySet<string> {
  const files = members.flatMap(({ root }) => readdirSync(root).map((name) => join(root, name)))
  return new Set(files.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'utf8')))
}

async function setPaused(member: Member, peer: Member, paused: boolean): Promise<void> {
  await member.request('POST', `/rest/system/${paused ? 'pause' : 'resume'}?device=${peer.id}`)
  await eventually(
    paused ? 'the connection to end' : 'the connection to come back',
    async () => (await peer.isConnectedTo(member)) !== paused || undefined,
    60_000,
  )
}

test(
  'S-04: beside a real Syncthing every read is explained, and no value is lost',
  { skip: missingSyncthing() ?? false },
  async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
    const [twinfold, syncthing] = pair
    await link([pair], { maxConflicts: -1 })
    await untilInSync(pair)
    const names = pair.map(({ name }) => name)
    const histories = new Map(NAMES.map((name) => [name, new History(names)]))
    const connect = (links: readonly (readonly [string, string])[]): void =>
      histories.forEach((history) => history.connect(links))
    const people = new People(new SimRandom(SEED), histories)
    connect([['twinfold', 'syncthing']])
    for (let round = 0; round < ROUNDS; round++) {
      // Together: whoever reads meanwhile finds the old value or the new one.
      people.act(pair[round % 2]!)
      await scanAll(pair)
      await untilInSync(pair)
      // Apart: each does what it wants, and then they meet.
      await setPaused(twinfold, syncthing, true)
      connect([])
      for (const member of pair) people.act(member)
      await scanAll(pair)
      connect([['twinfold', 'syncthing']])
      await setPaused(twinfold, syncthing, false)
      await untilInSync(pair)
      const found = everywhere(pair)
      for (const [name, history] of histories)
        history.settled(new Map(pair.map((member) => [member.name, valueAt(member, name)])), found)
    }
    const unexplained = [...histories].flatMap(([name, history]) =>
      history.unexplained.map((line) => `${name}: ${line}`),
    )
    const copies = readdirSync(twinfold.root).filter(isConflictName).length
    reportRow({
      id: 'S-04',
      part: 'beside Syncthing',
      tried: histories.size,
      reads: people.reads,
      conflictCopies: copies,
      unexplained: unexplained.length,
    })
    assert.deepEqual(unexplained, [], `TWINFOLD_SEED=${SEED}`)
  },
)
