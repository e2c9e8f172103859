import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEN, NASTY, run, TIME } from './fake-replies.ts'

const INVITATIONS = '/rest/twinfold/invitations'
const OPEN = {
  id: '00112233aabbccdd',
  folders: ['docs'],
  type: 'sendreceive',
  created: TIME,
  expires: TIME,
  triesLeft: 5,
}
const MADE = { ...OPEN, invitation: 'twinfold://join#1abc', addresses: ['tcp://192.0.2.1:22000'] }
const JOINED = {
  device: BEN,
  name: 'ben',
  addresses: [],
  expires: TIME,
  known: false,
  folders: [{ id: 'docs', label: NASTY, type: 'sendreceive', path: '/cwd/d', new: true, exists: false }],
  warnings: [],
}

test('invite: folders by id or label, and the invitation alone on the output', async () => {
  const reply = { [`POST ${INVITATIONS}`]: MADE }
  const { code, out, err, sent } = await run('invite --folder Papers --type receiveonly --expires 2h', reply)
  assert.deepEqual([code, out], [0, MADE.invitation])
  assert.match(err, /for one device, folder "docs" as sendreceive, until 2026-11-15.* There: ".* join INVITATION"/)
  assert.deepEqual(sent, [`POST ${INVITATIONS} {"folders":["docs"],"type":"receiveonly","expires":"2h"}`])
  assert.deepEqual(JSON.parse((await run('invite --json', reply)).out), MADE)
  const missing = await run('invite --folder nowhere', reply)
  assert.deepEqual([missing.code, missing.sent], [1, []])
  assert.match((await run('invite --expires soon', reply)).err, /use minutes, hours, days or weeks/)
  assert.match((await run('invite', { [`POST ${INVITATIONS}`]: { ...MADE, addresses: [] } })).err, /no address/)
  const drawn = (await run('invite --qr', reply)).out.split('\n')
  assert.ok(drawn.length > 10 && drawn.slice(1).every((line) => /^[█▀▄ ]+$/.test(line)))
})

test('invite list and revoke', async () => {
  const { out } = await run('invite list', { [`GET ${INVITATIONS}`]: [OPEN] })
  assert.match(out, /^ID +FOLDERS +TYPE +EXPIRES\n00112233aabbccdd +docs +sendreceive +2026/)
  assert.equal((await run('invite list', { [`GET ${INVITATIONS}`]: [] })).out, 'No open invitations.')
  const revoked = await run('invite revoke x', { [`DELETE ${INVITATIONS}/x`]: '' })
  assert.deepEqual([revoked.code, revoked.sent], [0, [`DELETE ${INVITATIONS}/x`]])
})

test('join: says what was added and waits for the connection, which may come later', async () => {
  const reply = { 'POST /rest/twinfold/join': JOINED }
  const { code, out, sent } = await run('join twinfold://join#1abc --path d', reply)
  assert.equal(code, 0)
  assert.equal(out, `Added device "ben" (${BEN})\nAdded folder "docs" at /cwd/d (sendreceive)\nConnected.`)
  assert.deepEqual(sent, [
    'POST /rest/twinfold/join {"invitation":"twinfold://join#1abc","check":false,"path":"/cwd/d"}',
  ])
  let nowMs = 0
  const clock = { nowMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) }
  const away = { ...reply, 'GET /rest/system/connections': { connections: {}, total: { at: TIME } } }
  assert.match((await run('join x', away, clock)).out, /Not connected yet; dialling continues\. .* why "ben" shows/)
  assert.equal(nowMs, 15_000)
})

test('join: a check changes nothing, and "-" reads the invitation from the input', async () => {
  const known = { ...JOINED, known: true, folders: [{ ...JOINED.folders[0], new: false }], warnings: ['careful'] }
  const lines = async function* () {
    yield 'Hi,'
    yield 'twinfold://join#1abc'
  }
  const { out, err, sent } = await run(
    'join - --check',
    { 'POST /rest/twinfold/join': known },
    { inputLines: lines, interactive: false },
  )
  assert.equal(out, 'Would share folder "docs" with it, which is here at /cwd/d')
  assert.equal(err, 'Warning: careful')
  assert.deepEqual(sent, ['POST /rest/twinfold/join {"invitation":"Hi,\\ntwinfold://join#1abc","check":true}'])
})
