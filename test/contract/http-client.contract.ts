import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { before, test } from 'node:test'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { ClientRequest, HttpClient } from '../../src/platform/http-client.ts'
import type { HttpHandler, HttpServer } from '../../src/platform/http.ts'
import type { Identity } from '../../src/platform/net.ts'

export interface HttpClientSetup {
  readonly client: HttpClient
  readonly server: HttpServer
  /** Lets time pass until the request has ended. */
  readonly pass: (request: Promise<unknown>) => Promise<void>
}

const LIMITS = { responseBytesMax: 1_000, timeoutMs: 20_000 }
const never = new AbortController().signal
const coded = (code: string) => (error: unknown) => error instanceof Error && 'code' in error && error.code === code

/** What every HttpClient owes its callers. */
export function httpClientContract(name: string, make: () => HttpClientSetup): void {
  let identity: Identity
  let other: Identity
  before(async () => {
    const make = (commonName: string) =>
      makeCertificate({ commonName, keyType: 'P-256', lifetimeDays: 10, nowMs: Date.now(), serial: new Uint8Array(8) })
    identity = await make('localhost')
    other = await make('localhost')
  })

  type Ask = (
    request?: Partial<ClientRequest> & { readonly path?: string },
    signal?: AbortSignal,
  ) => ReturnType<HttpClient['send']>
  const check = (
    rule: string,
    handler: HttpHandler,
    body: (ask: Ask, setup: HttpClientSetup) => Promise<void>,
    tls = false,
  ) =>
    test(`${name}: ${rule}`, async () => {
      const setup = make()
      const address = tls ? 'localhost:0' : '127.0.0.1:0'
      await using listener = await setup.server.listen({ address, ...(tls && { tls: identity }) }, handler)
      const host = tls ? listener.address.replace(/^.*:/, 'localhost:') : listener.address
      const origin = `${tls ? 'https' : 'http'}://${host}`
      await body(
        ({ path = '/', ...more } = {}, signal = never) =>
          setup.client.send({ url: origin + path, ...LIMITS, ...more }, signal),
        setup,
      )
    })

  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

  check(
    'a request arrives as given and the answer as sent',
    async (request) => ({
      status: 418,
      headers: { 'X-Seen': `${request.method} ${request.target} ${request.headers['x-one']}` },
      body: await request.body(100),
    }),
    async (ask) => {
      const answer = await ask({ method: 'PUT', path: '/a%20b?c=d', headers: { 'X-One': '1' }, body: 'grüße' })
      assert.deepEqual([answer.status, answer.headers['x-seen'], text(answer.body)], [418, 'PUT /a%20b?c=d 1', 'grüße'])
    },
  )

  check(
    'an answer without a body is empty',
    () => ({ status: 204, headers: {} }),
    async (ask) => {
      assert.deepEqual([(await ask()).status, (await ask()).body.length], [204, 0])
    },
  )

  check(
    'a redirect is an answer',
    () => ({ status: 302, headers: { Location: 'http://192.0.2.1/' } }),
    async (ask) => {
      const { status, headers } = await ask()
      assert.deepEqual([status, headers['location']], [302, 'http://192.0.2.1/'])
    },
  )

  check(
    'an answer may be as long as the limit and not a byte longer',
    ({ target }) => ({ status: 200, headers: {}, body: 'x'.repeat(Number(target.slice(1))) }),
    async (ask) => {
      assert.equal((await ask({ path: '/1000' })).body.length, 1_000)
      await assert.rejects(ask({ path: '/1001' }), coded('EMSGSIZE'))
    },
  )

  check(
    'an answer without an announced length is limited too',
    () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (;;) yield 'x'.repeat(300)
      })(),
    }),
    async (ask) => assert.rejects(ask(), coded('EMSGSIZE')),
  )

  check(
    'a response after the timeout rejects',
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 200, headers: {} }))),
    async (ask, { pass }) => {
      const request = ask({ timeoutMs: 50 })
      request.catch(() => {}) // checked below
      await pass(request)
      await assert.rejects(request, coded('ETIMEDOUT'))
    },
  )

  check(
    'an abort rejects with its reason',
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 200, headers: {} }))),
    async (ask) => {
      const reason = new Error('enough')
      const stop = new AbortController()
      const request = ask({}, stop.signal)
      stop.abort(reason)
      await assert.rejects(request, reason)
      await assert.rejects(ask({}, stop.signal), reason)
    },
  )

  test(`${name}: no listener, and an invalid address`, async () => {
    const { client, server } = make()
    const listener = await server.listen({ address: '127.0.0.1:0' }, () => ({ status: 200, headers: {} }))
    await listener[Symbol.asyncDispose]()
    await assert.rejects(client.send({ url: `http://${listener.address}/`, ...LIMITS }, never), coded('ECONNREFUSED'))
    await assert.rejects(client.send({ url: 'ftp://127.0.0.1/', ...LIMITS }, never), coded('EINVAL'))
    await assert.rejects(client.send({ url: 'http://me@127.0.0.1/', ...LIMITS }, never), coded('EINVAL'))
  })

  let asked = 0
  check(
    'only a trusted certificate is talked to',
    () => {
      asked++
      return { status: 200, headers: {}, body: 'secret' }
    },
    async (ask) => {
      const pin = (pem: string) => createHash('sha256').update(new X509Certificate(pem).raw).digest()
      asked = 0
      for (const trust of [
        undefined,
        { kind: 'system' },
        { kind: 'pinned', sha256: pin(other.certificatePem) },
        { kind: 'authority', certificatePem: other.certificatePem },
      ] as const) {
        await assert.rejects(ask(trust === undefined ? {} : { trust }), coded('EPROTO'), JSON.stringify(trust))
      }
      assert.equal(asked, 0)
      for (const trust of [
        { kind: 'any' },
        { kind: 'pinned', sha256: pin(identity.certificatePem) },
        { kind: 'authority', certificatePem: identity.certificatePem },
      ] as const) {
        assert.equal(text((await ask({ trust })).body), 'secret', trust.kind)
      }
    },
    true,
  )
}
