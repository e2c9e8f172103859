import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drive } from '../../src/cli/drive-command.ts'
import { Client } from '../../src/client/client.ts'
import { recordingContext } from '../support/cli.ts'
import { run } from './fake-replies.ts'

const SETTINGS = '/rest/twinfold/settings'
const replies = (drive: boolean, gui: object = {}) => ({
  [`GET ${SETTINGS}`]: { drive, folders: {} },
  [`PATCH ${SETTINGS}`]: { drive, folders: {} },
  'GET /rest/config/gui': { authMode: 'static', user: '', password: '', ...gui },
})

test('drive: the state, and how to switch it on', async () => {
  const { code, out, sent } = await run('drive', replies(false))
  assert.deepEqual([code, sent], [0, []])
  assert.match(out, /^The network drive is off\. "drive on"/)
})

test('drive on and off: switched, with the address and who may read it', async () => {
  const on = await run('drive on', replies(true))
  assert.deepEqual([on.code, on.sent], [0, [`PATCH ${SETTINGS} {"drive":true}`]])
  assert.match(on.out, /^The network drive is on, read-only, at http:\/\/x\/dav\/\n.*has no password/)
  const locked = await run('drive', replies(true, { user: 'alice', password: '$2a$10$x' }))
  assert.match(locked.out, /\nLog in as on the page, or with the API key as password/)
  const off = await run('drive off', replies(false))
  assert.deepEqual([off.sent, /is off/.test(off.out)], [[`PATCH ${SETTINGS} {"drive":false}`], true])
})

test('drive --json: the state and the address, none on a UNIX socket', async () => {
  assert.deepEqual(JSON.parse((await run('drive --json', replies(true))).out), {
    on: true,
    address: 'http://x/dav/',
  })
  const client = new Client({
    apiKey: 'key',
    transport: async () => ({ status: 200, text: '{"drive": true, "folders": {}}' }),
  })
  const { context, out } = recordingContext(client)
  for (const json of [true, false]) await drive(context, { client, address: 'unix:///run/x.sock' }, undefined, { json })
  assert.deepEqual(JSON.parse(out[0] ?? ''), { on: true, address: null })
  assert.match(out[1] ?? '', /UNIX socket/)
})

test('drive: another word changes nothing', async () => {
  const { code, err, sent } = await run('drive maybe', replies(true))
  assert.deepEqual([code, sent], [1, []])
  assert.match(err, /on or off|on, off/)
})
