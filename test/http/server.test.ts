import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuiConfig } from '../../src/core/config/config.ts'
import { parseGuiAddress } from '../../src/http/pipeline/address.ts'
import { TokenStore } from '../../src/http/pipeline/tokens.ts'
import { simRequest } from '../../src/platform/sim/http.ts'
import { fakeRest, KEY } from './fakes.ts'

// The listener, changes of its configuration, and what survives a restart.

const PING = { target: '/rest/system/ping', headers: { 'X-API-Key': KEY } }

/** Runs all ready work until the condition holds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 10_000; i++) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.fail('it never happened')
}

function running(fake: Parameters<typeof fakeRest>[0] = {}) {
  const rest = fakeRest(fake)
  const stop = new AbortController()
  const done = rest.server.run(stop.signal)
  const changeGui = (gui: Partial<GuiConfig>) =>
    rest.config.change((current) => ({ ...current, gui: { ...current.gui, ...gui } }))
  return {
    ...rest,
    changeGui,
    stop: async () => {
      stop.abort()
      await done
    },
  }
}

test('it listens on the configured address and stops on abort', async () => {
  const rest = running()
  await rest.server.ready
  assert.equal(rest.server.address, '127.0.0.1:8384')
  assert.equal((await rest.http.call('127.0.0.1:8384', PING)).status, 200)
  assert.equal(JSON.parse((await rest.send('GET', '/rest/system/status')).body).guiAddressUsed, '127.0.0.1:8384')
  await rest.stop()
  await assert.rejects(rest.http.call('127.0.0.1:8384', PING), { code: 'ECONNREFUSED' })
})

test('a ping loads no other route, the first request for one does', async () => {
  const rest = fakeRest()
  const handled = (target: string, method = 'GET') => {
    const site = { signal: new AbortController().signal, unixSocket: false, host: '127.0.0.1:8384' }
    return rest.server.handler(simRequest({ ...PING, method, target }, site))
  }
  const status = (reply: ReturnType<typeof handled>) => (reply instanceof Promise ? 'later' : reply.status)
  assert.equal(status(handled('/rest/system/ping')), 200)
  assert.equal(status(handled('/rest/noauth/health')), 200)
  assert.equal(status(handled('/rest/system/ping', 'DELETE')), 405)
  const first = handled('/rest/system/version')
  assert.equal(status(first), 'later')
  assert.equal(status(handled('/rest/system/version')), 'later', 'loading')
  assert.equal((await first).status, 200)
  assert.equal(status(handled('/rest/system/version')), 200)
  assert.equal(status(handled('/rest/system/ping')), 200)
})

test('a changed address is applied, and the request that changed it gets its reply', async () => {
  const rest = running()
  await rest.server.ready
  const response = await rest.http.call('127.0.0.1:8384', {
    ...PING,
    method: 'PATCH',
    target: '/rest/config/gui',
    body: '{"address":"127.0.0.1:9000"}',
  })
  assert.equal(response.status, 200)
  await until(() => rest.server.address === '127.0.0.1:9000')
  assert.equal((await rest.http.call('127.0.0.1:9000', PING)).status, 200)
  await assert.rejects(rest.http.call('127.0.0.1:8384', PING))
  await rest.stop()
})

test('a change that is not about the address keeps the socket', async () => {
  let listens = 0
  const base = fakeRest()
  const http = { listen: (...args: Parameters<typeof base.http.listen>) => (listens++, base.http.listen(...args)) }
  const rest = running({ deps: { http } })
  await rest.server.ready
  await rest.changeGui({ theme: 'dark', user: 'x', apiKey: 'new' })
  await until(
    async () =>
      (await base.http.call('127.0.0.1:8384', { target: '/rest/system/ping', headers: { 'X-API-Key': 'new' } }))
        .status === 200,
  )
  assert.equal(listens, 1)
  await rest.stop()
})

test('an address in use is logged, retried with backoff, and used when free', async () => {
  const base = fakeRest()
  const other = await base.http.listen({ address: '127.0.0.1:8384' }, () => ({ status: 200, headers: {} }))
  const rest = running({ deps: { http: base.http } })
  await rest.server.attempted // hangs where services would wait for the address
  await until(() => rest.slept.length >= 8)
  assert.deepEqual(rest.slept.slice(0, 7), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  assert.ok(
    rest.logged.some((line) =>
      line.startsWith('ERROR GUI/API: cannot listen on 127.0.0.1:8384: address already in use'),
    ),
  )
  assert.equal(rest.server.address, undefined)
  await other[Symbol.asyncDispose]()
  await rest.server.ready
  assert.equal(rest.server.address, '127.0.0.1:8384')
  await rest.stop()
})

test('while an address is in use, a new one in the config is tried at once', async () => {
  const base = fakeRest()
  await base.http.listen({ address: '127.0.0.1:8384' }, () => ({ status: 200, headers: {} }))
  const clock = {
    ...base.deps.clock,
    sleep: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }
  const rest = running({ deps: { http: base.http, clock } })
  await until(() => rest.logged.length > 0)
  await rest.changeGui({ address: '127.0.0.1:9001' })
  await until(() => rest.server.address === '127.0.0.1:9001')
  await rest.stop()
})

test('a disabled GUI does not listen; an address from the command line overrides the config', async () => {
  const off = running({ gui: { enabled: false } })
  await until(() => off.kept.size === 0)
  await off.server.attempted // hangs where services would wait for an address that is not configured
  assert.equal(off.server.address, undefined)
  await off.changeGui({ enabled: true })
  await off.server.ready
  await off.changeGui({ enabled: false })
  await until(() => off.server.address === undefined)
  await off.stop()
  const given = running({ options: { guiAddress: 'http://127.0.0.1:7000/' } })
  await given.server.ready
  assert.equal(given.server.address, '127.0.0.1:7000')
  assert.equal(JSON.parse((await given.send('GET', '/rest/system/status')).body).guiAddressOverridden, true)
  await given.stop()
})

test('with TLS on, plain requests are redirected before authentication', async () => {
  const rest = running({ gui: { useTLS: true, user: 'a', password: 'b' } })
  await rest.server.ready
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await rest.http.call('127.0.0.1:8384', {
      method,
      target: '/rest/db/scan?folder=x',
      headers: { Host: 'localhost:8384' },
    })
    assert.deepEqual(
      [response.status, response.headers['location']],
      [307, 'https://localhost:8384/rest/db/scan?folder=x'],
    )
  }
  assert.equal((await rest.http.call('127.0.0.1:8384', { ...PING, secure: true })).status, 200)
  assert.deepEqual(rest.calls, [])
  await rest.stop()
})

test('addresses: every form that the config and the command line allow', () => {
  const cases: [text: string, listen: string, tls: boolean | undefined, loopback: boolean][] = [
    ['127.0.0.1:8384', '127.0.0.1:8384', undefined, true],
    ['localhost:8384', 'localhost:8384', undefined, true],
    ['[::1]:8384', '[::1]:8384', undefined, true],
    [':8384', ':8384', undefined, false],
    ['0.0.0.0:8384', '0.0.0.0:8384', undefined, false],
    ['/run/st.sock', '/run/st.sock', undefined, false],
    ['http://127.0.0.1:1', '127.0.0.1:1', false, true],
    ['https://10.0.0.1:1/', '10.0.0.1:1', true, false],
    ['unix:///run/st.sock', '/run/st.sock', false, false],
    ['unixs:///run/st.sock', '/run/st.sock', true, false],
  ]
  for (const [text, listen, tls, loopback] of cases)
    assert.deepEqual(parseGuiAddress(text), { listen, tls, loopback }, text)
})

test('tokens: saved one second after the last change and at the end, as hashes, and survive a restart', async () => {
  const { deps, kept, slept } = fakeRest()
  const options = { key: 'http/test', lifetimeMs: () => 10_000 }
  const store = new TokenStore(deps, options)
  const stop = new AbortController()
  const done = store.run(stop.signal)
  const first = store.make()
  await until(() => kept.has('http/test'))
  assert.deepEqual(slept, [1_000])
  const second = store.make()
  stop.abort()
  await done
  const text = new TextDecoder().decode(kept.get('http/test'))
  assert.ok(!text.includes(first) && !text.includes(second))

  const next = new TokenStore(deps, options)
  await next.load()
  assert.deepEqual(
    [next.use(first), next.use(second), next.use('x'), next.use('a'.repeat(64))],
    [true, true, false, false],
  )
  next.drop(first)
  assert.equal(next.use(first), false)

  for (const damage of ['', '{', '[]', '{"a":"b"}', 'null', '{"a":1e300}']) {
    kept.set('http/test', new TextEncoder().encode(damage))
    const damaged = new TokenStore(deps, options)
    await damaged.load()
    assert.equal(damaged.use(second), false, damage)
  }
})

test('sessions survive a restart of the daemon', async () => {
  const gui = { user: 'alice', password: 'x' }
  const passwords = { hash: async () => '', verify: async () => true }
  const first = running({ gui, deps: { passwords } })
  await first.server.ready
  const login = await first.call({
    method: 'POST',
    target: '/rest/noauth/auth/password',
    body: '{"username":"alice","password":"p"}',
  })
  const cookie = [login.headers['set-cookie'] ?? []].flat()[0]?.split(';')[0] ?? ''
  await first.stop()
  const second = running({ gui, deps: { keyValue: first.deps.keyValue } })
  await second.server.ready
  assert.equal((await second.call({ target: '/meta.js', headers: { Cookie: cookie } })).status, 200)
  await second.stop()
})
