import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID } from '../../../src/core/records/file-info.ts'
import { baseOf, compareNames, parentOf } from '../../../src/core/paths.ts'
import type { FolderIndex, ListStep, SearchStep } from '../../../src/db/types.ts'
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

/** All results, by requests of one step each. */
async function searchOf(index: FolderIndex, text: string, limit = 200): Promise<string[]> {
  const names: string[] = []
  let searched = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    const search = index.listing.search(text, after)
    const { found, searchedTo }: SearchStep = await search.step(limit)
    assert.ok(found.length <= limit)
    names.push(...found)
    searched += search.searched
    after = searchedTo
  }
  assert.equal(searched, await countOf(index), 'each name is compared once')
  return names
}

/** Of all records, also of deleted items. */
async function countOf(index: FolderIndex): Promise<number> {
  const { files, directories, symlinks, deleted } = (await index.needs.counts()).global
  return files + directories + symlinks + deleted
}

test('search: finds what a comparison of all names finds, in one search or by many', async () => {
  const unit = fc.constantFrom('a', 'A', 'k', '\u212a', '%', '_', '\\', 'é', 'É', 'İ', 'Σ', '.', '\u{1f600}')
  const part = fc.string({ unit, minLength: 1, maxLength: 3 }).filter((name) => !/^\.+$/.test(name))
  const name = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('/').normalize('NFC'))
  const names = fc.uniqueArray(name, { maxLength: 12 })
  const text = fc.string({ unit: fc.oneof(unit, fc.constant('/')), minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      names,
      names,
      names,
      text,
      fc.integer({ min: 1, max: 4 }),
      async (own, others, gone, wanted, limit) => {
        await using store = await openTestStore(undefined)
        const index = await store.folder(FOLDER)
        await index.records.updateLocal(own.map((each) => file(each)))
        await index.records.updateRemote(
          A,
          others.map((each, at) => file(each, { sequence: at + 1, version: version(2) })),
        )
        await index.records.updateRemote(
          B,
          gone.map((each, at) => deletion(each, { sequence: at + 1, version: version(3) })),
        )
        const lower = wanted.normalize('NFC').toLowerCase()
        const compared = (each: string) => (lower.includes('/') ? each : baseOf(each)).toLowerCase()
        const expected = (await namesOf(index)).filter((each) => compared(each).includes(lower))
        assert.deepEqual(await searchOf(index, wanted, limit), expected)
        assert.deepEqual(await searchOf(index, wanted), expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('search: goes through a large index in steps, of several devices in one order', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = Array.from({ length: 4_000 }, (_none, at) => `album/${String(at).padStart(5, '0')}.jpg`)
  await index.records.updateLocal(names.map((name) => file(name)))
  const theirs = names.filter((_name, at) => at % 3 === 0 || at > 3_000)
  await index.records.updateRemote(
    A,
    theirs.map((name, at) => file(name, { sequence: at + 1, version: version(2) })),
  )
  const rare = await index.listing.search('03999', '').step(200)
  assert.deepEqual(rare.found, [])
  assert.ok(rare.searchedTo !== undefined && rare.searchedTo < 'album/01600', 'other work runs before the rest is read')
  assert.deepEqual(await searchOf(index, '03999'), ['album/03999.jpg'])
  assert.deepEqual(await searchOf(index, '.JPG'), names)
  const [search, all] = [index.listing.search('.jpg', ''), [] as string[]]
  for (let searchedTo: string | undefined = ''; searchedTo !== undefined;) {
    const step: SearchStep = await search.step(4_000)
    all.push(...step.found)
    searchedTo = step.searchedTo
  }
  assert.deepEqual([all.length, search.searched], [4_000, 4_000])
  assert.deepEqual(all, names)
})

test('search: a name is found once, also when its winner changes between two steps', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = Array.from({ length: 1_200 }, (_none, at) => `f${String(at).padStart(5, '0')}`)
  await index.records.updateLocal(names.map((name) => file(name)))
  await index.records.updateRemote(A, [file(names[900]!, { sequence: 1, version: version(2) })])
  const search = index.listing.search('f00900', '')
  const first = await search.step(10)
  assert.deepEqual(first.found, [], 'it is behind what has been read of our names')
  await index.records.updateLocal([file(names[900]!, { version: version(3) })])
  const second = await search.step(10)
  assert.deepEqual(second.found, [names[900]])
})
