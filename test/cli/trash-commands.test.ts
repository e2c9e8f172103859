import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NASTY, run } from './fake-replies.ts'

const TIME = '2026-11-15T10:00:00Z'
const page = (next: string | null, ...names: string[]) => ({
  files: 3,
  sizeBytes: 3 * 1_024,
  maxBytes: 1_024 * 1_024,
  next,
  items: names.map((name) => ({ name, time: TIME, sizeBytes: 1_024 })),
})
const FIRST = 'GET /rest/twinfold/trash?folder=docs&perpage=500'
const LISTED = { [FIRST]: page('b//1', 'a', NASTY), [`${FIRST}&after=b%2F%2F1`]: page(null, 'c') }

test('trash list: all pages, escaped, with what they take of the disk', async () => {
  const { code, out } = await run('trash list docs', LISTED)
  assert.equal(code, 0)
  assert.ok(!out.includes('\x1b'), out)
  assert.match(out, /^c +1\.00 KiB +2026-11-15T10:00:00Z$/m)
  assert.match(out, /In all: 3 files, 3\.00 KiB of at most 1\.00 MiB\./)
  const { out: json } = await run('trash list docs --json', LISTED)
  assert.equal((JSON.parse(json) as { items: unknown[] }).items.length, 3)
  assert.match((await run('trash list docs x', { [`${FIRST}&path=x`]: page(null) })).out, /is empty there/)
})

test('trash restore: the newest version of each; everything only with --yes', async () => {
  const asked = await run('trash restore docs', LISTED)
  assert.deepEqual([asked.code, asked.sent], [1, []])
  assert.match(asked.err, /3 files of folder "docs" would be restored on all devices; use --yes/)
  const all = await run('trash restore docs --yes', LISTED)
  assert.equal(all.sent.length, 1)
  assert.match(all.out, /Restored 3 files/)
  const failed = await run('trash restore docs a', {
    [`${FIRST}&path=a`]: page(null, 'a'),
    'POST /rest/folder/versions?folder=docs': { a: 'version not found' },
  })
  assert.deepEqual([failed.code, failed.err], [4, 'a: version not found'])
  const none = await run('trash restore docs a', { [`${FIRST}&path=a`]: page(null) })
  assert.match(none.err, /has none of them/)
})

test('trash empty: says what would be gone, and removes it only with --yes', async () => {
  const asked = await run('trash empty docs', LISTED)
  assert.deepEqual([asked.code, asked.sent], [1, []])
  assert.match(asked.err, /3 files, 3\.00 KiB of the trash of folder "docs" would be gone for good; use --yes/)
  const path = 'POST /rest/twinfold/trash/empty?folder=docs'
  const replies = { [path]: { files: 2, sizeBytes: 2_048 } }
  const emptied = await run('trash empty docs a b/c --older 2026-11-15T10:00:00Z --yes', replies)
  assert.deepEqual(emptied.sent, [`${path} {"paths":["a","b/c"],"before":"2026-11-15T10:00:00.000Z"}`])
  assert.match(emptied.out, /Removed 2 files, 2\.00 KiB/)
  assert.deepEqual((await run('trash empty docs --yes', replies)).sent, [`${path} {}`])
  const wrong = await run('trash empty docs --older soon --yes', replies)
  assert.deepEqual([wrong.code, wrong.sent], [1, []])
  assert.match(wrong.err, /flag --older: 'soon' is invalid/)
})
