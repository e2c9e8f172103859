import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEN, NASTY, OFFERS, run, settingsOfNew } from './fake-replies.ts'

const ROUTE = '/rest/twinfold/selection?folder=docs'
const NONE = { files: 0, bytes: 0 }

const effect = (more: object = {}) => ({
  preview: true,
  freed: NONE,
  fetched: NONE,
  onlyHere: { ...NONE, examples: [] },
  holders: {},
  overruled: [],
  left: {},
  truncated: false,
  ...more,
})

const FREED = effect({ freed: { files: 3, bytes: 2_000_000 }, holders: { [BEN]: { files: 3, bytes: 2_000_000 } } })
const answer = (line: string) => ({
  interactive: true,
  inputLines: async function* () {
    yield line
  },
})

test('drop: the preview is printed, and nothing is done without consent', async () => {
  const replies = { [`POST ${ROUTE}`]: FREED }
  const silent = await run('drop docs a', replies)
  assert.equal(silent.code, 1)
  assert.match(silent.err, /use --yes to agree/)
  assert.deepEqual(silent.sent, [`POST ${ROUTE} {"drop":["a"],"preview":true}`])
  const refused = await run('drop docs a', replies, answer('n'))
  assert.deepEqual([refused.code, refused.sent.length], [1, 1])
  assert.match(refused.err, /Nothing was changed/)
  const agreed = await run('drop docs a b/c', replies, answer('y'))
  assert.deepEqual(agreed.sent, [
    `POST ${ROUTE} {"drop":["a","b/c"],"preview":true}`,
    `POST ${ROUTE} {"drop":["a","b/c"],"force":false}`,
  ])
  assert.match(agreed.out, /Frees on this device: 3 files, 1\.91 MiB/)
  assert.match(agreed.out, /ben has 3 files/)
  assert.match(agreed.out, /Nothing was deleted on other devices/)
  assert.equal((await run('drop docs a --yes', replies)).code, 0)
})

test('drop: files that are only here are named and not dropped, unless it is forced', async () => {
  const onlyHere = { files: 2, bytes: 5, examples: [NASTY, 'a/b'] }
  const replies = { [`POST ${ROUTE}`]: effect({ freed: { files: 3, bytes: 9 }, onlyHere }) }
  const refused = await run('drop docs a --yes', replies)
  assert.deepEqual([refused.code, refused.sent.length], [1, 1])
  assert.match(refused.err, /2 files are on no other device; wait .*--force/)
  assert.match(refused.out, /Only on this device: 2 files/)
  assert.ok(!refused.out.includes('\x1b'), 'a name cannot control the terminal')
  const forced = await run('drop docs a --yes --force', replies)
  assert.deepEqual([forced.code, forced.sent.length], [0, 2])
  assert.match(forced.sent[1]!, /"force":true/)
})

test('keep: what stays and what a line of the user decides is said', async () => {
  const overruled = [{ path: 'a', line: '*.tmp' }]
  const left = { 'a/b': 'file modified' }
  const kept = await run('keep docs a --yes', {
    [`POST ${ROUTE}`]: effect({ fetched: { files: 1, bytes: 4 }, overruled, left, truncated: true }),
  })
  assert.equal(kept.code, 4)
  assert.match(kept.out, /Fetches from other devices: At least 1 file, 4 B/)
  assert.match(kept.err, /a: your own line "\*\.tmp" in \.stignore decides on it\na\/b stays here: file modified/)
  const json = await run('keep docs a --yes --json', { [`POST ${ROUTE}`]: effect() })
  assert.deepEqual((JSON.parse(json.out) as { folder: string }).folder, 'docs')
})

test('selection: entries, nothing chosen, and a section that cannot be read', async () => {
  const selection = (more: object) => ({ [`GET ${ROUTE}`]: { entries: [], removing: false, error: null, ...more } })
  assert.match((await run('selection docs', selection({}))).out, /Everything of folder "docs" is kept/)
  const entries = [
    { path: 'a/b', state: 'kept', reason: 'made-here' },
    { path: '', state: 'dropped', reason: 'chosen' },
  ]
  const listed = await run('selection docs', selection({ entries, removing: true }))
  assert.match(listed.out, /kept +a\/b +made here\ndropped +\(everything\)/)
  assert.match(listed.out, /removed as soon as the folder runs/)
  const broken = await run('selection docs', selection({ error: 'has no end' }))
  assert.deepEqual([broken.code, broken.err], [4, 'has no end'])
  assert.equal((await run('selection docs --json', selection({ entries }))).out.includes('"folder": "docs"'), true)
})

test('nothing yet: the folder is added paused, and runs when that is recorded', async () => {
  const done = (folder: string) => ({ [`POST /rest/twinfold/selection?folder=${folder}`]: effect() })
  const added = (await run('pending accept music --path here --nothing-yet', { ...OFFERS, ...done('music') })).sent
  assert.equal(added.length, 4)
  assert.match(added[0]!, /^POST \/rest\/config\/folders .*"paused":true/)
  assert.equal(added[1], settingsOfNew('music'))
  assert.equal(added[2], 'POST /rest/twinfold/selection?folder=music {"drop":[""]}')
  assert.equal(added[3], 'PATCH /rest/config/folders/music {"paused":false}')
  const paused = (await run('folder add Photos --id docs2 --paused --nothing-yet --safety off', done('docs2'))).sent
  assert.deepEqual(
    paused.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['POST /rest/config/folders', 'POST /rest/twinfold/selection?folder=docs2'],
  )
})
