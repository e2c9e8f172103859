import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { keptFileOf } from '../../../src/core/records/kept-file.ts'
import { recordFor } from '../../model/puller/sim-peer.ts'
import { fakeRest } from '../fakes.ts'

const PATH = '/rest/twinfold/kept?folder=share'

test('kept files are listed with who deleted them and when', async () => {
  const file = keptFileOf(recordFor('a', 'abc', []), { ...recordFor('a', '', [], { deleted: true }), modifiedS: 60 })
  const { send } = fakeRest({ hub: { kept: async () => ({ total: 7, bytes: 9, items: [file] }) } })
  const reply = await send('GET', `${PATH}&page=2&perpage=1`)
  assert.deepEqual(JSON.parse(reply.body), {
    total: 7,
    bytes: 9,
    page: 2,
    perpage: 1,
    items: [
      {
        name: 'a',
        sizeBytes: 3,
        modified: '2023-11-14T22:13:20.123456789Z',
        deleted: '1970-01-01T00:01:00Z',
        deletedBy: 'BEEQSCI',
      },
    ],
  })
})

test('kept files are changed by name or all at once, and a wrong body changes nothing', async () => {
  const { send, calls } = fakeRest()
  for (const [body, status] of [
    ['{"action": "bring-back", "names": ["a"]}', 200],
    ['{"action": "delete"}', 200],
    ['{"action": "other"}', 400],
    ['{"names": ["a"]}', 400],
    [JSON.stringify({ action: 'delete', names: Array.from({ length: 10_001 }, () => 'a') }), 400],
  ] as const) {
    assert.equal((await send('POST', PATH, body)).status, status, body.slice(0, 40))
  }
  assert.deepEqual(calls, ['bring-back share ["a"]', 'delete share undefined'])
})

test('of a paused folder nothing is known', async () => {
  const kept = async () => {
    throw new TwinfoldError('folder-paused', 'folder is paused')
  }
  const { send } = fakeRest({ hub: { kept } })
  const reply = await send('GET', PATH)
  assert.deepEqual([reply.status, reply.body.trim()], [409, 'folder is paused'])
})

test('an encrypted folder neither collects nor shares ignores', async () => {
  const { send } = fakeRest({ folder: { type: 'receiveencrypted' } })
  for (const name of ['collect', 'sharedIgnores']) {
    const reply = await send('PATCH', '/rest/twinfold/settings', `{"folders": {"share": {"${name}": true}}}`)
    assert.equal(reply.status, 400)
    assert.match(reply.body, /an encrypted folder has neither/)
  }
})
