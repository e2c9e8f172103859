import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import type { FolderId, ShortId } from '../../src/core/ids.ts'
import { withUnixOwner } from '../../src/core/attributes/platform-data.ts'
import type { FolderStatus } from '../../src/model/types.ts'
import type { VersionFacts } from '../../src/http/types.ts'
import { formatMs, formatNs } from '../../src/http/views/times.ts'
import { fakeRest, IDLE, KEY } from './fakes.ts'

// Conventions of all routes, and the replies of single ones.

test('wrong method: 405 with a sorted Allow that always has OPTIONS, for every route', async () => {
  const { server, send } = fakeRest()
  const byPath = Map.groupBy(server.routes.routes, (route) => route.path)
  for (const [path, routes] of byPath) {
    const methods = routes.map((route) => route.method as string)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'BREW']) {
      if (methods.includes(method)) continue
      const response = await send(method, path.replace(':id', 'x'))
      assert.deepEqual([response.status, response.body], [405, 'Method Not Allowed\n'], `${method} ${path}`)
      assert.equal(response.headers['allow'], [...methods, 'OPTIONS'].sort().join(', '))
    }
  }
})

test('every route has a summary of one sentence, and none is declared twice', () => {
  const { routes } = fakeRest().server.routes
  for (const route of routes) assert.match(route.summary, /^[A-Z].*\.$/, route.path)
  assert.equal(new Set(routes.map((route) => `${route.method} ${route.path}`)).size, routes.length)
})

test('unknown path: 404 as text; an invalid escape: 400', async () => {
  const { send } = fakeRest()
  for (const path of [
    '/rest/nope',
    '/rest/',
    '/nope',
    '/rest/db',
    '/rest/config/folders/a%2fb',
    '/rest/config/folders/a/b',
    '/rest/db/scan%00',
    '/rest/config/folders/:id/x',
  ]) {
    const response = await send('GET', path)
    assert.deepEqual(
      [response.status, response.body, response.headers['content-type']],
      [404, '404 page not found\n', 'text/plain; charset=utf-8'],
      path,
    )
  }
  for (const path of ['/rest/%zz', '/%', '/rest/%ff', 'rest/system/ping', ''])
    assert.equal((await send('GET', path)).status, 400, path)
})

test('canonical paths: GET is redirected with 301 and a page, other methods with 307 and none', async () => {
  const { send, calls } = fakeRest()
  const moves: [method: string, from: string, to: string][] = [
    ['POST', '/rest/db/scan/?folder=x', '/rest/db/scan?folder=x'],
    ['GET', '/rest/system/ping/', '/rest/system/ping'],
    ['GET', '/rest/System/PING?a=b', '/rest/system/ping?a=b'],
    ['GET', '/rest//system/ping', '/rest/system/ping'],
    ['GET', '/rest/db/../system/ping', '/rest/system/ping'],
    ['GET', '/rest/./system/ping', '/rest/system/ping'],
    ['GET', '/rest/%2e/system/ping', '/rest/system/ping'],
    ['PATCH', '/rest/CONFIG/folders/ShaRe/', '/rest/config/folders/ShaRe'],
    ['GET', '/rest', '/rest/'],
    ['GET', '//', '/'],
    ['DELETE', '/a//b%20c', '/a/b%20c'],
  ]
  for (const [method, from, to] of moves) {
    const response = await send(method, from)
    assert.deepEqual([response.status, response.headers['location']], [method === 'GET' ? 301 : 307, to], from)
    assert.equal(
      response.body,
      method === 'GET' ? `<a href="${to.replace('&', '&#38;')}">Moved Permanently</a>.\n\n` : '',
    )
  }
  assert.equal((await send('GET', '/rest/db/scan/')).status, 404)
  assert.equal((await send('GET', '/rest/system/%70ing')).status, 200)
  assert.deepEqual(calls, [])
})

test('JSON out: two spaces, a newline at the end, <, > and & escaped, the rest raw UTF-8', async () => {
  const { send } = fakeRest({ hub: { ignores: async () => ({ ignore: ['<a>&ü\u2028'], expanded: [], error: null }) } })
  const response = await send('GET', '/rest/db/ignores?folder=share')
  assert.equal(
    response.body,
    '{\n  "error": null,\n  "expanded": [],\n  "ignore": [\n    "\\u003ca\\u003e\\u0026ü\\u2028"\n  ]\n}\n',
  )
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
})

test('times: RFC 3339 with the fraction trimmed, and never is the year 1', () => {
  assert.equal(formatMs(Date.UTC(2026, 0, 2, 3, 4, 5)), '2026-01-02T03:04:05Z')
  assert.equal(formatMs(1_120), '1970-01-01T00:00:01.12Z')
  assert.equal(formatMs(0), '0001-01-01T00:00:00Z')
  assert.equal(formatNs(10, 0), '1970-01-01T00:00:10Z')
  assert.equal(formatNs(10, 5), '1970-01-01T00:00:10.000000005Z')
  assert.equal(formatNs(10, 120_000_000), '1970-01-01T00:00:10.12Z')
  assert.equal(formatNs(-1, 500_000_000), '1969-12-31T23:59:59.5Z')
  assert.equal(formatNs(1e18, 0), '0001-01-01T00:00:00Z')
})

test('db/status: unknown is 404, paused is 200 with zeros', async () => {
  const missing = fakeRest({ hub: { status: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  for (const query of ['', '?folder=', '?folder=nope']) {
    const response = await missing.send('GET', `/rest/db/status${query}`)
    assert.deepEqual([response.status, response.body], [404, 'no such folder\n'])
  }
  const paused = fakeRest({
    hub: { status: async () => ({ ...IDLE, state: '', stateChangedMs: 0, sequence: 0, remoteSequences: undefined }) },
  })
  const status = JSON.parse((await paused.send('GET', '/rest/db/status?folder=share')).body)
  assert.deepEqual(
    [status.state, status.stateChanged, status.remoteSequence, status.globalFiles],
    ['', '0001-01-01T00:00:00Z', null, 0],
  )
})

test('db/browse: levels, prefix and dirsonly are applied; errors are 500', async () => {
  const cases: [query: string, options: object][] = [
    ['', { prefix: '', directoriesOnly: false }],
    ['&levels=0', { prefix: '', levels: 0, directoriesOnly: false }],
    ['&levels=-1', { prefix: '', directoriesOnly: false }],
    ['&levels=x', { prefix: '', directoriesOnly: false }],
    ['&prefix=a/b/&dirsonly=false', { prefix: 'a/b', directoriesOnly: true }],
    ['&dirsonly=', { prefix: '', directoriesOnly: false }],
  ]
  for (const [query, options] of cases) {
    const { send, calls } = fakeRest()
    assert.equal((await send('GET', `/rest/db/browse?folder=share${query}`)).body, '[]\n')
    assert.deepEqual(calls, [`browse share ${JSON.stringify(options)}`])
  }
  for (const code of ['folder-missing', 'folder-paused'] as const) {
    const { send } = fakeRest({ hub: { browse: () => Promise.reject(new TwinfoldError(code, 'x')) } })
    const response = await send('GET', '/rest/db/browse?folder=nope')
    assert.deepEqual([response.status, response.body], [500, 'no such folder\n'])
  }
})

const INFO: FileInfo = {
  name: 'link',
  type: 'symlink',
  deleted: false,
  sizeBytes: 0,
  modifiedS: 0,
  modifiedNs: 0,
  permissions: 0o777,
  noPermissions: true,
  version: [{ device: 0n as ShortId, value: 18_446_744_073_709_551_615n }],
  modifiedBy: 0n as ShortId,
  sequence: 4,
  localFlags: 8,
  blockSizeBytes: 0,
  blocksHash: undefined,
  symlinkTarget: 'x',
  blockHashes: new Uint8Array(96),
}

test('db/file: a missing record is empty, counters are exact, symlinks have no permissions', async () => {
  const { send } = fakeRest({ hub: { file: async () => ({ global: INFO, local: undefined, availability: [] }) } })
  const view = JSON.parse((await send('GET', '/rest/db/file?folder=share&file=link')).body)
  assert.equal(view.availability, null)
  assert.deepEqual(view.global.version, [`${view.global.version[0].split(':')[0]}:18446744073709551615`])
  assert.equal('permissions' in view.global, false)
  assert.deepEqual([view.global.size, view.global.invalid, view.global.numBlocks], [128, true, 3])
  assert.deepEqual([view.local.name, view.local.permissions, view.local.version], ['', '0', []])
  const absent = fakeRest({ hub: { file: () => Promise.reject(new TwinfoldError('file-missing', 'x')) } })
  const response = await absent.send('GET', '/rest/db/file?folder=share&file=../x')
  assert.deepEqual([response.status, response.body], [404, 'No such object in the index\n'])
})

test('db/file and lists: owners and attributes are shown in the format of their system', async () => {
  const platform = Buffer.concat([
    withUnixOwner(undefined, { ownerName: 'ann', groupName: 'staff', userId: 1000, groupId: 50 }),
    Buffer.from('1a0d0a0b0a06757365722e6112016b', 'hex'),
  ])
  const found = { ...INFO, platform }
  const { send } = fakeRest({
    hub: {
      file: async () => ({ global: found, local: undefined, availability: [] }),
      need: async () => ({ progress: [], queued: [found], rest: [] }),
    },
  })
  const none = { Unix: null, Windows: null, Linux: null, Darwin: null, FreeBSD: null, NetBSD: null }
  const shown = {
    ...none,
    Unix: { ownerName: 'ann', groupName: 'staff', uid: 1000, gid: 50 },
    Linux: { xattrs: [{ name: 'user.a', value: 'aw==' }] },
  }
  const view = JSON.parse((await send('GET', '/rest/db/file?folder=share&file=link')).body)
  assert.deepEqual([view.global.platform, view.local.platform], [shown, none])
  const { queued } = JSON.parse((await send('GET', '/rest/db/need?folder=share')).body)
  assert.deepEqual(queued[0].platform, shown)
})

test('db/status: the reply of an unchanged status is cached, and a pending status is awaited', async () => {
  let now: FolderStatus | undefined = IDLE
  const { send, calls } = fakeRest({ hub: { statusNow: () => now } })
  const status = async () => JSON.parse((await send('GET', '/rest/db/status?folder=share')).body)
  const first = await status()
  assert.deepEqual(await status(), first)
  assert.deepEqual(calls, [])
  now = { ...IDLE, state: 'scanning', sequence: 9 }
  assert.deepEqual(await status(), { ...first, state: 'scanning', sequence: 9, version: 9 })
  now = undefined
  assert.deepEqual(await status(), first)
  assert.deepEqual(calls, ['status share'])
})

test('db/ignores: lines are written unchanged; an invalid body is 500 and writes nothing', async () => {
  const { send, calls } = fakeRest()
  assert.equal((await send('POST', '/rest/db/ignores?folder=share', '{"Ignore":["*.tmp","","// c"]}')).status, 200)
  assert.equal((await send('POST', '/rest/db/ignores?folder=share', '{}')).status, 200)
  assert.deepEqual(calls, ['setIgnores share ["*.tmp","","// c"]', 'setIgnores share []'])
  for (const body of ['{bad', '[]', '"x"', 'null', '{"ignore":"x"}', '{"ignore":[1]}', '{"ignore":["a\\nb"]}', '']) {
    const response = await send('POST', '/rest/db/ignores?folder=share', body)
    assert.equal(response.status, 500, body)
  }
  assert.equal(calls.length, 2)
  const unknown = fakeRest({ hub: { setIgnores: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  assert.equal(
    (await unknown.send('POST', '/rest/db/ignores?folder=nope', '{"ignore":[]}')).body,
    'folder  does not exist\n',
  )
})

test('folder/errors and stats/folder', async () => {
  const { send } = fakeRest({
    hub: {
      folderErrors: async () => [{ path: 'a', error: 'no' }],
      folderStatistics: async () =>
        new Map([['b' as FolderId, { lastFile: { atMs: 0, filename: '', deleted: false }, lastScanMs: 1_999 }]]),
    },
  })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/folder/errors?folder=share')).body), {
    errors: [{ path: 'a', error: 'no' }],
    folder: 'share',
    page: 1,
    perpage: 65_536,
  })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/stats/folder')).body), {
    b: { lastFile: { at: '0001-01-01T00:00:00Z', filename: '', deleted: false }, lastScan: '1970-01-01T00:00:01Z' },
  })
  const paused = fakeRest({ hub: { folderErrors: () => Promise.reject(new TwinfoldError('folder-paused', 'x')) } })
  assert.deepEqual((await paused.send('GET', '/rest/folder/errors?folder=share')).body, 'folder is paused\n')
})

test('errors and log: stored verbatim, cleared, filtered by time', async () => {
  const { send, log } = fakeRest()
  assert.equal((await send('GET', '/rest/system/error')).body, '{\n  "errors": null\n}\n')
  for (const body of ['one\n two', '', '{"message":"j"}'])
    assert.equal((await send('POST', '/rest/system/error', body)).body, '')
  const { errors } = JSON.parse((await send('GET', '/rest/system/error')).body)
  assert.deepEqual(
    errors.map((error: { message: string }) => error.message),
    ['one\n two', '', '{"message":"j"}'],
  )
  assert.equal(errors[0].level, 3)
  assert.equal((await send('POST', '/rest/system/error/clear')).status, 200)
  assert.equal(JSON.parse((await send('GET', '/rest/system/error')).body).errors, null)

  log.all = [1_000, 2_500].map((timeMs) => ({
    timeMs,
    level: 'INFO' as const,
    facility: 'main' as const,
    message: `at ${timeMs}`,
  }))
  assert.equal(JSON.parse((await send('GET', '/rest/system/log')).body).messages.length, 2)
  assert.equal(JSON.parse((await send('GET', '/rest/system/log?since=1970-01-01T00:00:01Z')).body).messages.length, 1)
  assert.equal(
    JSON.parse((await send('GET', '/rest/system/log?since=1970-01-01T00:00:02.5%2B00:00')).body).messages,
    null,
  )
  assert.equal(JSON.parse((await send('GET', '/rest/system/log?since=yesterday')).body).messages.length, 2)
  assert.equal(
    (await send('GET', '/rest/system/log.txt')).body,
    '1970-01-01T00:00:01Z: main: at 1000\n1970-01-01T00:00:02Z: main: at 2500\n',
  )
})

test('shutdown and restart: the reply is sent before the action', async () => {
  const { server, calls } = fakeRest()
  for (const [path, message, call] of [
    ['shutdown', 'shutting down', 'shutdown'],
    ['restart', 'restarting', 'restart'],
  ] as const) {
    const reply = await server.handler({
      method: 'POST',
      target: `/rest/system/${path}`,
      headers: { 'x-api-key': KEY, host: 'localhost' },
      remoteAddress: '127.0.0.1',
      remotePort: 1,
      secure: false,
      unixSocket: false,
      signal: new AbortController().signal,
      body: async () => new Uint8Array(),
    })
    assert.equal(reply.headers['Content-Type'], 'text/plain; charset=utf-8')
    const pieces: unknown[] = []
    for await (const piece of reply.body as AsyncIterable<string>) {
      pieces.push(piece)
      assert.ok(!calls.includes(call))
    }
    assert.deepEqual(pieces, [`{"ok": "${message}"}\n`])
    assert.ok(calls.includes(call))
    assert.equal((await fakeRest().send('GET', `/rest/system/${path}`)).status, 405)
  }
})

test('svc: device ids, random strings and languages', async () => {
  const { send, call } = fakeRest()
  assert.deepEqual(JSON.parse((await send('GET', '/rest/svc/deviceid?id=')).body), { id: '' })
  assert.match(JSON.parse((await send('GET', '/rest/svc/deviceid?id=1234')).body).error, /incorrect length/)
  for (const [query, length] of [
    ['', 32],
    ['?length=0', 32],
    ['?length=-4', 32],
    ['?length=x', 32],
    ['?length=7', 7],
    ['?length=99999999', 65_536],
  ] as const) {
    assert.equal(JSON.parse((await send('GET', `/rest/svc/random/string${query}`)).body).random.length, length)
  }
  const language = async (header?: string) =>
    JSON.parse(
      (await call({ target: '/rest/svc/lang', headers: header === undefined ? {} : { 'Accept-Language': header } }))
        .body,
    )
  assert.deepEqual(await language(), [''])
  assert.deepEqual(await language('sv-SE;q=0.8,yy,sv;q=x,en;q=0.5,de;foo=1'), ['yy', 'de', 'sv-se', 'en'])
})

test('version: the structure that clients parse, with the name Twinfold', async () => {
  const { send } = fakeRest({ options: { version: { ...fakeVersion, extra: 'wrapped by x/y;' } } })
  const version = JSON.parse((await send('GET', '/rest/system/version')).body)
  assert.equal(
    version.longVersion,
    'syncthing v1.0.0 "Twinfold" (node24.21.0 linux-amd64) builder@host 2026-01-02 03:04:05 UTC [twinfold, wrapped by xy]',
  )
  assert.match(
    version.longVersion,
    /^syncthing (v\d+\.\d+\.\d+\S*) "(.+)" \((\S+) (\S+)-(\S+)\) (\S+)@(\S+) (.+ UTC) \[(.+)\]$/,
  )
  assert.deepEqual(
    [version.version, version.isRelease, version.isBeta, version.extra, version.tags],
    ['v1.0.0', true, false, 'wrapped by xy', ['twinfold', 'wrapped by xy']],
  )
})

const fakeVersion: VersionFacts = {
  version: 'v1.0.0',
  codename: 'Twinfold',
  runtime: 'node24.21.0',
  platform: 'linux',
  architecture: 'x64',
  endianness: 'LE',
  builder: { user: 'builder', host: 'host' },
  builtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  tags: ['twinfold'],
  extra: '',
  container: false,
}

test('the start page runs no script, and a policy forbids any', async () => {
  const response = await fakeRest().send('GET', '/')
  assert.match(String(response.headers['content-security-policy']), /^default-src 'self'/)
  assert.ok(!response.body.includes('<script'))
})
