/** The listener: closing, TLS on the same port, UNIX sockets, invalid addresses. */
import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import type { HttpHandler } from '../../src/platform/http.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { fakeRest } from './fakes.ts'
import { exchange, head, isComplete, open, statusOf } from './raw-client.ts'

test('closing ends the connections that clients keep open', async () => {
  const rest = fakeRest({
    deps: {
      events: {
        emit: () => {},
        buffer: () => ({ since: () => new Promise(() => {}) }),
        sequence: () => ({ newestId: 0, next: () => new Promise(() => {}) }),
      },
    },
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
  const more = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  const patch = head('/rest/config/gui', more).replace('GET', 'PATCH')
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
