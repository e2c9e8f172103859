import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './fake-replies.ts'

const KEYS = '/rest/twinfold/keys'
const GRANT = {
  name: 'tray',
  scope: 'monitor',
  folders: null,
  created: '2026-11-01T00:00:00Z',
  expires: null,
  lastUsed: null,
}
const FOLDERS = { 'GET /rest/config/folders': [{ id: 'p-1', label: 'Photos' }] }

test('key add: folders by id or label, and the key alone on the output', async () => {
  const added = { ...GRANT, folders: ['p-1'], key: 'the-key' }
  const { code, out, sent } = await run('key add tray --scope operate --folder Photos --expires 90d', {
    ...FOLDERS,
    [`POST ${KEYS}`]: added,
  })
  assert.deepEqual([code, out], [0, 'the-key'])
  assert.deepEqual(sent, [`POST ${KEYS} {"name":"tray","scope":"operate","folders":["p-1"],"expires":"90d"}`])
  const json = await run('key add tray --json', { [`POST ${KEYS}`]: added })
  assert.deepEqual(JSON.parse(json.out), added)
  assert.deepEqual(json.sent, [`POST ${KEYS} {"name":"tray","scope":"monitor"}`])
})

test('key add: a folder or an expiry that cannot be meant is refused before anything is sent', async () => {
  const missing = await run('key add tray --folder nowhere', FOLDERS)
  assert.deepEqual([missing.code, missing.sent], [1, []])
})

test('key list and revoke', async () => {
  const expired = { ...GRANT, name: 'old', expires: '1999-01-01T00:00:00Z', lastUsed: '1998-01-01T00:00:00Z' }
  const { out } = await run('key list', { [`GET ${KEYS}`]: [GRANT, expired] })
  assert.match(out, /^NAME +SCOPE +FOLDERS +EXPIRES +LAST USE\ntray +monitor +all +never +never\nold .* expired 1999/)
  assert.match((await run('key list', { [`GET ${KEYS}`]: [] })).out, /^No keys beside/)
  const revoked = await run('key revoke tray', { [`DELETE ${KEYS}/tray`]: '' })
  assert.deepEqual([revoked.code, revoked.sent], [0, [`DELETE ${KEYS}/tray`]])
})
