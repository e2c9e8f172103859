/** Browsing reads the tree in steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import type { Listing, TreeEntry } from '../../../src/db/types.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { deletion, DEVICES, directory, file, FOLDER, openTestStore, version } from '../records.ts'

const namesOf = (entries: readonly TreeEntry[], above = ''): readonly string[] =>
  entries.flatMap(({ name, children }) => [`${above}${name}`, ...namesOf(children, `${above}${name}/`)])

test('a large tree is read in steps, and is complete with every depth and prefix', async () => {
  let turns = 0
  const clock = {
    ...nodeClock,
    sleep: (timeMs: number, signal: AbortSignal) => {
      if (timeMs === 0) turns++
      return nodeClock.sleep(timeMs, signal)
    },
  }
  await using store = await openTestStore(undefined, { clock })
  const index = await store.folder(FOLDER)
  const numbers = Array.from({ length: 50 }, (_, i) => `${i + 10}`)
  const records = numbers.flatMap((d) => [
    directory(d),
    ...numbers.flatMap((e) => [directory(`${d}/${e}`), file(`${d}/${e}/f`)]),
  ])
  for (let at = 0; at < records.length; at += 1_000) await index.records.updateLocal(records.slice(at, at + 1_000))
  const browse = async (prefix: string, levels: number | undefined) => {
    turns = 0
    return namesOf(await index.listing.browse({ prefix, levels, directoriesOnly: false }))
  }
  const all = records.map(({ name }) => name).sort()
  const below = (prefix: string) =>
    all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  const depth = (name: string) => name.split('/').length - 1

  assert.deepEqual((await browse('', undefined)).toSorted(), all)
  assert.ok(turns >= all.length / 500 - 1, `${turns} turns for ${all.length} records`)
  assert.deepEqual(
    (await browse('', 1)).toSorted(),
    all.filter((name) => depth(name) <= 1),
  )
  assert.ok(turns >= 4, `${turns} turns: records that are only skipped are counted, too`)
  assert.deepEqual(await browse('', 0), numbers)
  assert.deepEqual((await browse('33', undefined)).toSorted(), below('33/'))
  assert.equal(turns, 0, 'a small part is read at once')
})

/** All items of a directory, and the number of steps. */
async function levelOf(
  listing: Listing,
  within: string,
): Promise<{ readonly names: string[]; readonly steps: number }> {
  const names: string[] = []
  let steps = 0
  for (let start: string | undefined = ''; start !== undefined; steps++) {
    const { found, next }: Awaited<ReturnType<Listing['globalLevel']>> = await listing.globalLevel(within, start)
    for (const { name } of found) names.push(name)
    start = next
  }
  return { names, steps }
}

test('a directory of the global tree is read in steps, without what is below it', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = Array.from({ length: 1_200 }, (_, i) => `d/${10_000 + i}`)
  await index.records.updateRemote(DEVICES[0]!, [
    directory('d', { sequence: 1 }),
    ...names.flatMap((name, i) => [
      directory(name, { sequence: 2 + 2 * i }),
      file(`${name}/inside`, { sequence: 3 + 2 * i }),
    ]),
  ])
  await index.records.updateLocal([file('d-x'), file('e')])
  assert.deepEqual((await levelOf(index.listing, '')).names, ['d', 'd-x', 'e'])
  const { names: found, steps } = await levelOf(index.listing, 'd')
  assert.deepEqual(found, names)
  assert.ok(steps >= 3 && steps <= 6, `${steps} steps`)
  assert.deepEqual((await levelOf(index.listing, names[7]!)).names, [`${names[7]}/inside`])
  assert.deepEqual((await levelOf(index.listing, 'none')).names, [])
})

test('only the newest version of what exists is an item of the global tree', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([
    file('here', { sizeBytes: 1 }),
    file('old', { sizeBytes: 1, version: version(1) }),
    deletion('gone'),
    file('ignored', { localFlags: FLAG_IGNORED }),
  ])
  await index.records.updateRemote(DEVICES[0]!, [
    file('old', { sizeBytes: 2, version: version(1, 2), sequence: 1 }),
    file('there', { sizeBytes: 3, sequence: 2 }),
  ])
  const { found } = await index.listing.globalLevel('', '')
  assert.deepEqual(
    found.map(({ name, sizeBytes }) => [name, sizeBytes]),
    [
      ['here', 1],
      ['old', 2],
      ['there', 3],
    ],
  )
  for (const head of found) assert.deepEqual(await index.listing.globalItem(head.name), head)
  for (const name of ['gone', 'ignored', 'none', ''])
    assert.equal(await index.listing.globalItem(name), undefined, name)
})
