/** A daemon, or another program at its address, may reply anything: a command ends, and its output is harmless. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import { recordingContext } from '../support/cli.ts'
import { effort, reportRow } from '../support/effort.ts'

const COMMANDS = [
  'status',
  'status docs',
  'status --json',
  'prio docs a',
  'doctor',
  'why docs a',
  'debug',
  'debug --enable scanner',
  'events',
  'logs',
  'network',
  'folder list',
  'device list',
  'pending',
  'scan docs',
  'cat docs a',
  'get docs a --to /nonexistent/a',
]
const NASTY = ['\u001b[2J', '\r\n', '\u202e', '\0', '__proto__', 'constructor', 'x'.repeat(5_000)]

/** Values of any form, with the names of real fields and texts that do harm on a terminal. */
function hostileJson(): fc.Arbitrary<unknown> {
  const field = fc.constantFrom(
    'id',
    'name',
    'state',
    'folders',
    'devices',
    'messages',
    'when',
    'error',
    'type',
    'data',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(...NASTY, null, true, -1, 1e308, 0, ''),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(field, tie('value'), { maxKeys: 6 }),
    ),
  }))
  return value!
}

function hostileReply() {
  return fc.record({
    status: fc.constantFrom(200, 200, 200, 200, 204, 301, 400, 403, 404, 500, 0),
    text: fc.oneof(
      { arbitrary: hostileJson().map((value) => JSON.stringify(value)), weight: 6 },
      fc.constantFrom(...NASTY, '', '{', '[]', '{}', 'null', '<html>'),
    ),
  })
}

test('W-19: a command ends with an exit code whatever is replied, and prints no trace of the program', async () => {
  const replies = fc.array(hostileReply(), { minLength: 1, maxLength: 6 })
  const property = fc.asyncProperty(fc.constantFrom(...COMMANDS), replies, async (command, given) => {
    let next = 0
    let sleeps = 0
    const client = new Client({ transport: async () => given[next++ % given.length]!, apiKey: 'key' })
    const stop = new AbortController()
    const { context, err } = recordingContext(client, {
      signal: stop.signal,
      // A command that polls goes on until it is interrupted.
      sleep: async () => {
        if (++sleeps > 20) stop.abort()
        await new Promise((resolve) => setImmediate(resolve))
      },
    })
    const code = await runCli(context, command.split(' '))
    assert.ok(Number.isInteger(code) && code >= 0 && code < 256, `${code}`)
    assert.doesNotMatch(err.join('\n'), /\n\s+at .*\.ts:\d/)
  })
  await fc.assert(property, { numRuns: effort(300) })
  reportRow({ id: 'W-19', part: 'commands', tried: effort(300) })
})

test('W-19: a typed call rejects with a ClientError only', async () => {
  const names = Object.keys(ROUTES).filter((name) => name.startsWith('GET ') && !name.includes(':'))
  const property = fc.asyncProperty(fc.constantFrom(...names), hostileReply(), async (name, reply) => {
    const client = new Client({ transport: async () => reply, apiKey: 'key' })
    const query = { folder: 'a', file: 'b', device: 'c' }
    try {
      await client.request('GET', name.slice('GET '.length))
      await client.call(name as 'GET /rest/db/file', { query })
    } catch (error) {
      assert.ok(error instanceof ClientError, `${name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })
  await fc.assert(property, { numRuns: effort(300) })
  reportRow({ id: 'W-19', part: 'typed calls', tried: effort(300) })
})
