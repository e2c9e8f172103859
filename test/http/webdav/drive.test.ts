import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { ContentView } from '../../../src/model/content/reader-types.ts'
import { directory, file } from '../../db/records.ts'
import { fakeDrive } from './drive-fakes.ts'

// What the drive shows of a folder, and what it refuses.

const ITEMS = [
  directory('music'),
  directory('music/Björk'),
  file('music/a #1 50%?.mp3', { sizeBytes: 7, modifiedS: 1_700_000_000, modifiedNs: 0 }),
  file('music/back\\slash'),
  file('music/\u0001'),
  { ...file('music/link'), type: 'symlink' as const, symlinkTarget: '/etc/passwd' },
]

test('off, which it is without a change, everything below it is 404 and OPTIONS is the one of CORS', async () => {
  const { ask, call } = await fakeDrive({ items: ITEMS, off: true })
  for (const method of ['PROPFIND', 'GET', 'PUT']) {
    const reply = await ask(method, '/dav/share/', { Depth: '1' })
    assert.deepEqual([reply.status, /twinfold drive on/.test(reply.body)], [404, true])
  }
  assert.equal((await call({ method: 'OPTIONS', target: '/dav/' })).headers['dav'], undefined)
})

test('OPTIONS: the class, without authentication, also at the top; a preflight is that of CORS', async () => {
  const { call } = await fakeDrive({ gui: { user: 'alice', password: 'x' } })
  for (const target of ['/dav', '/dav/', '/dav/share/a', '/']) {
    const { status, headers } = await call({ method: 'OPTIONS', target })
    assert.deepEqual([status, headers['dav'], headers['allow']], [200, '1', 'GET, HEAD, OPTIONS, PROPFIND'], target)
  }
  assert.equal((await call({ method: 'OPTIONS', target: '/davos' })).headers['dav'], undefined)
  const cors = await call({
    method: 'OPTIONS',
    target: '/dav/',
    headers: { 'Access-Control-Request-Method': 'PROPFIND' },
  })
  assert.deepEqual([cors.status, cors.headers['dav']], [204, undefined])
  assert.doesNotMatch(String(cors.headers['access-control-allow-methods']), /PROPFIND/)
})

test('the top lists the folders by ID with their labels, an encrypted one not', async () => {
  const { ask, list } = await fakeDrive()
  assert.deepEqual(await list('/dav'), ['/dav/', '/dav/share/'])
  assert.deepEqual(await list('/dav/', '0'), ['/dav/'])
  assert.match((await ask('PROPFIND', '/dav/', { Depth: '1' })).body, /<D:displayname>Shared<\/D:displayname>/)
  const encrypted = await fakeDrive({ folder: { type: 'receiveencrypted' } })
  assert.deepEqual(await encrypted.list('/dav/'), ['/dav/'])
})

test('a directory lists itself and its items with every kind of name, symlinks not', async () => {
  const { list } = await fakeDrive({ items: ITEMS })
  assert.deepEqual(await list('/dav/share'), ['/dav/share/', '/dav/share/music/'])
  const inside = [
    '/dav/share/music/',
    '/dav/share/music/Bj%C3%B6rk/',
    '/dav/share/music/a%20%231%2050%25%3F.mp3',
    '/dav/share/music/back%5Cslash',
    '/dav/share/music/%01',
  ]
  assert.deepEqual(await list('/dav/share/music'), inside)
  assert.deepEqual(await list('/dav/share/music/', '0'), inside.slice(0, 1))
  for (const href of inside) assert.deepEqual(await list(href, '0'), [href])
  assert.deepEqual(await list('/dav/share/music/Bjo%CC%88rk/', '0'), [inside[1]], 'decomposed letters')
})

test('a file has size, time, type and tag', async () => {
  const { ask } = await fakeDrive({ items: ITEMS })
  const { headers, body } = await ask('PROPFIND', '/dav/share/music/a%20%231%2050%25%3F.mp3', { Depth: '1' })
  assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
  assert.match(body, /<D:getcontentlength>7<.*<D:getcontenttype>audio\/mpeg</)
  assert.match(body, /<D:getlastmodified>Tue, 14 Nov 2023 22:13:20 GMT<.*<D:getetag>"7-[\w-]{43}"</)
})

test('nothing: unknown names, symlinks, a file with a slash, another folder, names that are none', async () => {
  const { ask } = await fakeDrive({ items: ITEMS })
  const targets = ['music/none', 'music/link', 'music/back%5Cslash/', 'music%2Fa', 'none'].map(
    (name) => `share/${name}`,
  )
  for (const target of [...targets, 'other/', '%ED%A0%80']) {
    for (const method of ['PROPFIND', 'GET', 'HEAD']) {
      const { status } = await ask(method, `/dav/${target}`, { Depth: '0' })
      assert.ok(status === 404 || (target === '%ED%A0%80' && status === 400), `${method} ${target}: ${status}`)
    }
  }
})

test('the depth is required and bounded', async () => {
  const { ask } = await fakeDrive({ items: ITEMS })
  for (const headers of [{ Depth: 'infinity' }, {}]) {
    for (const target of ['/dav/', '/dav/share/']) {
      const reply = await ask('PROPFIND', target, headers)
      assert.deepEqual([reply.status, /<D:propfind-finite-depth\/>/.test(reply.body)], [403, true])
    }
  }
  assert.equal((await ask('PROPFIND', '/dav/share/', { Depth: '2' })).status, 400)
})

test('a body is bounded, and one that is no request is 400 with the reason', async () => {
  const { ask } = await fakeDrive({ items: ITEMS })
  const send = (body: string) => ask('PROPFIND', '/dav/share/', { Depth: '0' }, body)
  assert.equal((await send(' '.repeat(16 * 1024 + 1))).status, 413)
  const bomb = await send('<!DOCTYPE a [<!ENTITY b "bb">]><propfind xmlns="DAV:"><prop>&b;</prop></propfind>')
  assert.deepEqual([bomb.status, /document type/.test(bomb.body)], [400, true])
  const some = await send('<propfind xmlns="DAV:"><prop><getetag/><resourcetype/></prop></propfind>')
  assert.match(some.body, /<D:resourcetype><D:collection\/><.*<D:getetag\/>.*404 Not Found/)
})

test('every method that writes is 405 with a reason, and calls nothing', async () => {
  const { ask, calls } = await fakeDrive({ items: ITEMS })
  for (const method of ['PUT', 'POST', 'PATCH', 'DELETE', 'MKCOL', 'MOVE', 'COPY', 'LOCK', 'UNLOCK', 'PROPPATCH']) {
    const reply = await ask(method, '/dav/share/music/x', { Destination: '/dav/share/y' }, 'x')
    assert.deepEqual([reply.status, reply.headers['allow']], [405, 'GET, HEAD, OPTIONS, PROPFIND'], method)
    assert.match(reply.body, /read-only/)
  }
  assert.deepEqual(calls, [])
})

test('a folder that is paused, stopped or encrypted says so', async () => {
  const refused = async (status: number, reason: RegExp, options: Parameters<typeof fakeDrive>[0]) => {
    const { ask } = await fakeDrive({ items: ITEMS, ...options })
    for (const method of ['PROPFIND', 'GET']) {
      const reply = await ask(method, '/dav/share/music/', { Depth: '1' })
      assert.equal(reply.status, status)
      assert.match(reply.body, reason)
    }
  }
  await refused(503, /share is paused; resume it/, { folder: { paused: true } })
  await refused(409, /share is encrypted here/, { folder: { type: 'receiveencrypted' } })
  const globalItem = () => Promise.reject(new TwinfoldError('folder-not-running', 'folder is not running'))
  await refused(503, /not running/, { explorer: { globalItem } })
})

test('a large directory is sent in pieces, each read when the one before was sent', async () => {
  let read = 0
  const { server } = await fakeDrive({
    explorer: {
      globalLevel: async function* () {
        for (; read < 1_000; read++) yield [file(`f${read}`)]
      },
    },
  })
  const request = {
    method: 'PROPFIND',
    target: '/dav/share/',
    headers: { host: '127.0.0.1', 'x-api-key': 'k2345679abcdefghijkmnopqrstuvwxy', depth: '1' },
    body: async () => new Uint8Array(),
    signal: new AbortController().signal,
    remoteAddress: '127.0.0.1',
    remotePort: 1,
    secure: false,
    unixSocket: false,
  }
  const { body } = await server.handler(request)
  assert.ok(typeof body === 'object' && Symbol.asyncIterator in body)
  const pieces = body[Symbol.asyncIterator]()
  for (let count = 0; count < 10; count++) await pieces.next()
  assert.ok(read < 12, `${read} pieces were read for 10`)
})

test('what is sent is never a page of ours', async () => {
  const { ask } = await fakeDrive({ items: ITEMS })
  for (const [method, target] of [
    ['GET', '/dav/'],
    ['GET', '/dav/share/music'],
    ['PROPFIND', '/dav/share/'],
    ['GET', '/dav/none'],
  ] as const) {
    const { headers } = await ask(method, target, { Depth: '0' })
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'")
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-type']), /^(text\/plain|application\/xml)/)
  }
})

const CONTENT: ContentView = {
  open: async (_folder, name) => ({
    name,
    sizeBytes: 7,
    modifiedMs: 1_700_000_000_000,
    etag: '"tag"',
    read: async function* (fromBytes, toBytes) {
      yield Buffer.from('0123456').subarray(fromBytes, toBytes)
    },
  }),
}

test('a file is read whole or in ranges, by its newest name, and never as a page of ours', async () => {
  const { ask } = await fakeDrive({ items: ITEMS, deps: { content: CONTENT } })
  const target = '/dav/share/music/a%20%231%2050%25%3F.mp3'
  const whole = await ask('GET', target)
  assert.deepEqual([whole.status, whole.body, whole.headers['content-type']], [200, '0123456', 'audio/mpeg'])
  assert.equal(whole.headers['content-security-policy'], 'sandbox')
  const part = await ask('GET', target, { Range: 'bytes=-2' })
  assert.deepEqual([part.status, part.body, part.headers['content-range']], [206, '56', 'bytes 5-6/7'])
  const head = await ask('HEAD', target)
  assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', '7'])
})

test('a file that no device can give, or that went away in between, says so', async () => {
  for (const [code, status] of [
    ['content-unavailable', 503],
    ['content-encrypted', 409],
    ['file-missing', 404],
    ['refused', 409],
  ] as const) {
    const open = () => Promise.reject(new TwinfoldError(code, 'the reason'))
    const { ask } = await fakeDrive({ items: ITEMS, deps: { content: { open } } })
    const reply = await ask('GET', '/dav/share/music/back%5Cslash')
    assert.deepEqual([reply.status, reply.body], [status, 'the reason\n'])
  }
})
