/** Requests that wait: memory that any client could fill without a login is bounded. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { HttpHandler } from '../../src/platform/http.ts'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import { exchange, isComplete, open, statusOf } from './raw-client.ts'

/** Of `src/platform/node/http/http-queue.ts`. */
const WAITING_MAX = 1_024
const ALL_WAITING_MAX = 16_384
const HEADS_MIB_MAX = 64
const UNCOUNTED_MAX = 64
const CHANNEL = 'http.server.request.start'
const HEAD = 'GET /x HTTP/1.1\r\nHost: localhost\r\nX-Filler: 0123456789012345678901234567890123456789\r\n'

/** A server whose first request on each connection takes until `release`, and the requests that it has parsed. */
async function blocked() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let parsed = 0
  const count = () => void parsed++
  subscribe(CHANNEL, count)
  const served: string[] = []
  const handler: HttpHandler = async (request) => {
    served.push(request.target)
    if (request.target === '/first') await promise
    if (request.target === '/read') await request.body(2 ** 30)
    return { status: 200, headers: {}, body: `${request.target}\n` }
  }
  const listener = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, handler)
  return {
    address: listener.address,
    served,
    parsed: () => parsed,
    release: resolve,
    [Symbol.asyncDispose]: async () => {
      unsubscribe(CHANNEL, count)
      resolve()
      await listener[Symbol.asyncDispose]()
    },
  }
}

const FIRST = 'GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** The server has served other clients so often that it had the opportunity to read everything it wants. */
async function othersServed(address: string): Promise<void> {
  const one = 'GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  for (let i = 0; i < 30; i++) assert.equal(statusOf(await exchange(address, one, isComplete)), 200)
}

function send(address: string, bytes: string): { readonly socket: Socket; readonly closed: Promise<void> } {
  const socket = open(address)
  socket.on('error', () => {}).resume()
  socket.write(bytes)
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve())) }
}

test('while requests of a connection wait it is not read, and later all are served in order', async () => {
  await using server = await blocked()
  const many = 20_000
  const rest = Array.from({ length: many }, (_, i) => `${HEAD}X-Number: ${i}\r\n\r\n`.replace('/x', `/${i}`)).join('')
  const socket = open(server.address)
  let text = ''
  const { promise: all, resolve } = Promise.withResolvers<void>()
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    if (text.endsWith(`\n/${many - 1}\n`)) resolve()
  })
  socket.write(FIRST + rest)
  await othersServed(server.address)
  assert.ok(server.parsed() < WAITING_MAX + 100, `${server.parsed()} requests are in memory`)
  server.release()
  await all
  socket.destroy()
  const served = server.served.filter((target) => target !== '/other')
  assert.deepEqual(served, ['/first', ...Array.from({ length: many }, (_, i) => `/${i}`)])
})

test('a body behind a waiting request is read when its turn comes', async () => {
  await using server = await blocked()
  const body = 'x'.repeat(300_000)
  const post = `POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const reply = exchange(server.address, `${FIRST}${HEAD}\r\n${post}`, (text) => text.endsWith('/post\n'))
  await othersServed(server.address)
  server.release()
  assert.match(await reply, /\/first\n[^]*\/x\n[^]*\/post\n$/)
})

test('a connection with more tiny requests than can wait is closed, and others are served', async () => {
  await using server = await blocked()
  const { socket } = send(server.address, FIRST + 'GET / HTTP/1.1\r\n\r\n'.repeat(100_000))
  for (let tries = 0; !socket.destroyed && tries < 20; tries++) await othersServed(server.address)
  assert.ok(socket.destroyed, 'closed, long before the timeout of a head')
  // What was in the one read that exceeded the limit: its requests are freed with the connection.
  assert.ok(server.parsed() < 64 * 1024, `${server.parsed()} requests`)
  assert.deepEqual(new Set(server.served), new Set(['/first', '/other']))
})

test('the waiting requests of all connections together are limited', async () => {
  await using server = await blocked()
  const perConnection = 500
  const connections = Array.from({ length: 60 }, () =>
    send(server.address, FIRST + `${HEAD}\r\n`.repeat(perConnection)),
  )
  const openStill = () => connections.filter(({ socket }) => !socket.destroyed).length
  const limit = Math.floor(ALL_WAITING_MAX / perConnection) + 1 // one may be complete in part
  for (let tries = 0; openStill() > limit && tries < 100; tries++) await othersServed(server.address)
  assert.ok(openStill() <= limit, `${openStill()} connections wait`)
  assert.ok(openStill() > 20, 'those within the limit stay')
  for (const { socket } of connections) socket.destroy()
  server.release()
  await Promise.all(connections.map(({ closed }) => closed))
  await othersServed(server.address)
  const late = exchange(server.address, `${HEAD}\r\n`.repeat(300), (text) => text.split('/x\n').length > 300)
  assert.equal((await late).split('/x\n').length, 301, 'closed connections leave no trace in the count')
})

for (const [kind, end] of [
  ['not complete', ''],
  ['not replied to', '\r\n\r\n'],
] as const) {
  test(`the heads of all connections that are ${kind} are limited together`, () => headsAreLimited(end))
}

async function headsAreLimited(end: string): Promise<void> {
  await using server = await blocked()
  const headBytes = 900 * 1024
  const many = 220
  const unfinished = `${HEAD.replace('/x', '/first')}X-Big: ${'x'.repeat(headBytes)}${end}`
  const connections: ReturnType<typeof send>[] = []
  for (let i = 0; i < many; i++) {
    connections.push(send(server.address, unfinished))
    if (i % 10 === 9) await othersServed(server.address)
  }
  const openStill = () => connections.filter(({ socket }) => !socket.destroyed).length
  const limit = UNCOUNTED_MAX + Math.ceil((HEADS_MIB_MAX * 2 ** 20) / headBytes)
  for (let tries = 0; openStill() > limit && tries < 100; tries++) await othersServed(server.address)
  assert.ok(openStill() <= limit, `${openStill()} heads of ${headBytes} bytes are held`)
  for (const { socket } of connections) socket.destroy()
  await Promise.all(connections.map(({ closed }) => closed))
  await othersServed(server.address)
}

test('heads that were replied to are no longer counted', async () => {
  await using server = await blocked()
  const idle = Array.from({ length: UNCOUNTED_MAX }, () => send(server.address, `${HEAD}\r\n`))
  while (server.parsed() < UNCOUNTED_MAX) await othersServed(server.address)
  const one = `${HEAD}X-Big: ${'x'.repeat(900 * 1024)}\r\n\r\n`
  const many = 80
  const keepsOpen = open(server.address)
  const { promise, resolve } = Promise.withResolvers<string>()
  let replies = 0
  keepsOpen.on('close', () => resolve('closed')).on('error', () => {})
  keepsOpen.on('data', () => (++replies < many ? keepsOpen.write(one) : resolve('replied')))
  keepsOpen.write(one)
  assert.equal(await promise, 'replied')
  keepsOpen.destroy()
  for (const { socket } of idle) socket.destroy()
})

test('on a counted connection the bytes of a body are not those of a head', async () => {
  await using server = await blocked()
  const idle = Array.from({ length: UNCOUNTED_MAX }, () => send(server.address, `${HEAD}\r\n`))
  while (server.parsed() < UNCOUNTED_MAX) await othersServed(server.address)
  const body = 'x'.repeat((HEADS_MIB_MAX + 2) * 2 ** 20)
  const post = `POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  assert.match(await exchange(server.address, post, (text) => text.endsWith('/read\n')), /^HTTP\/1\.1 200/)
  for (const { socket } of idle) socket.destroy()
})
