import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { assertTree, untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { conflictCopies, temporaries, treeItems, type TreeItem } from '../support/tree-compare.ts'
import { Chance, changeAtRandom } from './random-changes.ts'
import { testSeed } from '../support/seed.ts'

const skip = missingSyncthing() ?? false
const SEED = testSeed()
const TOPS = ['one', 'two', 'three', 'vier', '五', 'sechs']
const CHANGES = 25
const MIB = 1024 * 1024

/** Each member changes places of its own; all must end with the sum, and without a copy of anything. */
async function rounds(members: readonly Member[], chance: Chance, count: number): Promise<number> {
  let worstMs = 0
  for (let round = 1; round <= count; round++) {
    const places = chance.shuffled(TOPS)
    const expected = new Map<string, TreeItem>()
    for (const [which, { root }] of members.entries()) {
      const tops = places.filter((_, place) => place % members.length === which)
      changeAtRandom(root, { chance, tops, count: CHANGES, typeChanges: true })
      for (const [path, item] of treeItems(root)) if (tops.includes(path.split('/')[0]!)) expected.set(path, item)
    }
    await scanAll(members)
    worstMs = Math.max(worstMs, await untilInSync(members))
    await assertTree(members, expected, `round ${round} of seed ${SEED}`)
    for (const { root } of members) {
      assert.deepEqual([...temporaries(root), ...conflictCopies(root)], [])
    }
  }
  return Math.round(worstMs)
}

const LINES: readonly (readonly [ProgramKind, ProgramKind, ProgramKind])[] = [
  ['twinfold', 'syncthing', 'twinfold'],
  ['syncthing', 'twinfold', 'syncthing'],
]

for (const kinds of LINES) {
  test(`three devices, ${kinds.join(', ')}: in a line, then in a ring`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const members = await Promise.all(kinds.map((kind, place) => network.add(kind, `${kind}-${place}`)))
    const [first, middle, last] = members
    if (first === undefined || middle === undefined || last === undefined) throw new Error('three were asked for')
    const chance = new Chance(SEED)
    for (const { root } of members) changeAtRandom(root, { chance, tops: TOPS, count: 0, typeChanges: false })
    await link([
      [first, middle],
      [middle, last],
    ])
    await untilInSync(members)
    const tried = effort(1, 2)
    const lineMs = await rounds(members, chance, tried)
    await first.introduce(last)
    await last.introduce(first)
    await first.shareWith([middle, last])
    await last.shareWith([middle, first])
    await eventually('the ring to close', async () => (await first.isConnectedTo(last)) || undefined, 60_000)
    const ringMs = await rounds(members, chance, tried)
    // With the middle gone the others still have each other.
    await middle.kill()
    writeFileSync(join(first.root, 'one', 'without the middle'), randomBytes(MIB))
    await first.scan()
    await untilInSync([first, last])
    await middle.start()
    await untilInSync(members)
    reportRow({
      id: 'sync-three',
      tried: 2 * tried,
      kinds: kinds.join(' '),
      lineWorstMs: lineMs,
      ringWorstMs: ringMs,
      seed: SEED,
    })
  })
}

test('three Twinfolds in a ring that all edited the same files keep every edit', { skip }, async () => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const members = await Promise.all(['a', 'b', 'c'].map((name) => network.add('twinfold', name)))
  const [a, b, c] = members
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were asked for')
  // Two of them lose in the same second against the same winner: their copies would have the same name.
  const names = Array.from({ length: 40 }, (_, number) => `file-${number}.txt`)
  for (const { root, name } of members) for (const file of names) writeFileSync(join(root, file), `${file} of ${name}`)
  await link([
    [a, b],
    [b, c],
    [c, a],
  ])
  await untilInSync(members)
  const contents = new Set([...treeItems(a.root).keys()].map((path) => readFileSync(join(a.root, path), 'utf8')))
  const lost = names
    .flatMap((file) => members.map(({ name }) => `${file} of ${name}`))
    .filter((content) => !contents.has(content))
  assert.deepEqual(lost, [])
  for (const { root } of members) assert.deepEqual(temporaries(root), [])
  reportRow({
    id: 'sync-three-conflicts',
    tried: names.length,
    conflictCopies: conflictCopies(a.root).length,
  })
})

const CONNECT_MS_MAX = 60_000

for (const kinds of [
  ['twinfold', 'twinfold'],
  ['syncthing', 'twinfold'],
  ['twinfold', 'syncthing'],
] as const) {
  test(`several connections from ${kinds.join(' to ')} share the work`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await Promise.all([network.add(kinds[0], 'a'), network.add(kinds[1], 'b')])
    const [a, b] = pair
    await link([pair], {}, { numConnections: 4 })
    let counts: readonly (number | undefined)[] = []
    await eventually(
      'four connections',
      async () => {
        const all = await Promise.all([a.connectionTo(b), b.connectionTo(a)])
        counts = all.map((each) => (each?.connected === true ? each.secondary?.length : undefined))
        return counts.every((count) => count === 3) || undefined
      },
      CONNECT_MS_MAX,
    ).catch((error: unknown) => {
      const state = `secondary connections: ${counts.join(' and ')}`
      const outputs = pair.map(({ name, output }) => `${name}: ${output.slice(-2_500)}`).join('\n')
      assert.fail(`${String(error)}; ${state}\n${outputs}`)
    })
    const [chance, tried] = [new Chance(SEED), effort(1, 3)]
    for (const { root } of pair) changeAtRandom(root, { chance, tops: TOPS, count: 0, typeChanges: false })
    // A new connection is used once both have sent a ClusterConfig on it, a second later: the first file may be through
    // by
    // then.
    let carried: readonly number[] = []
    for (let attempt = 0; attempt < 5 && carried.filter((bytes) => bytes > MIB).length < 2; attempt++) {
      writeFileSync(join(a.root, 'one', `large-${attempt}`), randomBytes(40 * MIB))
      await scanAll(pair)
      await untilInSync(pair)
      carried = ((await b.connectionTo(a))?.secondary ?? []).map(({ inBytesTotal }) => inBytesTotal)
    }
    assert.ok(carried.filter((bytes) => bytes > MIB).length >= 2, `the others carry blocks too: ${carried.join(', ')}`)
    const worstMs = await rounds(pair, chance, tried)
    reportRow({
      id: 'sync-connections',
      secondary: counts,
      tried,
      kinds: kinds.join(' '),
      connections: 4,
      secondaryMiB: carried.map((bytes) => Math.round(bytes / MIB)),
      worstMs,
      seed: SEED,
    })
  })
}

for (const compression of ['always', 'metadata', 'never'] as const) {
  test(`compression "${compression}" with a Syncthing`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
    const [twinfold, syncthing] = pair
    await link([pair], {}, { compression })
    await eventually('a connection', async () => (await twinfold.isConnectedTo(syncthing)) || undefined, 60_000)
    const wire = async () => {
      const { inBytesTotal, outBytesTotal } = (await twinfold.connectionTo(syncthing)) ?? {
        inBytesTotal: 0,
        outBytesTotal: 0,
      }
      return { in: inBytesTotal, out: outBytesTotal }
    }
    const used: Record<string, number> = {}
    for (const [kind, content] of [
      ['text', textBytes],
      ['noise', () => randomBytes(4 * MIB)],
    ] as const) {
      const earlier = await wire()
      for (const { root, name } of pair) writeFileSync(join(root, `${kind}-${name}`), content())
      await scanAll(pair)
      await untilInSync(pair)
      const later = await wire()
      used[`${kind}In`] = Math.round(((later.in - earlier.in) / (4 * MIB)) * 100) / 100
      used[`${kind}Out`] = Math.round(((later.out - earlier.out) / (4 * MIB)) * 100) / 100
    }
    for (const direction of ['In', 'Out']) {
      if (compression === 'always') assert.ok(used[`text${direction}`]! < 0.6, JSON.stringify(used))
      else assert.ok(used[`text${direction}`]! >= 1, JSON.stringify(used))
      assert.ok(used[`noise${direction}`]! >= 1 && used[`noise${direction}`]! < 1.1, JSON.stringify(used))
    }
    for (const { root } of pair) assert.deepEqual([...temporaries(root), ...conflictCopies(root)], [])
    reportRow({ id: `sync-compression-${compression}`, tried: 4, ...used })
  })
}

/** Compresses well, but no two blocks are the same. */
function textBytes(): Buffer {
  const line = (number: number) =>
    `${String(number).padStart(8, '0')} lorem ipsum dolor sit amet consectetur adipiscing elit sed do\n`
  const first = randomInt(1_000_000)
  return Buffer.from(
    Array.from({ length: (4 * MIB) / line(0).length + 1 }, (_, index) => line(first + index)).join(''),
  ).subarray(0, 4 * MIB)
}
