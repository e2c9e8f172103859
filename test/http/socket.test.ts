import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventBuffer } from '../../src/events/types.ts'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import type { HttpHandler } from '../../src/platform/http.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { fakeRest, KEY } from './fakes.ts'

// The socket: catalogue rows W-06, W-07 and W-08, TLS on the same port, UNIX sockets.

const WAIT_MS = 20_000

/** Sends bytes, reads until the peer closes or the condition holds. */
async function exchange(
  address: string,
  bytes: string | Uint8Array,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  const socket = open(address)
  const { promise, resolve } = Promise.withResolvers<void>()
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    if (enough(text)) resolve()
  })
  socket.on('close', () => resolve())
  socket.on('error', () => resolve())
  socket.write(bytes)
  const timer = setTimeout(resolve, WAIT_MS)
  await promise
  clearTimeout(timer)
  socket.destroy()
  return text
}

function open(address: string): Socket {
  if (address.startsWith('/')) return connect({ path: address })
  const [host = '', port = ''] = address.split(':')
  return connect({ host, port: Number(port) })
}

/** The whole pipeline behind a real socket. */
async function served(fake: Parameters<typeof fakeRest>[0] = {}) {
  const rest = fakeRest(fake)
  const seen: string[] = []
  const handler: HttpHandler = (request) => {
    seen.push(`${request.method} ${request.target.slice(0, 60)}`)
    return rest.server.handler(request)
  }
  const listener = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, handler)
  return {
    ...rest,
    seen,
    address: listener.address,
    [Symbol.asyncDispose]: async () => await listener[Symbol.asyncDispose](),
  }
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
const head = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n${more}`
const isComplete = (text: string) => /\r\n\r\n[^]*\n$/.test(text)

test('W-06: headers up to a megabyte are read, larger ones and too many are 431', async () => {
  await using server = await served()
  const cases: [name: string, bytes: string, status: number][] = [
    ['16 KiB header', head('/rest/system/ping', `X-Big: ${'x'.repeat(16 * 1024)}\r\n\r\n`), 200],
    ['900 KiB header', head('/rest/system/ping', `X-Big: ${'x'.repeat(900 * 1024)}\r\n\r\n`), 200],
    ['1500 headers', head('/rest/system/ping', `${'X-A: b\r\n'.repeat(1_500)}\r\n`), 200],
    ['900 KiB target', head(`/rest/system/ping?a=${'x'.repeat(900 * 1024)}`, '\r\n'), 200],
    ['2 MiB header', head('/rest/system/ping', `X-Big: ${'x'.repeat(2 * 1024 * 1024)}\r\n\r\n`), 431],
    ['2 MiB target', head(`/${'x'.repeat(2 * 1024 * 1024)}`, '\r\n'), 431],
    ['10000 headers', head('/rest/system/ping', `${'X-A: b\r\n'.repeat(10_000)}\r\n`), 431],
  ]
  for (const [name, bytes, status] of cases)
    assert.equal(statusOf(await exchange(server.address, bytes, isComplete)), status, name)
  assert.equal(statusOf(await exchange(server.address, head('/rest/system/ping', '\r\n'), isComplete)), 200)
  console.log(JSON.stringify({ id: 'W-06', part: 'heads', tried: cases.length }))
})

test('W-06: bodies over the cap of their route are 413, unread ones are not kept in memory', async () => {
  await using server = await served({ gui: { user: 'a', password: 'b' } })
  const post = (target: string, more: string) =>
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n${more}`
  const length = (bytes: number) => `Content-Length: ${bytes}\r\n\r\n`
  const rssBytes = process.memoryUsage.rss()
  // The Content-Length alone is enough for a refusal.
  assert.equal(
    statusOf(await exchange(server.address, post('/rest/noauth/auth/password', length(65_537)), isComplete)),
    413,
  )
  assert.equal(statusOf(await exchange(server.address, post('/rest/config/folders', length(2 ** 30)), isComplete)), 413)
  // Without Content-Length the bytes are counted.
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  assert.equal(
    statusOf(
      await exchange(
        server.address,
        post('/rest/noauth/auth/password', `Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`),
        isComplete,
      ),
    ),
    413,
  )
  // Endless, to a route that does not read it: a reply, then the connection is closed.
  assert.equal(
    statusOf(
      await exchange(
        server.address,
        post('/rest/system/ping', `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(100)}`),
        isComplete,
      ),
    ),
    200,
  )
  // A compressed body is not decompressed: it is not JSON.
  const packed = await exchange(
    server.address,
    post('/rest/config/folders', `Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00`),
    isComplete,
  )
  assert.equal(statusOf(packed), 400)
  const grownMiB = Math.round((process.memoryUsage.rss() - rssBytes) / 2 ** 20)
  assert.ok(grownMiB < 100, `${grownMiB}`)
  console.log(JSON.stringify({ id: 'W-06', part: 'bodies', grownMiB }))
})

test('W-06: Expect: 100-continue is confirmed only by a route that reads a body', async () => {
  await using server = await served()
  const expecting = (target: string) =>
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`
  assert.match(
    await exchange(server.address, expecting('/rest/system/error'), (text) => text.includes('\r\n\r\n')),
    /^HTTP\/1\.1 100 /,
  )
  assert.match(
    await exchange(server.address, expecting('/rest/db/scan?folder=share'), (text) => text.includes('\r\n\r\n')),
    /^HTTP\/1\.1 200 /,
  )
})

test(
  'W-07: slow heads, idle connections, long polls and slow readers do not keep others waiting',
  { timeout: 60_000 },
  async () => {
    const poll = Promise.withResolvers<void>()
    const allPolling = Promise.withResolvers<void>()
    let polling = 0
    const buffer: EventBuffer = {
      since: async (_since, _timeoutMs, signal) => {
        if (++polling === 200) allPolling.resolve()
        signal.addEventListener('abort', () => poll.resolve(), { once: true })
        await poll.promise
        return []
      },
    }
    const big = 'x'.repeat(1_000)
    let produced = 0
    const lines = Array.from({ length: 200 }, () => big)
    await using server = await served({
      deps: { events: { emit: () => {}, buffer: () => buffer } },
      hub: { ignores: async () => (produced++, { ignore: lines, expanded: lines, error: null }) },
    })
    const sockets: Socket[] = []
    const hold = (bytes: string) => {
      const socket = open(server.address)
      socket.on('error', () => {})
      socket.write(bytes)
      sockets.push(socket)
      return socket
    }
    for (let i = 0; i < 200; i++) hold('GET /rest/system/ping HTTP/1.1\r\nHost: loc') // heads that never end
    for (let i = 0; i < 100; i++)
      hold(`POST /rest/system/error HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Length: 100\r\n\r\nx`)
    for (let i = 0; i < 500; i++) hold(head('/rest/system/ping', '\r\n'))
    for (let i = 0; i < 200; i++) hold(head('/rest/events?timeout=60', '\r\n'))
    const slow = hold(head('/rest/db/ignores?folder=share', '\r\n').repeat(200)) // requests 80 MB and reads nothing
    slow.pause()
    await allPolling.promise

    let worstMs = 0
    for (let i = 0; i < 50; i++) {
      const startMs = performance.now()
      assert.equal(statusOf(await exchange(server.address, head('/rest/system/ping', '\r\n'), isComplete)), 200)
      worstMs = Math.max(worstMs, performance.now() - startMs)
    }
    assert.ok(produced < 50, `${produced}`) // replies are produced as fast as they are read, not all at once
    for (const socket of sockets) socket.destroy()
    poll.resolve()
    console.log(
      JSON.stringify({
        id: 'W-07',
        slowHeads: 200,
        slowBodies: 100,
        idle: 500,
        longPolls: 200,
        worstMs: Math.round(worstMs),
        repliesMadeForSlowReader: produced,
      }),
    )
  },
)

test('W-08: one message is never read as two, and other protocols are refused', async () => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const ping = '/rest/system/ping'
  const post = (more: string) => `POST ${ping} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n${more}`
  const cases: [name: string, bytes: string][] = [
    ['CL and TE', post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE and CL', post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['two CL', post(`Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL list', post(`Content-Length: 0, ${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL sign', post(`Content-Length: +${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL hex', post(`Content-Length: 0x10\r\n\r\n${smuggled}`)],
    ['CL negative', post(`Content-Length: -1\r\n\r\n${smuggled}`)],
    ['TE unknown', post(`Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE chunked twice', post(`Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE with space before colon', post(`Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['obs-fold', post(`X-A: b\r\n Content-Length: 5\r\n\r\n`)],
    // A route that reads its body: any other may reply before the body is found to be invalid.
    [
      'bad chunk size',
      post(`Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${smuggled}`).replace(ping, '/rest/system/error'),
    ],
    ['bare LF head', `POST ${ping} HTTP/1.1\nHost: localhost\nX-API-Key: ${KEY}\n\n${smuggled}`],
    ['bare CR', `GET ${ping} HTTP/1.1\rHost: localhost\r\r`],
    ['two hosts', `GET ${ping} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nX-API-Key: ${KEY}\r\n\r\n`],
    ['no version', `GET ${ping}\r\n\r\n`],
    ['HTTP/9.9', `GET ${ping} HTTP/9.9\r\nHost: localhost\r\n\r\n`],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL in header', post('X-A: a\0b\r\n\r\n')],
    ['space in target', 'GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['more garbage', 'hello world\r\n\r\n'],
  ]
  let split = 0
  for (const [name, bytes] of cases) {
    await using server = await served()
    const text = await exchange(server.address, Buffer.from(bytes, 'latin1'), isComplete)
    if (server.seen.some((line) => line.includes('smuggled'))) split++
    assert.ok(!server.seen.some((line) => line.includes('smuggled')), `${name}: ${server.seen}`)
    assert.ok([0, 400, 505].includes(statusOf(text)), `${name}: ${text.slice(0, 80)}`)
  }
  await using server = await served()
  assert.equal(statusOf(await exchange(server.address, head(ping, '\r\n'), isComplete)), 200)
  console.log(JSON.stringify({ id: 'W-08', tried: cases.length, splitRequests: split }))
})

test('a missing Host is refused by the host check, in HTTP/1.1 and in HTTP/1.0', async () => {
  await using server = await served()
  for (const version of ['1.0', '1.1']) {
    const text = await exchange(server.address, `GET /rest/noauth/health HTTP/${version}\r\nConnection: close\r\n\r\n`)
    assert.equal(statusOf(text), 403, version)
    assert.ok(text.endsWith('Host check error\n'))
  }
})

test('success without content has Content-Length 0 and no Content-Type; HEAD is 405 without a body', async () => {
  await using server = await served()
  const scan = await exchange(
    server.address,
    `POST /rest/db/scan?folder=share HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(scan, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(scan, /\r\nContent-Length: 0\r\n/)
  assert.ok(!/^content-type:/im.test(scan))
  const ping = await exchange(
    server.address,
    `HEAD /rest/system/ping HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(ping, /^HTTP\/1\.1 405 [^]*\r\n\r\n$/)
})

test('closing ends the connections that clients keep open', async () => {
  const rest = fakeRest({
    deps: { events: { emit: () => {}, buffer: () => ({ since: () => new Promise(() => {}) }) } },
  })
  const listener = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, rest.server.handler)
  const sockets = [head('/rest/system/ping', '\r\n'), 'GET / HT', head('/rest/events', '\r\n')].map((bytes) => {
    const socket = open(listener.address)
    socket.on('error', () => {})
    socket.resume()
    socket.write(bytes)
    return { socket, closed: new Promise<void>((resolve) => socket.on('close', () => resolve())) }
  })
  await exchange(listener.address, head('/rest/system/ping', '\r\n'), isComplete)
  await listener[Symbol.asyncDispose]()
  await Promise.all(sockets.map(({ closed }) => closed)) // hangs if one of them stays open
  assert.deepEqual(
    sockets.map(({ socket }) => socket.destroyed),
    [true, true, true],
  )
})

test('one port serves TLS and plain HTTP, and tolerates clients that use neither', async () => {
  const identity = await makeCertificate({
    commonName: 'test',
    keyType: 'P-256',
    lifetimeDays: 2,
    nowMs: Date.now(),
    serial: new Uint8Array(8),
  })
  const listener = await createNodeHttpServer().listen(
    { address: '127.0.0.1:0', tls: { certificatePem: identity.certificatePem, keyPem: identity.keyPem } },
    (request) => ({ status: 200, headers: {}, body: `${request.secure}` }),
  )
  const port = Number(listener.address.split(':')[1])
  const fetchBy = (send: typeof requestTls, options: object = {}) =>
    new Promise<string>((resolve, reject) => {
      const outgoing = send(
        { host: '127.0.0.1', port, path: '/', agent: false, rejectUnauthorized: false, ...options },
        (response) => {
          let text = ''
          response.on('data', (piece: Buffer) => (text += piece.toString()))
          response.on('end', () => resolve(text))
        },
      )
      outgoing.on('error', reject)
      outgoing.end()
    })
  assert.equal(await fetchBy(requestTls), 'true')
  assert.equal(await fetchBy(requestPlain), 'false')
  await assert.rejects(fetchBy(requestTls, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }))
  for (const garbage of ['\x16\x03\x01\x00\x05hello', '\x16', '\0\0\0', 'x']) {
    const socket = open(listener.address)
    socket.on('error', () => {})
    socket.end(Buffer.from(garbage, 'latin1'))
    await new Promise<void>((resolve) => socket.on('close', () => resolve()).resume())
  }
  assert.equal(await fetchBy(requestTls), 'true')
  await listener[Symbol.asyncDispose]()
})

test('a UNIX socket has its mode from the start, replaces a stale file, and fails if one is in use', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-http-'))
  const path = join(directory, 'gui.sock')
  try {
    const server = createNodeHttpServer()
    const handler: HttpHandler = (request) => ({
      status: 200,
      headers: {},
      body: `${request.unixSocket} ${request.remoteAddress}\n`,
    })
    const first = await server.listen({ address: path, unixSocketMode: 0o600 }, handler)
    assert.equal(first.address, path)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.match(await exchange(path, head('/', 'Connection: close\r\n\r\n')), /true \n$/)
    await assert.rejects(server.listen({ address: path }, handler), { code: 'EADDRINUSE' })
    await first[Symbol.asyncDispose]()

    await leaveStaleSocket(path)
    const second = await server.listen({ address: path, unixSocketMode: 0o660 }, handler)
    assert.equal(statSync(path).mode & 0o777, 0o660)
    await second[Symbol.asyncDispose]()

    writeFileSync(path, 'precious')
    await assert.rejects(server.listen({ address: path }, handler), { code: 'EADDRINUSE' })
    assert.equal(statSync(path).size, 8)
  } finally {
    rmSync(directory, { recursive: true })
  }
})

/** A stale socket file: bound elsewhere, then moved here, then closed. */
async function leaveStaleSocket(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen({ path: `${path}.other` }, resolve))
  renameSync(`${path}.other`, path)
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

test('an invalid address is refused, not guessed', async () => {
  for (const address of ['', 'localhost', '127.0.0.1', '::1:80', '127.0.0.1:99999', '127.0.0.1:http']) {
    await assert.rejects(
      createNodeHttpServer().listen({ address }, () => ({ status: 200, headers: {} })),
      { code: 'EINVAL' },
      address,
    )
  }
})

test('switching TLS on over REST: the request gets its reply, the same port then serves TLS', async () => {
  const identity = await makeCertificate({
    commonName: 'test',
    keyType: 'P-256',
    lifetimeDays: 2,
    nowMs: Date.now(),
    serial: new Uint8Array(8),
  })
  const clock = {
    ...fakeRest().deps.clock,
    sleep: (delayMs: number, signal: AbortSignal) => sleep(delayMs, undefined, { signal }),
  }
  const probe = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, () => ({ status: 200, headers: {} }))
  await probe[Symbol.asyncDispose]()
  const rest = fakeRest({
    gui: { address: probe.address },
    deps: { clock, http: createNodeHttpServer(), httpsIdentity: async () => identity },
  })
  const stop = new AbortController()
  const done = rest.server.run(stop.signal)
  await rest.server.ready
  const body = '{"useTLS":true}'
  const patch = `PATCH /rest/config/gui HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  assert.equal(statusOf(await exchange(probe.address, patch)), 200)
  const moved = async () =>
    /\r\nLocation: https:\/\/localhost\/rest/.test(
      await exchange(probe.address, head('/rest/system/ping', 'Connection: close\r\n\r\n')),
    )
  for (let tries = 0; !(await moved()); tries++) assert.ok(tries < 1_000)
  const idle = open(probe.address) // neither HTTP nor TLS yet: must not hold up the end
  idle.on('error', () => {}).resume()
  await new Promise((resolve) => idle.once('connect', resolve))
  stop.abort()
  await done
  assert.deepEqual(
    rest.logged.filter((line) => line.startsWith('ERROR')),
    [],
  )
})
