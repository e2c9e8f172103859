import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import type { SearchOptions } from '../../src/client/search.ts'

interface Page {
  readonly names: readonly string[]
  readonly next?: string
}

/** A daemon with these replies, one after the other, and what it is asked. */
function daemonWith(pages: readonly Page[]) {
  const asked: string[] = []
  const client = new Client({
    apiKey: 'k',
    transport: async ({ path }) => {
      const { names, next } = pages[asked.push(path) - 1]!
      const items = names.map((name) => ({ folder: 'docs', name, type: 'file' }))
      return { status: 200, text: JSON.stringify({ items, searched: 10, truncated: next !== undefined, next }) }
    },
  })
  return { client, asked }
}

const PAGES = [{ names: ['a'], next: 'docs/a' }, { names: [], next: 'docs/x y' }, { names: ['z', 'zz'] }]

async function progressOf(client: Client, options: SearchOptions): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const { items, searched, isRunning, truncated } of client.find('t', options))
    all.push([items.map(({ name }) => name).join(), searched, isRunning, truncated])
  return all
}

test('a search goes on until all names are compared, and returns what is found as it comes', async () => {
  const { client, asked } = daemonWith(PAGES)
  assert.deepEqual(await progressOf(client, {}), [
    ['a', 10, true, true],
    ['a', 20, true, true],
    ['a,z,zz', 30, false, false],
  ])
  assert.deepEqual(asked, [
    '/rest/twinfold/find?text=t&limit=200',
    '/rest/twinfold/find?text=t&limit=199&from=docs%2Fa',
    '/rest/twinfold/find?text=t&limit=199&from=docs%2Fx+y',
  ])
})

test('a search ends when enough is found, and sends no request after it was left', async () => {
  const enough = daemonWith(PAGES)
  assert.deepEqual(await progressOf(enough.client, { limit: 1 }), [['a', 10, false, true]])
  assert.equal(enough.asked.length, 1)
  const left = daemonWith(PAGES)
  for await (const { items } of left.client.search('docs', 't')) {
    assert.equal(items.length, 1)
    break
  }
  assert.deepEqual(left.asked, ['/rest/twinfold/search?folder=docs&text=t&limit=200'])
})
