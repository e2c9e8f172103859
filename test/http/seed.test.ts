import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { FACILITY_NAMES } from '../../src/core/facilities.ts'
import type { FileHead } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { fakeRest, KEY, LOCAL_ID } from './fakes.ts'

const HEAD: FileHead = {
  name: 'a & b.txt',
  type: 'file',
  deleted: false,
  sizeBytes: 6,
  modifiedS: 1_795_000_000,
  modifiedNs: 120_000_000,
  permissions: 0o644,
  noPermissions: false,
  version: [{ device: 0n as ShortId, value: 3n }],
  modifiedBy: 0n as ShortId,
  sequence: 7,
  localFlags: 0,
  blockSizeBytes: 131_072,
  blocksHash: new Uint8Array(32),
  symlinkTarget: '',
}

test('prio: the file is moved to the top and the response is the same output as GET /rest/db/need', async () => {
  const { send, calls } = fakeRest({ hub: { need: async () => ({ progress: [], queued: [HEAD], rest: [] }) } })
  const moved = await send('POST', '/rest/db/prio?folder=share&file=a%20%26%20b.txt&file=second')
  const listed = await send('GET', '/rest/db/need?folder=share')
  assert.deepEqual(calls, ['front share a & b.txt'])
  assert.equal(moved.status, 200)
  assert.equal(moved.body, listed.body)
  assert.equal(JSON.parse(moved.body).queued[0].name, 'a & b.txt')
  assert.ok(moved.body.includes('a \\u0026 b.txt'))
})

test('prio: no file, an unknown one or an invalid one changes nothing and is still 200 with the list', async () => {
  for (const file of ['', '&file=', '&file=nope', '&file=../x', '&file=/x']) {
    const response = await fakeRest().send('POST', `/rest/db/prio?folder=share${file}&page=2&perpage=5`)
    assert.deepEqual(
      [response.status, JSON.parse(response.body)],
      [200, { page: 2, perpage: 5, progress: [], queued: [], rest: [] }],
    )
  }
})

test('prio and need: an unknown, missing or paused folder is 404 `no such folder`', async () => {
  for (const code of ['folder-missing', 'folder-paused', 'folder-not-running'] as const) {
    const fail = () => Promise.reject(new TwinfoldError(code, 'x'))
    const refuse = () => {
      throw new TwinfoldError(code, 'x')
    }
    for (const hub of [{ need: fail }, { needNow: refuse }, { bringToFront: refuse, need: fail }]) {
      const { send } = fakeRest({ hub })
      for (const [method, path] of [
        ['POST', 'prio'],
        ['GET', 'need'],
      ] as const) {
        for (const query of ['folder=nope&file=x', 'file=x', 'folder=']) {
          const response = await send(method, `/rest/db/${path}?${query}`)
          assert.deepEqual([response.status, response.body], [404, 'no such folder\n'])
        }
      }
    }
  }
})

test('debug: exactly the eighteen facilities are listed, each with a description; `enabled` is a list', async () => {
  const { send } = fakeRest()
  const response = await send('GET', '/rest/system/debug')
  const listing = JSON.parse(response.body)
  assert.equal(response.status, 200)
  assert.deepEqual(Object.keys(listing), ['enabled', 'facilities'])
  assert.deepEqual(listing.enabled, [])
  assert.deepEqual(Object.keys(listing.facilities), [
    'beacon',
    'config',
    'connections',
    'db',
    'dialer',
    'discover',
    'events',
    'http',
    'main',
    'model',
    'protocol',
    'relay',
    'scanner',
    'stats',
    'sync',
    'upgrade',
    'upnp',
    'versioner',
  ])
  for (const description of Object.values(listing.facilities))
    assert.ok(typeof description === 'string' && description !== '')
})

test('debug: enable first, then disable; aliases accepted, unknown names ignored, first parameter used', async () => {
  const cases: [query: string, enabled: string[]][] = [
    ['enable=model,scanner', ['model', 'scanner']],
    ['enable=scanner,model', ['model', 'scanner']],
    ['enable=model&disable=model', []],
    ['enable=%20relay%20,', ['relay']],
    ['enable=api,walkfs,nosuch,__proto__', ['http', 'scanner']],
    ['enable=all', []],
    ['enable=db&enable=model', ['db']],
    ['', []],
  ]
  for (const [query, enabled] of cases) {
    const { send } = fakeRest()
    const response = await send('POST', `/rest/system/debug?${query}`)
    assert.deepEqual(
      [response.status, response.body, response.headers['content-type']],
      [200, '', 'application/json; charset=utf-8'],
    )
    const listing = JSON.parse((await send('GET', '/rest/system/debug')).body)
    assert.deepEqual(listing.enabled, enabled, query)
    for (const name of listing.enabled) assert.ok(FACILITY_NAMES.includes(name))
  }
})

test('debug and loglevels are one table', async () => {
  const { send } = fakeRest()
  assert.equal(
    (await send('POST', '/rest/system/loglevels', '{"model":"debug","db":"INFO+5","nosuch":"WARN"}')).status,
    200,
  )
  assert.deepEqual(JSON.parse((await send('GET', '/rest/system/debug')).body).enabled, ['model'])
  const { levels, packages } = JSON.parse((await send('GET', '/rest/system/loglevels')).body)
  assert.deepEqual([levels.model, levels.db, levels.http], ['DEBUG', 'WARN', 'INFO'])
  assert.deepEqual(Object.keys(packages), [...FACILITY_NAMES])
  for (const body of ['{bad', '[]', '{"model":"LOUD"}', '{"db":"DEBUG","model":3}', '']) {
    const response = await send('POST', '/rest/system/loglevels', body)
    assert.equal(response.status, 400, body)
  }
  assert.equal(JSON.parse((await send('GET', '/rest/system/loglevels')).body).levels.db, 'WARN')
})

test('discovery (removed): POST is 405 with Allow and its parameters are ignored; GET lists the cache', async () => {
  const { send, call } = fakeRest()
  for (const query of ['', '?device=x&addr=y', '?device=%ff&addr=%zz', `?device=${LOCAL_ID}&addr=1.2.3.4:5`]) {
    const response = await send('POST', `/rest/system/discovery${query}`)
    assert.deepEqual(
      [response.status, response.body, response.headers['allow']],
      [405, 'Method Not Allowed\n', 'GET, OPTIONS'],
    )
  }
  assert.equal((await call({ method: 'POST', target: '/rest/system/discovery' })).status, 403)
  assert.equal((await send('DELETE', '/rest/system/discovery')).status, 405)
  assert.equal((await send('GET', '/rest/system/discovery')).body, '{}\n')
  const known = fakeRest({
    deps: { discovery: { status: () => new Map(), found: () => new Map([[LOCAL_ID, ['tcp://1.2.3.4:5']]]) } },
  })
  assert.deepEqual(JSON.parse((await known.send('GET', '/rest/system/discovery')).body), {
    [LOCAL_ID]: { addresses: ['tcp://1.2.3.4:5'] },
  })
})

test('authentication: the key works as X-API-Key in any case and as a bearer token; one is enough', async () => {
  const { call } = fakeRest({ options: { guiApiKey: 'second-key' } })
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ 'x-api-key': KEY }, 200],
    [{ 'X-API-KEY': 'second-key' }, 200],
    [{ Authorization: `Bearer ${KEY}` }, 200],
    [{ Authorization: `bEaReR ${KEY}` }, 200],
    [{ 'X-API-Key': 'wrong', Authorization: `Bearer ${KEY}` }, 200],
    [{ 'X-API-Key': KEY, Authorization: 'Bearer wrong' }, 200],
    [{ 'X-API-Key': '' }, 403],
    [{ Authorization: 'Bearer ' }, 403],
    [{ Authorization: KEY }, 403],
    [{}, 403],
  ]
  for (const [headers, status] of cases) {
    assert.equal((await call({ target: '/rest/system/ping', headers })).status, status, JSON.stringify(headers))
  }
})
