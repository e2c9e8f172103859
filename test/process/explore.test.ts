import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { fetchTransport } from '../../src/client/transport.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const COPY = 'note.sync-conflict-20260131-235959-ABCDEFG.txt'
const DOCS = { folder: 'docs' } as const

const clientOf = ({ daemon }: Member) => new Client({ transport: fetchTransport(daemon.url), apiKey: daemon.apiKey })

/** Search, conflicts, and the preview of ignore patterns. */
async function assertQueries(page: Client): Promise<void> {
  const { items } = await page.call('GET /rest/twinfold/search', { query: { ...DOCS, text: 'TWO' } })
  assert.deepEqual(
    items.map(({ name }) => name),
    ['album/inner/two.jpg'],
  )
  const first = await page.call('GET /rest/twinfold/search', { query: { ...DOCS, text: 'jpg', limit: 1 } })
  assert.deepEqual([first.items.length, first.truncated, first.next], [1, true, first.items[0]?.name])
  const names: string[] = []
  for await (const progress of page.find('jpg', { limit: 2 })) names.push(...progress.items.map(({ name }) => name))
  assert.ok(names.includes('album/inner/two.jpg'), names.join())
  const gone = page.call('GET /rest/twinfold/search', { query: { folder: 'removed', text: 'jpg', from: first.next! } })
  await assert.rejects(gone, { status: 404 })
  const conflicts = await page.call('GET /rest/twinfold/conflicts', { query: DOCS })
  assert.deepEqual(
    conflicts.items.map(({ name, original }) => [name, original]),
    [[COPY, 'note.txt']],
  )
  const preview = await page.call('POST /rest/twinfold/ignore-preview', {
    query: DOCS,
    body: { lines: ['*.jpg', '['] },
  })
  assert.equal(preview.errorLine, 2)
  const harmless = await page.call('POST /rest/twinfold/ignore-preview', { query: DOCS, body: { lines: ['*.jpg'] } })
  assert.deepEqual([harmless.lines[0]?.matches, harmless.ignoredTotal, harmless.checkedTotal], [2, 2, 6])
}

async function assertSummary(page: Client, anna: Member, ben: Member): Promise<void> {
  const summary = await page.call('GET /rest/twinfold/summary')
  assert.equal(summary.system.myID, ben.id)
  assert.equal(summary.connections.connections[anna.id]?.connected, true)
  assert.equal(summary.folders['docs']?.completion[anna.id]?.completion, 100)
  assert.equal(summary.folders['docs']?.status.localFiles, 4)
}

test('two devices: a page gets the tree, pending items with reasons, and availability', async () => {
  using scratch = scratchDirectory()
  await using anna = await startMember(scratch.path, 'anna')
  await using ben = await startMember(scratch.path, 'ben')
  mkdirSync(join(anna.root, 'album', 'inner'), { recursive: true })
  for (const name of ['note.txt', COPY, 'album/one.jpg', 'album/inner/two.jpg'])
    writeFileSync(join(anna.root, name), name)
  await connect(anna, ben, { rescanIntervalS: 0, fsWatcherEnabled: false })
  await anna.daemon.post('/rest/db/scan?folder=docs')
  await eventually(
    'the record at ben',
    async () =>
      ((await ben.daemon.get('/rest/db/status?folder=docs')) as { globalTotalItems: number }).globalTotalItems === 6 ||
      undefined,
    60_000,
  )
  await inSync([anna, ben])
  const page = clientOf(ben)

  const tree = await page.call('GET /rest/twinfold/tree', { query: DOCS })
  assert.deepEqual(
    tree.entries.map(({ name, type, state, children }) => [name, type, state, children]),
    [
      ['album', 'directory', 'here', true],
      [COPY, 'file', 'here', undefined],
      ['note.txt', 'file', 'here', undefined],
    ],
  )
  assert.deepEqual(tree.entries[2]?.devices, [{ deviceID: anna.id, version: 'newest' }])
  const album = await page.call('GET /rest/twinfold/tree', { query: { ...DOCS, prefix: 'album', page: 2, perpage: 1 } })
  assert.deepEqual([album.total, album.entries.map(({ name }) => name)], [2, ['one.jpg']])

  await assertQueries(page)

  await assertSummary(page, anna, ben)

  // What cannot be written stays needed, and the page can show the reason.
  await page.call('PATCH /rest/config/folders/:id', { id: 'docs', body: { type: 'sendonly' } })
  writeFileSync(join(anna.root, 'new.txt'), 'new')
  await anna.daemon.post('/rest/db/scan?folder=docs')
  const waiting = await eventually(
    'the new file to wait',
    async () => {
      const found = await page.call('GET /rest/twinfold/waiting', { query: DOCS }).catch(() => undefined)
      return found?.total === 1 && found.items[0]?.holders.length === 1 ? found : undefined
    },
    60_000,
  )
  const [item] = waiting.items
  assert.deepEqual(
    [item?.name, item?.action, item?.reason.code, item?.holders],
    ['new.txt', 'download', 'send-only', [anna.id]],
  )
  const why = await page.call('GET /rest/twinfold/why', { query: { ...DOCS, file: 'new.txt' } })
  assert.deepEqual(
    [why.state, why.upToDate, why.reasons.map(({ code }) => code)],
    ['missing', false, ['send-only', 'missing', 'waiting', 'offered']],
  )
  assert.deepEqual(why.devices, [{ deviceID: anna.id, name: 'peer', connected: true, version: 'newest' }])

  await page.call('PATCH /rest/config/folders/:id', { id: 'docs', body: { paused: true } })
  const paused = await page.call('GET /rest/twinfold/waiting', { query: DOCS })
  assert.deepEqual(
    paused.items.map(({ reason }) => reason.code),
    ['paused'],
  )
})
