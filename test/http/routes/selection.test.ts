import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

const ROUTE = '/rest/twinfold/selection?folder=share'
const PEER = deviceIdFromBytes(new Uint8Array(32).fill(9))

test('the selection is listed in the order of its patterns, or with the reason why it cannot be read', async () => {
  const entries = [
    { path: 'a/b', state: 'kept', reason: 'made-here' },
    { path: 'a', state: 'dropped', reason: 'chosen' },
  ] as const
  const { send } = fakeRest({ hub: { selection: async () => ({ entries, isRemoving: true, error: undefined }) } })
  const reply = await send('GET', ROUTE)
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [200, { entries, removing: true, error: null }])
  const broken = fakeRest({ hub: { selection: async () => ({ entries: [], isRemoving: false, error: 'why' }) } })
  assert.equal((JSON.parse((await broken.send('GET', ROUTE)).body) as { error: string }).error, 'why')
})

test('a preview counts and changes nothing; without it both are done', async () => {
  const amount = { files: 2, bytes: 7 }
  const effect = {
    freed: amount,
    fetched: { files: 0, bytes: 0 },
    onlyHere: { files: 1, bytes: 3, examples: ['a/mine'] },
    holders: new Map([[PEER, amount]]),
    truncated: false,
  }
  const overruled = [{ path: 'a', line: '!a' }]
  const { send, calls } = fakeRest({ hub: { previewSelection: async () => ({ effect, overruled }) } })
  const preview = await send('POST', ROUTE, JSON.stringify({ drop: ['a'], preview: true }))
  const expected = { ...effect, holders: { [PEER]: amount }, overruled, left: {} }
  assert.deepEqual([preview.status, JSON.parse(preview.body)], [200, { preview: true, ...expected }])
  assert.deepEqual(calls, [])
  const done = await send('POST', ROUTE, JSON.stringify({ drop: ['a'], keep: ['a/b'], force: true }))
  assert.deepEqual(JSON.parse(done.body), { preview: false, ...expected })
  const choices = [
    { path: 'a', state: 'dropped' },
    { path: 'a/b', state: 'kept' },
  ]
  assert.deepEqual(calls, [`select share ${JSON.stringify(choices)} forced`])
})

test('a body without paths, or with too many, changes nothing', async () => {
  const { send, calls } = fakeRest()
  for (const [body, message] of [
    ['', /JSON/],
    ['{}', /keep or drop must name a path/],
    [JSON.stringify({ drop: 'a' }), /drop must be a list/],
    [JSON.stringify({ drop: ['a'], force: 'yes' }), /force must be/],
    [JSON.stringify({ drop: Array(10_001).fill('a') }), /at most 10000 paths/],
  ] as const) {
    const reply = await send('POST', ROUTE, body)
    assert.equal(reply.status, 400, body.slice(0, 60))
    assert.match(reply.body, message)
  }
  assert.deepEqual(calls, [])
})

test('a refused drop is a conflict, a path outside of the folder a wrong request', async () => {
  for (const [code, status] of [
    ['refused', 409],
    ['ignore-invalid', 409],
    ['path-escapes-folder', 400],
    ['bad-request', 400],
    ['folder-missing', 404],
  ] as const) {
    const select = async () => {
      throw new TwinfoldError(code, 'the reason')
    }
    const { send } = fakeRest({ hub: { select } })
    const reply = await send('POST', ROUTE, JSON.stringify({ drop: ['a'] }))
    assert.equal(reply.status, status, code)
  }
})
