/** Long lists: which rows and pages are in sight, and how a tree of paged directories becomes rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pagesInSight, rowCount, treeRowsIn, type Tree } from '../../gui/view-model/tree-rows.ts'
import { pagesOf, visibleRows } from '../../gui/base/visible-rows.ts'
import { PagedLists, type AdjacentItems, type FetchedPage } from '../../gui/live/paged.ts'
import { treeStep } from '../../gui/pages/folder/tree-keys.ts'
import type { ItemJson } from '../../src/rest/twinfold.ts'

const VIEWS: readonly [what: string, topPx: number, count: number, first: number, end: number][] = [
  ['at the top', 0, 20_000, 0, 36],
  ['below a head', 300, 20_000, 0, 30],
  ['in the middle', -32_000, 20_000, 990, 1_038],
  ['at the end', -639_000, 20_000, 19_962, 20_000],
  ['far beyond the end', -900_000, 20_000, 20_000, 20_000],
  ['not reached yet', 5_000, 20_000, 0, 0],
  ['a short list', 0, 50, 0, 50],
  ['a short list, not reached yet', 5_000, 50, 0, 50],
  ['not a short list', 5_000, 51, 0, 0],
  ['an empty list', 0, 0, 0, 0],
]

for (const [what, topPx, count, first, end] of VIEWS)
  test(`visible rows: ${what}`, () => assert.deepEqual(visibleRows(topPx, 900, 32, count), { first, end }))

test('a scroll by one row renders nothing anew', () =>
  assert.deepEqual(visibleRows(-32_000, 900, 32, 20_000), visibleRows(-32_032, 900, 32, 20_000)))

test('the pages of a range', () => {
  assert.deepEqual(pagesOf({ first: 0, end: 40 }, 200), [1])
  assert.deepEqual(pagesOf({ first: 199, end: 201 }, 200), [1, 2])
  assert.deepEqual(pagesOf({ first: 400, end: 600 }, 200), [3])
  assert.deepEqual(pagesOf({ first: 5, end: 5 }, 200), [])
})

const item = (name: string, isDirectory = false) =>
  ({ name, type: isDirectory ? 'directory' : 'file', children: isDirectory }) as ItemJson
const list = (total: number, ...pages: readonly (readonly [number, readonly ItemJson[]])[]) =>
  ({ total, truncated: false, pages: new Map(pages), error: undefined }) as const

/** The root has 7 entries, the first two pages loaded; `d` and `d/e` are open. */
const TREE: Tree = {
  perPage: 2,
  open: new Set(['d', 'd/e', 'gone']),
  lists: new Map([
    ['', list(7, [1, [item('d', true), item('x', true)]], [2, [item('a'), item('b')]])],
    ['d', list(3, [1, [item('e', true), item('f')]])],
    ['d/e', list(1, [1, [item('g')]])],
  ]),
}

test('an open directory is followed by its rows; rows of pages that are not loaded keep their place', () => {
  assert.equal(rowCount(TREE), 11)
  const shown = treeRowsIn(TREE, { first: 0, end: 11 }).map(({ level, item: known, expanded }) =>
    [level, known?.name ?? '…', expanded ?? ''].join(' ').trim(),
  )
  const expected = '1 d true, 2 e true, 3 g, 2 f, 2 …, 1 x false, 1 a, 1 b, 1 …, 1 …, 1 …'
  assert.equal(shown.join(', '), expected)
  assert.deepEqual(
    treeRowsIn(TREE, { first: 3, end: 6 }).map(({ index, path }) => [index, path]),
    [
      [3, 'd/f'],
      [4, 'd/#2'],
      [5, 'x'],
    ],
  )
})

test('every range of rows is the same part of all rows', () => {
  const all = treeRowsIn(TREE, { first: 0, end: 11 })
  for (let first = 0; first <= 11; first++)
    for (let end = first; end <= 12; end++) assert.deepEqual(treeRowsIn(TREE, { first, end }), all.slice(first, end))
})

test('only the pages in sight are wanted', () => {
  const pages = (first: number, end: number) => Object.fromEntries(pagesInSight(TREE, { first, end }))
  assert.deepEqual(pages(0, 3), { '': [1], d: [1], 'd/e': [1] })
  assert.deepEqual(pages(4, 5), { '': [], d: [2] })
  assert.deepEqual(pages(7, 11), { '': [2, 3, 4] })
})

test('keys walk the tree by rows, also those that are not rendered', () => {
  const step = (key: string, at: number) => treeStep(key, treeRowsIn(TREE, { first: at, end: at + 1 })[0]!, TREE, 11)
  assert.deepEqual(step('ArrowDown', 0), { index: 1 })
  assert.deepEqual(step('ArrowUp', 0), { index: 0 })
  assert.deepEqual(step('End', 0), { index: 10 })
  assert.deepEqual(step('Home', 9), { index: 0 })
  assert.deepEqual(step('PageDown', 0), { index: 10 })
  assert.deepEqual(step('ArrowRight', 5), { toggle: 'x' })
  assert.deepEqual(step('ArrowRight', 0), { index: 1 })
  assert.deepEqual(step('ArrowRight', 2), {})
  assert.deepEqual(step('ArrowLeft', 0), { toggle: 'd' })
  assert.deepEqual(step('ArrowLeft', 2), { index: 1 })
  assert.deepEqual(step('ArrowLeft', 3), { index: 0 })
  assert.deepEqual(step('ArrowLeft', 6), {})
  assert.deepEqual(step('Enter', 3), { open: 'd/f' })
  assert.deepEqual(step(' ', 5), { toggle: 'x' })
  assert.equal(step('x', 0), undefined)
})

interface Asked {
  readonly id: string
  readonly beside: AdjacentItems<string>
  readonly reply: (page: FetchedPage<string>) => Promise<void>
}

/** A source of pages whose replies the test gives. */
function source() {
  const asked: Asked[] = []
  const lists = new PagedLists<string>(
    (key, page, _signal, beside) =>
      new Promise((resolve) => {
        const reply = async (given: FetchedPage<string>) => {
          resolve(given)
          await new Promise(setImmediate)
        }
        asked.push({ id: `${key}${page}`, beside, reply })
      }),
  )
  const pagesOfA = () => Object.fromEntries(lists.lists.get().get('a')?.pages ?? [])
  return { lists, asked, pagesOfA }
}

test('a page is fetched once; after a change those in sight again, the others when they come into sight', async () => {
  const { lists, asked, pagesOfA } = source()
  lists.need('a', 1)
  lists.need('a', 1)
  assert.deepEqual(
    asked.map(({ id }) => id),
    ['a1'],
  )
  await asked[0]!.reply({ total: 3, items: ['x', 'y'] })
  lists.need('a', 1)
  lists.need('a', 2)
  await asked[1]!.reply({ total: 3, items: ['z'] })
  assert.deepEqual(pagesOfA(), { 1: ['x', 'y'], 2: ['z'] })
  lists.refresh(new Map([['a', [2]]]))
  assert.deepEqual(pagesOfA(), { 1: ['x', 'y'], 2: ['z'] }, 'nothing jumps meanwhile')
  await asked[2]!.reply({ total: 4, items: ['z', 'new'] })
  assert.deepEqual(
    [asked[2]!.id, pagesOfA(), lists.lists.get().get('a')?.total],
    ['a2', { 1: ['x', 'y'], 2: ['z', 'new'] }, 4],
  )
  lists.need('a', 2)
  lists.need('a', 1)
  assert.deepEqual(
    asked.slice(3).map(({ id }) => id),
    ['a1'],
  )
})

test('a page is fetched next to a loaded one, unless that may have changed', async () => {
  const { lists, asked } = source()
  lists.need('a', 5)
  await asked[0]!.reply({ total: 900, items: ['k', 'l'] })
  lists.need('a', 6)
  lists.need('a', 4)
  lists.need('a', 7)
  lists.need('b', 6)
  assert.deepEqual(
    asked.slice(1).map(({ id, beside }) => [id, beside.after, beside.before]),
    [
      ['a6', 'l', undefined],
      ['a4', undefined, 'k'],
      ['a7', undefined, undefined],
      ['b6', undefined, undefined],
    ],
  )
  await asked[1]!.reply({ total: 900, items: [] })
  lists.refresh(new Map([['a', [5, 6]]]))
  assert.deepEqual(
    asked.slice(5).map(({ id, beside }) => [id, beside.after, beside.before]),
    [
      ['a5', undefined, undefined],
      ['a6', undefined, undefined],
    ],
  )
})

test('a change during a request leads to one more request, and nothing is shown after the end', async () => {
  const { lists, asked, pagesOfA } = source()
  lists.need('a', 1)
  lists.refresh(new Map([['a', [1]]]))
  assert.equal(asked.length, 1)
  await asked[0]!.reply({ total: 1, items: ['old'] })
  assert.equal(asked.length, 2)
  lists.end()
  await asked[1]!.reply({ total: 1, items: ['new'] })
  assert.deepEqual(pagesOfA(), { 1: ['old'] })
})

test('W-20: a reply that is no list is an error, and what was loaded stays', async () => {
  const { lists, asked, pagesOfA } = source()
  lists.need('a', 1)
  await asked[0]!.reply({ total: 2, items: ['x'] })
  for (const page of [
    { total: 'many', items: [] },
    { total: -1, items: [] },
    { total: 2 },
    { items: [] },
    { total: 2, items: {} },
  ]) {
    lists.refresh(new Map([['a', [1]]]))
    await asked.at(-1)!.reply(page as unknown as FetchedPage<string>)
    assert.match(String(lists.lists.get().get('a')?.error), /unexpected form/)
    assert.deepEqual(pagesOfA(), { 1: ['x'] })
  }
})

test('a page that fails is not requested again before the next change', async () => {
  let count = 0
  const lists = new PagedLists<string>(async () => {
    count++
    throw new Error('refused')
  })
  lists.need('a', 1)
  await new Promise(setImmediate)
  lists.need('a', 1)
  assert.equal(count, 1)
  lists.refresh(new Map([['a', [1]]]))
  assert.equal(count, 2)
})
