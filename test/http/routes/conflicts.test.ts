import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

const COPY = 'plan.sync-conflict-20250102-030405-ABCDEFG.txt'
const WANTED = { keep: 'copy', names: [COPY], mayRemove: false }

test('conflicts are resolved as the body says, and the reply has the reasons of those that are not', async () => {
  const calls: string[] = []
  const resolveConflicts = async (folder: string, copies: readonly string[], choice: object) => {
    calls.push(JSON.stringify([folder, copies, choice]))
    return new Map([[COPY, 'it is gone']])
  }
  const { send } = fakeRest({ hub: { resolveConflicts } })
  const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(WANTED))
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [200, { [COPY]: 'it is gone' }])
  assert.deepEqual(calls, [JSON.stringify(['share', [COPY], { keep: 'copy', mayRemove: false }])])
})

test('a body that is not complete changes nothing', async () => {
  const { send, calls } = fakeRest()
  for (const [body, message] of [
    ['', /JSON/],
    ['[]', /must be an object/],
    [JSON.stringify({ ...WANTED, keep: 'both' }), /keep must be one of/],
    [JSON.stringify({ keep: 'copy', names: [COPY] }), /mayRemove is missing/],
    [JSON.stringify({ ...WANTED, names: COPY }), /names must be a list/],
    [JSON.stringify({ ...WANTED, names: [1] }), /names\[0\] must be/],
    [JSON.stringify({ ...WANTED, names: Array(501).fill(COPY) }), /names must be at most 500/],
  ] as const) {
    const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', body)
    assert.equal(reply.status, 400, body.slice(0, 60))
    assert.match(reply.body, message)
  }
  assert.equal((await send('POST', '/rest/twinfold/conflicts', JSON.stringify(WANTED))).status, 400)
  assert.deepEqual(calls, [])
})

test('an unknown or paused folder is named', async () => {
  for (const [code, status] of [
    ['folder-missing', 404],
    ['folder-not-running', 404],
  ] as const) {
    const resolveConflicts = async () => {
      throw new TwinfoldError(code, 'reason')
    }
    const { send } = fakeRest({ hub: { resolveConflicts } })
    const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(WANTED))
    assert.equal(reply.status, status, code)
  }
})
