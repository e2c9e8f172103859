import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { PullOrder } from '../../../src/core/config/config.ts'
import { placesForPull, shareBlocks, shuffled, type FolderShare } from '../../../src/core/records/pull-order.ts'

interface OrderedFile {
  readonly name: string
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
}

function sortForPull(
  list: readonly OrderedFile[],
  order: PullOrder,
  chance: (below: number) => number,
  share?: FolderShare,
): readonly OrderedFile[] {
  const places = placesForPull(
    {
      count: list.length,
      name: (place) => list[place]!.name,
      sizeBytes: (place) => list[place]!.sizeBytes,
      modifiedS: (place) => list[place]!.modifiedS,
      modifiedNs: (place) => list[place]!.modifiedNs,
    },
    order,
    chance,
    share,
  )
  return Array.from(places, (place) => list[place]!)
}

const files = [
  { name: 'b', sizeBytes: 3, modifiedS: 5, modifiedNs: 0 },
  { name: 'a', sizeBytes: 9, modifiedS: 5, modifiedNs: 1 },
  { name: 'c', sizeBytes: 1, modifiedS: 1, modifiedNs: 9 },
]
const first = () => 0

const cases: readonly [PullOrder, string][] = [
  ['alphabetic', 'abc'],
  ['smallestFirst', 'cba'],
  ['largestFirst', 'abc'],
  ['oldestFirst', 'cba'],
  ['newestFirst', 'abc'],
]
for (const [order, expected] of cases) {
  test(`files ${order}`, () =>
    assert.equal(
      sortForPull(files, order, first)
        .map(({ name }) => name)
        .join(''),
      expected,
    ))
}

test('a random order holds every file once, and every order occurs', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.infiniteStream(fc.nat()), (items, numbers) => {
      const mixed = shuffled(items, (below) => (numbers.next().value ?? 0) % below)
      assert.deepEqual([...mixed].sort(), [...items].sort())
    }),
  )
  const seen = new Set<string>()
  for (let i = 0; i < 6; i++) seen.add(shuffled([1, 2, 3], (below) => (below === 3 ? i % 3 : i % 2)).join())
  assert.equal(seen.size, 6)
})

test('files random: every file once, those of one directory together, and any directory may be first', () => {
  const names = ['a/1', 'top', 'b/1', 'a/2', 'b/2', 'a/b/1', 'a/3']
  const many = names.map((name) => ({ name, sizeBytes: 1, modifiedS: 1, modifiedNs: 0 }))
  const seenFirst = new Set<string>()
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
      const mixed = sortForPull(many, 'random', (below) => (numbers.next().value ?? 0) % below).map(({ name }) => name)
      assert.deepEqual([...mixed].sort(), [...names].sort())
      const directories = mixed.map((name) => name.slice(0, name.lastIndexOf('/') + 1))
      const changes = directories.filter((directory, i) => directory !== directories[i - 1])
      assert.equal(changes.length, new Set(directories).size, mixed.join())
      seenFirst.add(mixed[0] ?? '')
    }),
  )
  assert.ok(seenFirst.size > 3, [...seenFirst].join())
})

test('blocks: all of them once, in order, mixed, or our own share first', () => {
  const blocks = [0, 1, 2, 3, 4, 5, 6, 7]
  const all = { first: blocks, others: [] }
  assert.deepEqual(shareBlocks(blocks, 'inOrder', { own: 0, count: 2 }, first), all)
  const halves = { first: [4, 5, 6, 7], others: [1, 2, 3, 0] }
  assert.deepEqual(shareBlocks(blocks, 'standard', { own: 1, count: 2 }, first), halves)
  assert.deepEqual(shareBlocks(blocks, 'standard', { own: 0, count: 1 }, first), all, 'one device has all shares')
  assert.deepEqual(shareBlocks(blocks, 'standard', { own: 0, count: 0 }, first), all)
  const thirds = { first: [0, 1, 2], others: [4, 5, 6, 7, 3] }
  assert.deepEqual(shareBlocks(blocks, 'standard', { own: 0, count: 3 }, first), thirds)
  assert.deepEqual(shareBlocks([7, 3], 'random', { own: 0, count: 1 }, first), { first: [3, 7], others: [] })
  fc.assert(
    fc.property(
      fc.nat(50),
      fc.constantFrom('standard', 'random', 'inOrder'),
      fc.nat(5),
      fc.integer({ min: 1, max: 6 }),
      (length, order, own, count) => {
        const numbers = Array.from({ length }, (_, i) => i)
        const shares = shareBlocks(numbers, order, { own, count }, (below) => below - 1)
        assert.deepEqual(
          [...shares.first, ...shares.others].sort((a, b) => a - b),
          numbers,
        )
      },
    ),
  )
})

test('files random: devices that need the same files begin with different ones, also those of a source', () => {
  const names = Array.from({ length: 600 }, (_, i) => `photo ${i}.jpg`)
  const many = names.map((name) => ({ name, sizeBytes: 1, modifiedS: 1, modifiedNs: 0 }))
  const devices = ['SOURCE', 'A', 'B', 'C', 'D', 'E']
  const orders = devices
    .slice(1)
    .map((own) => sortForPull(many, 'random', (below) => below - 1, { own, devices }).map(({ name }) => name))
  for (const order of orders) assert.deepEqual([...order].sort(), [...names].sort())
  const firsts = orders.flatMap((order) => order.slice(0, 80))
  assert.equal(new Set(firsts).size, firsts.length, 'what each device begins with')
  const half = orders.flatMap((order) => order.slice(0, 110))
  // Orders that know nothing of each other would have 380 of the 600 files in these 550 places.
  assert.ok(new Set(half).size > 450, `${new Set(half).size} of ${half.length} different`)
})

test('files random: with one other device nothing is divided', () => {
  const names = ['a/1', 'b/1', 'a/2', 'b/2', 'a/3', 'b/3']
  const many = names.map((name) => ({ name, sizeBytes: 1, modifiedS: 1, modifiedNs: 0 }))
  const share = { own: 'A', devices: ['A', 'B'] }
  const sorted = sortForPull(many, 'random', (below) => below - 1, share).map(({ name }) => name)
  assert.deepEqual(sorted, ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3'])
})
