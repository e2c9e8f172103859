/** What a client may send before and without a login: sizes, times, numbers (catalogue rows W-06 and W-07). */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { EventBuffer } from '../../src/events/types.ts'
import { KEY } from './fakes.ts'
import { exchange, head, isComplete, open, served, statusOf } from './raw-client.ts'

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
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n` +
    'Expect: 100-continue\r\nContent-Length: 5\r\n\r\n'
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
      deps: {
        events: { emit: () => {}, buffer: () => buffer, sequence: () => ({ newestId: 0, next: async () => [] }) },
      },
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

    // All of them are still held while others are served: nothing here ends them.
    const attackedMs = await pingsMs(server.address)
    assert.equal(attackedMs.length, 50)
    assert.deepEqual([polling, sockets.filter(({ destroyed }) => destroyed).length], [200, 0])
    assert.ok(produced < 50, `${produced}`) // replies are produced as fast as they are read, not all at once
    for (const socket of sockets) socket.destroy()
    poll.resolve()
    console.log(
      JSON.stringify({
        id: 'W-07',
        tried: 1_000,
        slowHeads: 200,
        slowBodies: 100,
        idle: 500,
        longPolls: 200,
        worstMs: Math.round(Math.max(...attackedMs)),
        repliesMadeForSlowReader: produced,
      }),
    )
  },
)

/** How long each of some requests takes. */
async function pingsMs(address: string): Promise<readonly number[]> {
  const taken: number[] = []
  for (let i = 0; i < 50; i++) {
    const startMs = performance.now()
    assert.equal(statusOf(await exchange(address, head('/rest/system/ping', '\r\n'), isComplete)), 200)
    taken.push(performance.now() - startMs)
  }
  return taken
}
