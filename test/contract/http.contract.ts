import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemCode } from '../../src/core/errors.ts'
import type { HttpHandler, HttpServer } from '../../src/platform/http.ts'

export interface ContractCall {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

export interface ContractAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

export interface HttpSetup {
  readonly server: HttpServer
  readonly call: (address: string, call: ContractCall) => Promise<ContractAnswer>
}

const LOCAL = '127.0.0.1:0'

/** What every HttpServer owes its callers. */
export function httpContract(name: string, make: () => HttpSetup): void {
  const check = (rule: string, handler: HttpHandler, body: (setup: HttpSetup, address: string) => Promise<void>) =>
    test(`${name}: ${rule}`, async () => {
      const setup = make()
      await using listener = await setup.server.listen({ address: LOCAL }, handler)
      assert.match(listener.address, /^127\.0\.0\.1:[1-9]\d*$/)
      await body(setup, listener.address)
    })

  check(
    'a request arrives as sent and the reply as given',
    ({ method, target, headers, secure, unixSocket }) => ({
      status: 201,
      headers: { 'X-Seen': `${method} ${target} ${headers['x-one']} ${secure} ${unixSocket}` },
      body: 'grüße',
    }),
    async ({ call }, address) => {
      const answer = await call(address, { method: 'PATCH', target: '/a%20b?c=d&c=e', headers: { 'X-One': '1' } })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers['x-seen'], 'PATCH /a%20b?c=d&c=e 1 false false')
      assert.equal(answer.body, 'grüße')
    },
  )

  check(
    'a promised reply is waited for',
    async () => ({ status: 200, headers: {}, body: new Uint8Array([111, 107]) }),
    async ({ call }, address) => assert.equal((await call(address, { target: '/' })).body, 'ok'),
  )

  check(
    'a reply without body is empty',
    () => ({ status: 200, headers: {} }),
    async ({ call }, address) => assert.deepEqual((await call(address, { target: '/' })).body, ''),
  )

  check(
    'several cookies are several headers',
    () => ({ status: 204, headers: { 'Set-Cookie': ['a=1', 'b=2'] } }),
    async ({ call }, address) =>
      assert.deepEqual((await call(address, { target: '/' })).headers['set-cookie'], ['a=1', 'b=2']),
  )

  check(
    'a body is read on demand, up to its limit',
    async (request) => ({ status: 200, headers: {}, body: (await request.body(5)).length.toString() }),
    async ({ call }, address) =>
      assert.equal((await call(address, { method: 'POST', target: '/', body: '12345' })).body, '5'),
  )

  check(
    'a body over the limit rejects with body-too-large, and the refusal reaches the client',
    async (request) => {
      try {
        await request.body(5)
        return { status: 200, headers: {} }
      } catch (error) {
        return { status: 413, headers: {}, body: systemCode(error) ?? '?' }
      }
    },
    async ({ call }, address) => {
      for (const size of [6, 100_000, 3_000_000]) {
        const answer = await call(address, { method: 'POST', target: '/', body: 'x'.repeat(size) })
        assert.deepEqual([answer.status, answer.body], [413, 'body-too-large'], `${size} bytes`)
      }
    },
  )

  check(
    'a body that is not read does not hurt the next request',
    () => ({ status: 200, headers: {}, body: 'ok' }),
    async ({ call }, address) => {
      for (let i = 0; i < 3; i++) {
        assert.equal((await call(address, { method: 'POST', target: '/', body: 'x'.repeat(1_000_000) })).body, 'ok')
      }
    },
  )

  check(
    'pieces are sent in order',
    () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (let i = 0; i < 50; i++) yield i % 2 === 0 ? `${i};` : new TextEncoder().encode(`${i};`)
      })(),
    }),
    async ({ call }, address) => {
      const expected = Array.from({ length: 50 }, (_, i) => `${i};`).join('')
      assert.equal((await call(address, { target: '/' })).body, expected)
    },
  )

  check(
    'a handler that throws is a 500, and the server continues',
    (request) => {
      if (request.target === '/throws') throw new Error('a bug')
      if (request.target === '/rejects') return Promise.reject(new Error('a bug'))
      return { status: 200, headers: {}, body: 'ok' }
    },
    async ({ call }, address) => {
      assert.equal((await call(address, { target: '/throws' })).status, 500)
      assert.equal((await call(address, { target: '/rejects' })).status, 500)
      assert.equal((await call(address, { target: '/' })).body, 'ok')
    },
  )

  test(`${name}: the signal aborts when the client disconnects`, async () => {
    const { server, call } = make()
    const seen = Promise.withResolvers<AbortSignal>()
    const gone = Promise.withResolvers<void>()
    await using listener = await server.listen({ address: LOCAL }, async (request) => {
      request.signal.addEventListener('abort', () => gone.resolve(), { once: true })
      seen.resolve(request.signal)
      await gone.promise
      return { status: 200, headers: {} }
    })
    const leaving = new AbortController()
    const asked = call(listener.address, { target: '/', signal: leaving.signal }).catch(() => undefined)
    assert.equal((await seen.promise).aborted, false)
    leaving.abort()
    await gone.promise
    assert.equal((await seen.promise).aborted, true)
    await asked
  })

  test(`${name}: closing ends a long poll and frees the address`, async () => {
    const { server, call } = make()
    const polling = Promise.withResolvers<void>()
    const listener = await server.listen({ address: LOCAL }, (request) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        const { promise, resolve } = Promise.withResolvers<void>()
        request.signal.addEventListener('abort', () => resolve(), { once: true })
        polling.resolve()
        await promise
        yield '[]'
      })(),
    }))
    const answer = call(listener.address, { target: '/' })
    await polling.promise
    await listener[Symbol.asyncDispose]()
    assert.equal((await answer).body, '[]')
    await assert.rejects(call(listener.address, { target: '/' }))
    await using again = await server.listen({ address: listener.address }, () => ({ status: 200, headers: {} }))
    assert.equal(again.address, listener.address)
  })

  test(`${name}: an address in use rejects with EADDRINUSE`, async () => {
    const { server } = make()
    await using first = await server.listen({ address: LOCAL }, () => ({ status: 200, headers: {} }))
    await assert.rejects(
      server.listen({ address: first.address }, () => ({ status: 200, headers: {} })),
      { code: 'EADDRINUSE' },
    )
  })
}
