/** Browsing reads the tree in steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TreeEntry } from '../../../src/db/types.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { directory, file, FOLDER, openTestStore } from '../records.ts'

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
