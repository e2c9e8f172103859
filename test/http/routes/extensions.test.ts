import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLDER_EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { fakeRest } from '../fakes.ts'

const PATH = '/rest/twinfold/settings'

test('a change of one setting leaves the others', async () => {
  const { send } = fakeRest()
  const first = await send('PATCH', PATH, '{"folders": {"share": {"collect": true}}}')
  assert.deepEqual(
    [first.status, JSON.parse(first.body)],
    [200, { drive: false, folders: { share: { ...FOLDER_EXTENSIONS, collect: true } } }],
  )
  await send('PATCH', PATH, '{"drive": true}')
  const reply = await send('GET', PATH)
  assert.deepEqual(JSON.parse(reply.body), { drive: true, folders: { share: { ...FOLDER_EXTENSIONS, collect: true } } })
})

test('a body that is wrong changes nothing and names the field', async () => {
  const { send } = fakeRest()
  for (const [body, status, message] of [
    ['[]', 400, /must be an object/],
    ['{"drive": 1}', 400, /drive must be/],
    ['{"folders": {"share": {"collect": "on"}}}', 400, /folders\.….collect must be/],
    ['{"folders": {"share": {"colect": true}}}', 400, /folders\.share\.colect: there is no such setting/],
    ['{"folders": {"share": {"archiveLocal": true}}}', 400, /local deletions and edits are not archived here/],
    ['{"folders": {"other": {"collect": true}}}', 404, /no such folder/],
  ] as const) {
    const reply = await send('PATCH', PATH, body)
    assert.equal(reply.status, status, body)
    assert.match(reply.body, message)
  }
  assert.deepEqual(JSON.parse((await send('GET', PATH)).body), { drive: false, folders: {} })
})
