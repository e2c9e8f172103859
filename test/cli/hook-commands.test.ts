import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './fake-replies.ts'

const HOOKS = '/rest/twinfold/hooks'
const ENTRY = {
  time: '2026-11-01T00:00:00Z',
  id: 'x',
  text: 'Folder "a" is in sync',
  outcome: 'failed',
  detail: 'HTTP 500',
}
const HOOK = {
  name: 'phone',
  on: 'error',
  folder: null,
  device: null,
  after: '10s',
  url: 'https://ntfy.sh/topic',
  format: 'ntfy',
  signed: false,
  allowPrivate: false,
  program: null,
  args: [],
  created: '2026-11-01T00:00:00Z',
  waiting: 2,
  last: ENTRY,
}
const FOLDERS = { 'GET /rest/config/folders': [{ id: 'p-1', label: 'Photos' }] }

test('hook add: folders by label, a program with its arguments', async () => {
  const words = 'hook add backup --on folder-in-sync --folder Photos --after 1m --exec /bin/b one -- --two'
  const { code, out, sent } = await run(words, {
    ...FOLDERS,
    [`POST ${HOOKS}`]: { ...HOOK, url: null, program: '/bin/b' },
  })
  assert.equal(code, 0)
  assert.match(
    out,
    /^Added the hook "backup": runs \/bin\/b on error, every folder, after 10s\. Try it with "hook test/,
  )
  const body = {
    name: 'backup',
    on: 'folder-in-sync',
    folder: 'p-1',
    after: '1m',
    program: '/bin/b',
    args: ['one', '--two'],
  }
  assert.deepEqual(sent, [`POST ${HOOKS} ${JSON.stringify(body)}`])
})

test('hook add: what cannot be meant is refused before anything is sent', async () => {
  const refused = [
    ['hook add x --url https://a.test', /--on/],
    ['hook add x --on error', /either --url or --exec/],
    ['hook add x --on error --url https://a.test --exec /bin/b', /either --url or --exec/],
    ['hook add x --on error --url https://a.test argument', /arguments are for a program/],
    ['hook add x --on never --url https://a.test', /never/],
    ['hook add x --on error --after soon --url https://a.test', /10m/],
  ] as const
  for (const [words, reason] of refused) {
    const { code, err, sent } = await run(words, {})
    assert.deepEqual([code === 0, sent], [false, []], words)
    assert.match(err, reason, words)
  }
})

test('hook list, log and remove', async () => {
  const { out } = await run('hook list', { [`GET ${HOOKS}`]: [HOOK] })
  assert.match(
    out,
    /^NAME +ON +ABOUT +TO +WAITING +LAST *\nphone +error +every folder +https:\/\/ntfy.sh\/topic +2 +failed/,
  )
  assert.equal((await run('hook list', { [`GET ${HOOKS}`]: [] })).out, 'No hooks.')
  assert.deepEqual(JSON.parse((await run('hook list --json', { [`GET ${HOOKS}`]: [HOOK] })).out), [HOOK])
  const log = await run('hook log phone', { [`GET ${HOOKS}/log/phone`]: [ENTRY] })
  assert.match(log.out, /^TIME +OUTCOME +WHAT +DETAIL *\n2026-11-01T00:00:00Z +failed +Folder "a" is in sync +HTTP 500/)
  assert.match((await run('hook log phone', { [`GET ${HOOKS}/log/phone`]: [] })).out, /^Nothing was delivered/)
  const removed = await run('hook remove phone', { [`DELETE ${HOOKS}/phone`]: '' })
  assert.deepEqual([removed.code, removed.sent], [0, [`DELETE ${HOOKS}/phone`]])
})

test('hook test fails when the delivery does', async () => {
  const route = `POST ${HOOKS}/test/phone`
  assert.equal((await run('hook test phone', { [route]: { ok: true, detail: 'HTTP 200' } })).out, 'Delivered: HTTP 200')
  const failed = await run('hook test phone', { [route]: { ok: false, detail: 'HTTP 500' } })
  assert.deepEqual([failed.code, failed.err], [1, 'Not delivered: HTTP 500'])
  const json = await run('hook test phone --json', { [route]: { ok: false, detail: 'x' } })
  assert.deepEqual([json.code, JSON.parse(json.out)], [1, { ok: false, detail: 'x' }])
})
