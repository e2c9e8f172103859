import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { hashKey } from '../../../src/core/records/block-diff.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { blocks, deletion, DEVICES, file, FOLDER, openTestStore } from '../records.ts'

const NONE: ReadonlySet<string> = new Set()
const FILE = `folder-${Buffer.from(FOLDER).toString('hex')}.db`

/** Block number `i` of a small set of blocks. Those that differ by eight begin with the same bytes. */
function hashOf(i: number): Uint8Array {
  const hash = new Uint8Array(32).fill(i)
  hash.fill(i % 8 === 0 ? 0xff : i % 8, 0, 8)
  return hash
}

function hashesOf(list: readonly number[]): Uint8Array {
  return Buffer.concat(list.map(hashOf))
}

function splitHashes(hashes: Uint8Array | undefined): readonly string[] {
  return Array.from({ length: (hashes?.length ?? 0) / 32 }, (_, i) => hashKey(hashes!.subarray(i * 32, (i + 1) * 32)))
}

/** The expected result from the full list of our files: the latest with the first wanted block, then the rest. */
function expectedFiles(
  files: readonly FileInfo[],
  wanted: readonly Uint8Array[],
  except: ReadonlySet<string>,
  limit: number,
): string[] {
  const latestFirst = files
    .filter(({ deleted, name }) => !deleted && !except.has(name))
    .toSorted((a, b) => b.sequence - a.sequence)
  const covered = new Set<string>()
  const found: string[] = []
  for (const key of wanted.map(hashKey)) {
    if (covered.has(key) || found.length >= limit) continue
    const holder = latestFirst.find(({ blockHashes }) => splitHashes(blockHashes).includes(key))
    if (holder === undefined) continue
    found.push(holder.name)
    for (const held of splitHashes(holder.blockHashes)) covered.add(held)
  }
  return found
}

const NAMES = ['a', 'b', 'c', 'd/e', 'f']
const lists = fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 6 })
type Step =
  | { readonly do: 'write'; readonly batch: readonly (readonly [string, readonly number[] | undefined])[] }
  | { readonly do: 'theirs'; readonly name: string; readonly list: readonly number[] }
  | {
      readonly do: 'query'
      readonly wanted: readonly number[]
      readonly except: readonly string[]
      readonly limit: number
    }
  | { readonly do: 'reopen' }
const name = fc.constantFrom(...NAMES)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      batch: fc.array(fc.tuple(name, fc.option(lists, { nil: undefined })), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('theirs' as const), name, list: lists }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('query' as const),
      wanted: fc.array(fc.integer({ min: 0, max: 23 }), { maxLength: 9 }),
      except: fc.subarray(NAMES),
      limit: fc.constantFrom(1, 2, 100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)

async function names(index: FolderIndex, wanted: readonly Uint8Array[], except = NONE, limit = 100): Promise<string[]> {
  return (await index.records.localWithBlocks(wanted, { except, limit })).map((found) => found.name)
}

test('blocks: the index finds the same files as a search of all block lists', async () => {
  let queries = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      using scratch = scratchDirectory()
      let store = await openTestStore(scratch.path)
      const files = new Map<string, FileInfo>()
      let sequence = 0
      for (const each of steps) {
        const index = await store.folder(FOLDER)
        if (each.do === 'write') {
          const batch = each.batch.map(([own, list]) =>
            list === undefined ? deletion(own) : file(own, { blockHashes: hashesOf(list) }),
          )
          await index.records.updateLocal(batch)
          for (const info of batch) files.set(info.name, { ...info, sequence: ++sequence })
        } else if (each.do === 'theirs')
          await index.records.updateRemote(DEVICES[0]!, [
            file(each.name, { blockHashes: hashesOf(each.list), sequence: 5 }),
          ])
        else if (each.do === 'reopen') {
          await store[Symbol.asyncDispose]()
          store = await openTestStore(scratch.path)
        } else {
          queries++
          const wanted = each.wanted.map(hashOf)
          const except = new Set(each.except)
          assert.deepEqual(
            await names(index, wanted, except, each.limit),
            expectedFiles([...files.values()], wanted, except, each.limit),
          )
        }
      }
      await store[Symbol.asyncDispose]()
    }),
    { numRuns: effort(30, 60) },
  )
  reportRow({ id: 'block-reuse-index', tried: queries })
})

function entriesStored(directory: string): number {
  const database = new DatabaseSync(join(directory, FILE), { readOnly: true })
  const { entries } = database.prepare('SELECT COUNT(*) AS entries FROM blocks').get() as { entries: number }
  database.close()
  return entries
}

test('blocks: any block of a large file is found, also after a restart, at half the size of the hashes', async () => {
  using scratch = scratchDirectory()
  const large = ['one', 'two', 'three'].map((name) => file(name, { blockHashes: blocks(name, 40_000) }))
  const queryAll = async (index: FolderIndex) => {
    for (const { name: own, blockHashes } of large) {
      for (const i of [0, 20_000, 39_999])
        assert.deepEqual(await names(index, [blockHashes!.subarray(i * 32, (i + 1) * 32)]), [own])
    }
    const firsts = large.map(({ blockHashes }) => blockHashes!.subarray(0, 32))
    assert.deepEqual(await names(index, [...firsts, blocks('small')]), ['one', 'two', 'three', 'small'])
    assert.deepEqual(await names(index, [blocks('unknown')]), [])
  }
  const sizes: number[] = []
  for (const round of ['scan', 'query', 'query again']) {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    if (round === 'scan') await index.records.updateLocal([...large, file('small')])
    else await queryAll(index)
    await store[Symbol.asyncDispose]()
    sizes.push(statSync(join(scratch.path, FILE)).size)
  }
  assert.equal(entriesStored(scratch.path), 80_000, 'the rest is small enough to be read again at every start')
  assert.ok(sizes[2]! - sizes[0]! < 80_000 * 16, `${sizes.join(', ')} bytes`)
})

test('blocks: entries of old versions do not accumulate', async () => {
  using scratch = scratchDirectory()
  const rounds = 25
  {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    for (let round = 0; round < rounds; round++) {
      const list = blocks(`version ${round}`, 16_384)
      await index.records.updateLocal([file('disk image', { blockHashes: list })])
      assert.deepEqual(await names(index, [list.subarray(32, 64)]), ['disk image'])
    }
    assert.deepEqual(await names(index, [blocks('version 0', 1)]), [])
  }
  const entries = entriesStored(scratch.path)
  assert.ok(entries < (rounds * 16_384) / 2, `${entries} entries`)
})

test('blocks: a first scan writes no entries', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await (await store.folder(FOLDER)).records.updateLocal([file('large', { blockHashes: blocks('large', 100_000) })])
  }
  assert.equal(entriesStored(scratch.path), 0)
})
