import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLDER_EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

const PATH = '/rest/twinfold/settings'
const DEFAULTS = { drive: false, meteredLocalOnly: false, inhibitSleep: false, folders: {} }

test('a change of one setting leaves the others', async () => {
  const { send } = fakeRest()
  const first = await send('PATCH', PATH, '{"folders": {"share": {"collect": true}}}')
  assert.deepEqual(
    [first.status, JSON.parse(first.body)],
    [200, { ...DEFAULTS, folders: { share: { ...FOLDER_EXTENSIONS, collect: true } } }],
  )
  await send('PATCH', PATH, '{"drive": true}')
  const reply = await send('GET', PATH)
  assert.deepEqual(JSON.parse(reply.body), {
    ...DEFAULTS,
    drive: true,
    folders: { share: { ...FOLDER_EXTENSIONS, collect: true } },
  })
})

test('a body that is wrong changes nothing and names the field', async () => {
  const { send } = fakeRest()
  for (const [body, status, message] of [
    ['[]', 400, /must be an object/],
    ['{"drive": 1}', 400, /drive must be/],
    ['{"folders": {"share": {"collect": "on"}}}', 400, /folders\.….collect must be/],
    ['{"folders": {"share": {"colect": true}}}', 400, /folders\.share\.colect: there is no such setting/],
    ['{"folders": {"other": {"collect": true}}}', 404, /no such folder/],
    ['{"folders": {"share": {"merge": "maybe"}}}', 400, /merge must be/],
    ['{"folders": {"share": {"mergeUnion": ["[a"]}}}', 400, /the pattern "\[a"/],
    ['{"folders": {"share": {"mergeUnion": ["// a"]}}}', 400, /mergeUnion has the pattern/],
    ['{"folders": {"share": {"mergePrograms": {"*.x": ["sh", "-c", "{base}"]}}}}', 400, /without \{output\}/],
  ] as const) {
    const reply = await send('PATCH', PATH, body)
    assert.equal(reply.status, status, body)
    assert.match(reply.body, message)
  }
  assert.deepEqual(JSON.parse((await send('GET', PATH)).body), DEFAULTS)
})

test('the archive of local changes is switched on only where files can be cloned', async () => {
  const body = '{"folders": {"share": {"archiveLocal": true}}}'
  const requireLocalArchive = async () => {
    throw new TwinfoldError('bad-request', 'archiveLocal: no clones')
  }
  const refused = fakeRest({ explorer: { requireLocalArchive } })
  assert.match((await refused.send('PATCH', PATH, body)).body, /archiveLocal: no clones/)
  assert.deepEqual(JSON.parse((await refused.send('GET', PATH)).body).folders, {})
  const { send } = fakeRest()
  const reply = await send('PATCH', PATH, body)
  assert.deepEqual(JSON.parse(reply.body).folders, { share: { ...FOLDER_EXTENSIONS, archiveLocal: true } })
})
