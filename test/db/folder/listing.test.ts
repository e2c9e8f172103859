import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID } from '../../../src/core/records/file-info.ts'
import { compareNames, parentOf } from '../../../src/core/paths.ts'
import type { FolderIndex, ListStep } from '../../../src/db/types.ts'
import { deletion, DEVICES, directory, file, FOLDER, openTestStore, version } from '../records.ts'

const [A, B] = [DEVICES[0]!, DEVICES[1]!]

async function collect(step: (start: string) => Promise<ListStep>): Promise<string[]> {
  const names: string[] = []
  for (let start: string | undefined = ''; start !== undefined;) {
    const { found, next }: ListStep = await step(start)
    names.push(...found.map(({ name }) => name))
    start = next
  }
  return names
}

const levelOf = (index: FolderIndex, directory: string) => collect((start) => index.listing.listLevel(directory, start))
const namesOf = (index: FolderIndex) => collect((start) => index.listing.listNames(start))

test('listing: contains names of the cluster and local-only names, without deleted ones', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([
    file('both'),
    file('still-here'),
    deletion('gone'),
    file('ours', { localFlags: FLAG_RECEIVE_ONLY }),
    file('ignored', { localFlags: FLAG_IGNORED }),
    deletion('undone', { localFlags: FLAG_RECEIVE_ONLY }),
    file('invalid', { localFlags: FLAG_IGNORED }),
    deletion('made-again'),
  ])
  await index.records.updateRemote(A, [
    file('both'),
    file('theirs'),
    deletion('still-here', { version: version(2) }),
    deletion('gone', { version: version(2) }),
    deletion('never-here'),
    file('invalid', { version: version(2), localFlags: FLAG_REMOTE_INVALID }),
    file('unknown', { localFlags: FLAG_REMOTE_INVALID }),
    file('made-again', { version: version(2) }),
  ])
  const shown = ['both', 'ignored', 'invalid', 'made-again', 'ours', 'still-here', 'theirs']
  assert.deepEqual(await namesOf(index), shown)
  assert.deepEqual(await levelOf(index, ''), shown)
})

test('listing: one level excludes deeper names and includes those before and after a slash in byte order', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([
    directory('a'),
    file('a!'),
    file('a-b'),
    file('a/x'),
    directory('a/y'),
    file('a/y/z'),
    file('a0'),
    file('b'),
  ])
  await index.records.updateRemote(A, [file('a/w'), directory('empty'), directory('old'), deletion('old/gone')])
  assert.deepEqual(await levelOf(index, ''), ['a', 'a!', 'a-b', 'a0', 'b', 'empty', 'old'])
  assert.deepEqual(await levelOf(index, 'a'), ['a/w', 'a/x', 'a/y'])
  assert.deepEqual(await levelOf(index, 'a/y'), ['a/y/z'])
  assert.deepEqual(await levelOf(index, 'nowhere'), [])
  assert.deepEqual([...(await index.listing.nonEmpty(['a', 'a/y', 'empty', 'old', 'b']))], ['a', 'a/y'])
})

test('listing: many names are returned in several steps, each exactly once, also after large subtrees', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = Array.from({ length: 400 }, (_, i) => `d${String(i).padStart(3, '0')}`)
  await index.records.updateLocal(
    names.flatMap((name) => [directory(name), ...Array.from({ length: 8 }, (_, i) => file(`${name}/${i}`))]),
  )
  assert.ok((await index.listing.listLevel('', '')).next !== undefined, 'one step is not enough')
  assert.deepEqual(await levelOf(index, ''), names)
  assert.equal((await namesOf(index)).length, 400 * 9)
})

test('listing: records include all devices, and leave out unknown names', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([file('a')])
  await index.records.updateRemote(A, [file('a', { version: version(2) })])
  await index.records.updateRemote(B, [file('a'), file('b')])
  const [a, b, ...more] = await index.listing.recordsOf(['a', 'unknown', 'b'])
  assert.deepEqual(more, [])
  assert.deepEqual(
    [a?.name, a?.local?.version, a?.global.version, [...(a?.others.keys() ?? [])]],
    ['a', version(1), version(2), [A, B]],
  )
  assert.deepEqual([b?.name, b?.local, [...(b?.others.keys() ?? [])]], ['b', undefined, [B]])
})

test('listing: our own names are in order of change, each once', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([file('a'), file('b'), file('c')])
  await index.records.updateLocal([deletion('a', { version: version(2) }), file('b', { localFlags: FLAG_IGNORED })])
  const all = await index.listing.ownSince(0)
  assert.deepEqual(
    all.map(({ name, live }) => [name, live]),
    [
      ['c', true],
      ['a', false],
      ['b', false],
    ],
  )
  assert.deepEqual(
    (await index.listing.ownSince(all[0]!.sequence)).map(({ name }) => name),
    ['a', 'b'],
  )
  assert.deepEqual(await index.listing.ownSince(all[2]!.sequence), [])
})

test('listing: every level of a random tree matches its names', async () => {
  const part = fc.constantFrom('a', 'b', 'a-', 'a0', 'Z', 'ä')
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name), fc.uniqueArray(name), async (ours, theirs) => {
      await using store = await openTestStore(undefined)
      const index = await store.folder(FOLDER)
      await index.records.updateLocal(ours.map((each) => file(each)))
      await index.records.updateRemote(
        A,
        theirs.map((each) => file(each, { version: version(2) })),
      )
      const all = [...new Set([...ours, ...theirs])].sort(compareNames)
      assert.deepEqual(await namesOf(index), all)
      for (const parent of new Set(['', ...all, ...all.map(parentOf)])) {
        const expected = all.filter((each) => parentOf(each) === parent)
        assert.deepEqual(await levelOf(index, parent), expected, parent)
        if (parent !== '')
          assert.equal(
            (await index.listing.nonEmpty([parent])).has(parent),
            all.some((each) => each.startsWith(`${parent}/`)),
            parent,
          )
      }
    }),
    { numRuns: 60 },
  )
})

const searchOf = async (index: FolderIndex, text: string) => {
  const candidates = await collect((start) => index.listing.searchNames(start, text))
  return candidates.filter((name) => name.toLowerCase().includes(text))
}

test('search: finds what a comparison of all names finds', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'A', 'k', '\u212a', '%', '_', '\\', 'é', 'É', '.'),
    maxLength: 3,
  })
  const names = fc.uniqueArray(
    text.filter((name) => name !== '' && !/^\.+$/.test(name)),
    { maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(names, names, text, async (own, others, wanted) => {
      await using store = await openTestStore(undefined)
      const index = await store.folder(FOLDER)
      await index.records.updateLocal(own.map((name) => file(name)))
      await index.records.updateRemote(
        A,
        others.map((name, at) => file(name, { sequence: at + 1, version: version(2) })),
      )
      const lower = wanted.toLowerCase()
      const expected = (await namesOf(index)).filter((name) => name.toLowerCase().includes(lower))
      assert.deepEqual(await searchOf(index, lower), expected)
    }),
    { numRuns: 60 },
  )
})

test('search: goes through a large index in steps and reads few of its names', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = Array.from({ length: 8_000 }, (_none, at) => `album/${String(at).padStart(5, '0')}.jpg`)
  await index.records.updateLocal(names.map((name) => file(name)))
  const rare = await index.listing.searchNames('', '07999')
  assert.deepEqual(rare.found, [])
  assert.equal(rare.next, 'album/05000.jpg', 'other work runs before the rest is read')
  assert.deepEqual(await searchOf(index, '07999'), ['album/07999.jpg'])
  const frequent = await index.listing.searchNames('', 'album')
  assert.ok(frequent.found.length < 5_000, 'a step with many results is shorter')
  assert.equal((await searchOf(index, 'album')).length, names.length)
})
