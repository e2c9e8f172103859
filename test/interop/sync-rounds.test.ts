import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { assertTree, untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { differingNames, temporaries, treeItems, type TreeItem } from '../support/tree-compare.ts'
import { Chance, changeAtRandom } from './random-changes.ts'
import { testSeed } from '../support/seed.ts'

const skip = missingSyncthing() ?? false
const SEED = testSeed()
const TOPS = ['one', 'two', 'three', 'vier', '五', 'sechs']
/**
 * Names there keep their type, so that both may have them: of a directory here and a file there only people can decide.
 */
const SHARED_TOPS = TOPS.map((name) => `${name} for both`)
const CHANGES = 40

for (const kinds of [
  ['twinfold', 'syncthing'],
  ['twinfold', 'twinfold'],
] as const) {
  describe(kinds.join(' and '), { skip }, () => {
    const scratch = scratchDirectory()
    const chance = new Chance(SEED)
    let network: Network
    let pair: readonly [Member, Member]

    before(async () => {
      console.log(`seed ${SEED} (TWINFOLD_SEED)`)
      network = await Network.open(scratch.path)
      pair = await Promise.all([network.add(kinds[0], 'first'), network.add(kinds[1], 'second')])
      for (const { root } of pair)
        changeAtRandom(root, { chance, tops: [...TOPS, ...SHARED_TOPS], count: 0, typeChanges: false })
      await link([pair], { maxConflicts: -1 })
      await untilInSync(pair)
    })

    after(async () => {
      await network?.[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    })

    test('rounds of changes by both, each in places of its own, end as their sum', async () => {
      reportRow({ id: 'sync-rounds', kinds: kinds.join(' '), ...(await quietRounds(pair, chance)) })
    })

    test('rounds of changes by both to the same names lose no edit and save exactly what lost', async () => {
      reportRow({ id: 'sync-conflict-rounds', kinds: kinds.join(' '), ...(await wildRounds(pair, chance)) })
    })
  })
}

async function quietRounds(
  pair: readonly [Member, Member],
  chance: Chance,
): Promise<{ readonly tried: number } & Record<string, number>> {
  const rounds = effort(2, 4)
  let worstMs = 0
  for (let round = 1; round <= rounds; round++) {
    const places = chance.shuffled(TOPS)
    const owned = [places.slice(0, 3), places.slice(3)] as const
    const expected = new Map<string, TreeItem>()
    for (const [which, { root }] of pair.entries()) {
      const tops = owned[which]!
      changeAtRandom(root, { chance, tops, count: CHANGES, typeChanges: true })
      for (const [path, item] of treeItems(root))
        if (tops.includes(path.split('/')[0]!) || path.includes(' for both')) expected.set(path, item)
    }
    await scanAll(pair)
    worstMs = Math.max(worstMs, await untilInSync(pair))
    await assertTree(pair, expected, `round ${round} of seed ${SEED}`)
    for (const { root } of pair) {
      assert.deepEqual(temporaries(root), [])
    }
  }
  return {
    tried: rounds * 2 * CHANGES,
    rounds,
    conflictCopies: 0,
    temporaries: 0,
    worstMs: Math.round(worstMs),
    seed: SEED,
  }
}

async function wildRounds(
  pair: readonly [Member, Member],
  chance: Chance,
): Promise<{ readonly tried: number } & Record<string, number>> {
  const rounds = effort(2, 4)
  let copies = 0
  let worstMs = 0
  for (let round = 1; round <= rounds; round++) {
    const earlier = treeItems(pair[0].root)
    for (const { root } of pair) changeAtRandom(root, { chance, tops: SHARED_TOPS, count: CHANGES, typeChanges: false })
    const [ours, theirs] = [treeItems(pair[0].root), treeItems(pair[1].root)]
    await scanAll(pair)
    // A directory that Syncthing had deleted and made again above the parent of a new file is news to it until it
    // scans.
    worstMs = Math.max(worstMs, await untilInSync(pair, { rescan: pair.filter(({ kind }) => kind === 'syncthing') }))
    const now = treeItems(pair[0].root)
    copies += checkCopies({ earlier, ours, theirs, now }, `round ${round} of seed ${SEED}`)
    for (const { root } of pair) assert.deepEqual(temporaries(root), [])
  }
  return {
    tried: rounds * 2 * CHANGES,
    rounds,
    conflictCopies: copies,
    editsLost: 0,
    worstMs: Math.round(worstMs),
    seed: SEED,
  }
}

type Tree = ReadonlyMap<string, TreeItem>

/**
 * The rule: a name that both made a file of, with contents that differ, has one copy more. Nothing else has. Where one
 * of them left the content alone it depends: an edit of that very content that wins leaves nothing to save.
 */
function checkCopies(
  { earlier, ours, theirs, now }: Record<'earlier' | 'ours' | 'theirs' | 'now', Tree>,
  which: string,
): number {
  const isChanged = (tree: Tree, path: string) =>
    differingNames(new Map([[path, tree.get(path)]]), new Map([[path, earlier.get(path)]])).length > 0
  const expected: string[] = []
  const possible = new Set<string>()
  const kept = new Set([...now.values()].map(({ content }) => content))
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const [mine, other] = [ours.get(path), theirs.get(path)]
    for (const [tree, item] of [
      [ours, mine],
      [theirs, other],
    ] as const) {
      if (item?.type === 'file' && isChanged(tree, path) && item.content !== earlier.get(path)?.content) {
        assert.ok(kept.has(item.content), `${which}: an edit of ${path} is lost`)
      }
    }
    if (mine?.type !== 'file' || other?.type !== 'file' || mine.content === other.content) continue
    if (!isChanged(ours, path) || !isChanged(theirs, path)) continue
    const before = earlier.get(path)?.content
    if (mine.content === before || other.content === before) possible.add(path)
    else expected.push(path)
  }
  const copies = [...now.keys()].filter((path) => /\.sync-conflict-/.test(path) && !earlier.has(path))
  const originals = copies.map((path) => path.replace(/\.sync-conflict-\d{8}-\d{6}-[A-Z2-7]{7}/, ''))
  assert.deepEqual(originals.filter((path) => !possible.delete(path)).sort(), expected.sort(), which)
  return copies.length
}
