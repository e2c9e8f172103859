/** Conflicting edits of texts on devices that merge: all agree, and no line of any edit is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderConfig } from '../../src/core/config/config.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { effort } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const LINES = ['one', 'two', 'three', 'four', 'five', 'six']
const BASE = text(LINES)

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

const edited = (index: number, line: string) => text(LINES.with(index, line))

interface ConflictCase {
  readonly modes: readonly [SimDevice['merge'], SimDevice['merge']]
  readonly onA: string
  readonly onB: string
  /** The device whose edit is later, and wins. */
  readonly later?: 'a' | 'b'
  readonly name?: string
  readonly base?: string
}

/** Two devices that had the same file edit it apart; resolves with what both have then. */
async function conflict(
  { modes, onA, onB, later = 'b', name = 'f.txt', base = BASE }: ConflictCase,
  folder: Partial<FolderConfig> = {},
) {
  const some = await SomeDevices.startWith(folder, 'a', 'b')
  const [a, b] = some.devices as [SimDevice, SimDevice]
  a.merge = modes[0]
  b.merge = modes[1]
  for (const device of [a, b]) device.mergeUnion = ['*.log']
  await some.scanAll()
  write(a, name, base)
  assert.equal(await some.converge(), undefined)
  some.network.partition('a', 'b')
  await some.pass(2_000)
  const edits = [() => write(a, name, onA), () => write(b, name, onB)]
  if (later === 'a') edits.reverse()
  for (const edit of edits) {
    edit()
    await some.pass(5_000)
    await some.scanAll()
  }
  some.network.heal('a', 'b')
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(a), filesOf(b))
  return { some, a, b, files: filesOf(a) }
}

for (const later of ['a', 'b'] as const) {
  for (const modes of [
    ['on', 'on'],
    ['on', 'off'],
    ['off', 'on'],
  ] as const) {
    test(`edits of different lines are merged: ${modes.join(' and ')}, ${later} is later`, async () => {
      const { some, files } = await conflict({ modes, later, onA: edited(0, 'ONE'), onB: edited(5, 'SIX') })
      await using _ = some
      assert.deepEqual(files, [`f.txt: ${text(LINES.with(0, 'ONE').with(5, 'SIX'))}`])
    })
  }
}

test('edits of the same line stay a conflict', async () => {
  const { some, files } = await conflict({ modes: ['on', 'on'], onA: edited(2, '3'), onB: edited(2, 'III') })
  await using _ = some
  assert.equal(files.length, 2)
  assert.ok(files.some((file) => file.endsWith(edited(2, '3'))))
  assert.ok(files.some((file) => file.endsWith(edited(2, 'III'))))
})

test('both additions are kept where the name is declared', async () => {
  const { some, files } = await conflict({
    modes: ['on', 'on'],
    name: 'x.log',
    onA: `${BASE}a\n`,
    onB: `${BASE}b\n`,
  })
  await using _ = some
  assert.deepEqual(files, [`x.log: ${BASE}a\nb\n`])
})

test('without merges, and where they are offered only, there is a conflict copy', async () => {
  for (const mode of ['off', 'offer'] as const) {
    const { some, files } = await conflict({ modes: [mode, mode], onA: edited(0, 'ONE'), onB: edited(5, 'SIX') })
    await using _ = some
    assert.equal(files.length, 2, mode)
  }
})

test('a conflict copy that has the content of its file is removed', async () => {
  const copy = 'f.sync-conflict-20260101-000000-ABCDEFG.txt'
  for (const mode of ['off', 'offer'] as const) {
    await using some = await SomeDevices.start('a', 'b')
    const [a, b] = some.devices as [SimDevice, SimDevice]
    a.merge = mode
    await some.scanAll()
    write(b, 'f.txt', BASE)
    write(b, copy, BASE)
    assert.equal(await some.converge(), undefined)
    assert.deepEqual(filesOf(a), filesOf(b))
    assert.equal(filesOf(a).length, mode === 'off' ? 2 : 1)
    if (mode === 'off') continue
    write(b, copy, edited(0, 'other'))
    assert.equal(await some.converge(), undefined)
    assert.equal(filesOf(a).length, 2)
    write(b, 'f.txt', edited(0, 'other'))
    assert.equal(await some.converge(), undefined)
    assert.equal(filesOf(a).length, 1)
    assert.deepEqual(filesOf(a), filesOf(b))
  }
})

test('a merge is in the history, and ours becomes an old version', async () => {
  const versioning = { type: 'trashcan', params: {}, cleanupIntervalS: 3600, fsPath: '', fsType: 'basic' } as const
  const edits = { onA: edited(0, 'ONE'), onB: edited(5, 'SIX') }
  const { some, a } = await conflict({ modes: ['on', 'on'], ...edits }, { versioning })
  await using _ = some
  const { entries } = await (await a.index()).history.before(Number.MAX_SAFE_INTEGER)
  const merged = entries.filter(({ origin }) => origin === 'merge')
  assert.deepEqual(
    merged.map(({ kind, name }) => [kind, name]),
    [['changed', 'f.txt']],
  )
  const versions = [...a.disk.direct.tree(`${ROOT}/.stversions`).values()].filter(({ type }) => type === 'file')
  assert.ok(versions.some(({ content }) => Buffer.from(content).toString() === edits.onA))
})

const SEEDS = effort(2)
const STEPS = 20
const NAMES = ['a.txt', 'b.txt', 'c.log']

/** Users insert lines, remove lines of the first version, and devices are apart, restart and lose power. */
class RandomMerges {
  readonly #some: SomeDevices
  readonly #random: SimRandom
  readonly #inserted: string[] = []
  #steps = 0

  private constructor(some: SomeDevices, seed: number) {
    this.#some = some
    this.#random = new SimRandom(seed)
  }

  static async run(seed: number): Promise<{ readonly merges: number; readonly copies: number }> {
    await using some = await SomeDevices.start('a', 'b', 'c')
    const one = new RandomMerges(some, seed)
    for (const device of some.devices) {
      device.merge = pick(one.#random, ['on', 'on', 'offer', 'off'] as const)
      device.mergeUnion = ['*.log']
    }
    const [first] = some.devices
    for (const name of NAMES) write(first!, name, text([...LINES, 'seven', 'eight', 'nine', 'ten']))
    assert.equal(await some.converge(), undefined)
    for (let step = 0; step < STEPS; step++) await one.#step()
    return await one.#settle(seed)
  }

  async #step(): Promise<void> {
    const { devices, network } = this.#some
    const [user, other] = [pick(this.#random, devices), pick(this.#random, devices)]
    switch (this.#random.int(9)) {
      case 0:
        network.partition(user.name, other.name)
        break
      case 1:
        network.heal(user.name, other.name)
        break
      case 2:
        await this.#some.during(user.stop())
        await user.start()
        break
      case 3:
        user.crash()
        await user.start()
        break
      case 4:
        await this.#some.scanAll()
        break
      default:
        this.#edit(user)
    }
    await this.#some.pass(this.#random.int(20_000))
  }

  #edit(user: SimDevice): void {
    const name = pick(this.#random, NAMES)
    const item = user.disk.direct.tree(ROOT).get(name)
    if (item === undefined) return
    const lines = Buffer.from(item.content).toString().split('\n').slice(0, -1)
    const inserted = `line ${++this.#steps} of ${user.name}`
    this.#inserted.push(inserted)
    const place = name.endsWith('.log') ? lines.length : this.#random.int(lines.length + 1)
    const isReplaced = this.#random.int(3) === 0 && !lines[place]?.startsWith('line ')
    write(user, name, text(lines.toSpliced(place, isReplaced ? 1 : 0, inserted)))
    user.disk.syncAll()
  }

  async #settle(seed: number) {
    const { devices, network } = this.#some
    for (const a of devices) for (const b of devices) if (a !== b) network.heal(a.name, b.name)
    assert.equal(await this.#some.converge(), undefined, `seed ${seed}`)
    const [files, ...others] = devices.map(filesOf)
    for (const other of others) assert.deepEqual(other, files, `seed ${seed}`)
    const all = new Set(files!.join('\n').split('\n'))
    const lost = this.#inserted.filter((line) => ![...all].some((each) => each.endsWith(line)))
    assert.deepEqual(lost, [], `seed ${seed}`)
    let merges = 0
    for (const device of devices) {
      const { entries } = await (await device.index()).history.before(Number.MAX_SAFE_INTEGER)
      merges += entries.filter(({ origin }) => origin === 'merge').length
    }
    return { merges, copies: files!.length - NAMES.length }
  }
}

test('no line is lost when devices merge at random moments', async () => {
  const total = { merges: 0, copies: 0 }
  for (let seed = testSeed(); seed < testSeed() + SEEDS; seed++) {
    const { merges, copies } = await RandomMerges.run(seed)
    total.merges += merges
    total.copies += copies
  }
  assert.ok(total.merges > 0, 'nothing was merged')
})
