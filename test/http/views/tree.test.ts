/** The tree of `GET /rest/db/browse`, formatted in pieces. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hub } from '../../../src/model/model.ts'
import { formatJson } from '../../../src/http/pipeline/json.ts'
import { treeJson } from '../../../src/http/views/tree.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { fakeRest } from '../fakes.ts'

type TreeEntry = Awaited<ReturnType<Hub['browse']>>[number]

const NAMES = ['a', 'b"c', '<script>&', 'ü\u2028', '\n', '日本', '\ud800', 'x'.repeat(200)]

function randomTree(random: SimRandom, depth: number): TreeEntry[] {
  return Array.from({ length: random.int(5) }, () => ({
    name: NAMES[random.int(NAMES.length)]!,
    type: (['file', 'directory', 'symlink'] as const)[random.int(3)]!,
    sizeBytes: random.int(1_000_000),
    modifiedS: random.int(2_000_000_000),
    modifiedNs: random.int(1_000_000_000),
    children: depth === 0 ? [] : randomTree(random, depth - 1),
  }))
}

/** The plain way, whose parts are known from the captured replies of Syncthing. */
function plain(entries: readonly TreeEntry[]): unknown {
  const fields = (entry: TreeEntry) => JSON.parse([...treeJson([{ ...entry, children: [] }])].join(''))[0]
  return entries.map((entry) => ({
    ...fields(entry),
    ...(entry.children.length > 0 && { children: plain(entry.children) }),
  }))
}

test('pieces together are the text that formatting at once gives', () => {
  const random = new SimRandom(7)
  let pieces = 0
  for (let i = 0; i < 40; i++) {
    const tree = randomTree(random, 6)
    const texts = [...treeJson(tree)]
    pieces = Math.max(pieces, texts.length)
    assert.equal(texts.join(''), formatJson(plain(tree)))
    for (const text of texts) assert.ok(text.length < 128 * 1024, `${text.length}`)
  }
  assert.ok(pieces > 2, 'some trees have several pieces')
  assert.equal([...treeJson([])].join(''), '[]\n')
})

test('a tree of any depth is formatted', () => {
  let tree: TreeEntry[] = []
  for (let i = 0; i < 3_000; i++) {
    tree = [{ name: 'd', type: 'directory', sizeBytes: 0, modifiedS: 0, modifiedNs: 0, children: tree }]
  }
  assert.equal([...treeJson(tree)].join('').match(/"name"/g)?.length, 3_000)
})

test('other requests are served while a large tree is formatted; a small one has its length', async () => {
  const entry: TreeEntry = { name: 'f', type: 'file', sizeBytes: 1, modifiedS: 0, modifiedNs: 0, children: [] }
  const sizes = { large: 20_000, small: 20 }
  for (const [name, count] of Object.entries(sizes)) {
    const { send, slept, routes } = fakeRest({
      hub: { browse: async () => Array.from({ length: count }, () => entry) },
    })
    assert.ok((await routes()).length > 50)
    const reply = await send('GET', '/rest/db/browse?folder=share')
    assert.equal(JSON.parse(reply.body).length, count)
    const turns = slept.filter((timeMs) => timeMs === 0).length
    if (name === 'small') assert.equal(turns, 0)
    else assert.ok(turns >= reply.body.length / (128 * 1024) - 2, `${turns} turns for ${reply.body.length} bytes`)
  }
})
