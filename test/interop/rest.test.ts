import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { missingIn } from '../support/json-shape.ts'
import type { Reply } from '../support/rest.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { addFolder, Pair, type Side } from './pair.ts'
import { EXCHANGES, type Exchange } from './rest-exchanges.ts'

const skip = missingSyncthing() ?? false

const scratch = scratchDirectory()
let pair: Pair

before(async () => {
  if (skip !== false) return
  pair = await Pair.start(scratch.path)
  for (const side of pair.both) {
    const root = join(scratch.path, `${side.name}-share`)
    mkdirSync(join(root, 'sub', 'deeper'), { recursive: true })
    for (const name of ['a.txt', 'b.tmp', 'sub/c.txt', 'sub/deeper/d.txt']) writeFileSync(join(root, name), name)
    for (const name of ['a.txt', 'b.tmp', 'sub/c.txt', 'sub/deeper/d.txt', 'sub/deeper', 'sub'])
      utimesSync(join(root, name), 1_614_834_367, 1_614_834_367)
    await addFolder(side, root)
    const other = {
      id: 'paused',
      path: join(scratch.path, `${side.name}-paused`),
      paused: true,
      fsWatcherEnabled: false,
    }
    assert.equal((await side.request('POST', '/rest/config/folders', other)).status, 200)
  }
})

after(async () => {
  await pair?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

for (const [index, exchange] of EXCHANGES.entries()) {
  const { method, path, differs } = exchange
  const note = differs === undefined ? '' : `, differs: ${differs.because}`
  test(`${index + 1}. ${method} ${path}${note}`, { skip }, async () => {
    const ours = await send(pair.twinfold, exchange)
    if (differs !== undefined) assert.equal(ours.status, differs.status, ours.text)
    if (exchange.oursOnly === true) return
    const theirs = await send(pair.syncthing, exchange)
    if (differs !== undefined) {
      assert.notEqual(theirs.status, differs.status, 'no difference any more: take it off the list')
      return
    }
    compare(ours, theirs, exchange)
  })
}

function send(side: Side, { method, path, body, apiKey }: Exchange): Promise<Reply> {
  return side.request(method, path, body, apiKey)
}

/** Headers on which clients depend. Values that name the device or the moment are left out. */
const HEADERS = [
  'allow',
  'location',
  'cache-control',
  'pragma',
  'x-content-type-options',
  'x-frame-options',
  'x-xss-protection',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
]

/** Syncthing 1.x lists directories and symlinks with 128 bytes, 2.x and we with none. */
function withoutItemSizes(text: string): string {
  return text.replace(/"size": 128,(\s*"type": "FILE_INFO_TYPE_(?:DIRECTORY|SYMLINK))/g, '"size": 0,$1')
}

function compare(ours: Reply, theirs: Reply, { binary, exact, without = [] }: Exchange): void {
  if (binary === true) assert.ok(ours.text.length > 0)
  assert.equal(ours.status, theirs.status, ours.text)
  assert.equal(ours.contentType, theirs.contentType)
  for (const header of HEADERS) assert.equal(ours.headers[header], theirs.headers[header], header)
  if (exact === true) assert.equal(ours.text, withoutItemSizes(theirs.text))
  if (theirs.contentType.includes('json') && theirs.text !== '') {
    assert.deepEqual(missingIn(JSON.parse(ours.text), JSON.parse(theirs.text), new Set(without)), [])
  }
}
