import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { findRelease } from '../../src/upgrade/registry.ts'
import type { ClientRequest, HttpClient } from '../../src/platform/http-client.ts'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { NpmRegistry, type Answer } from '../support/npm-registry.ts'

let registry: NpmRegistry

before(async () => {
  registry = await NpmRegistry.start()
  registry.release('1.0.0')
  registry.release('1.1.0', { twinfold: { changes: [{ version: '1.1.0', text: 'One' }] } })
  registry.release('2.0.0-rc.1')
  registry.release('1.2.0', {
    twinfold: {
      changes: [
        { version: '1.2.0', text: 'Two' },
        { version: '1.1.0', text: 'One' },
        { version: '1.0.0', text: 'First' },
      ],
    },
  })
})
after(() => registry[Symbol.asyncDispose]())
beforeEach(() => {
  registry.answer = undefined
  registry.requests.length = 0
})

const deps = { http: nodeHttpClient, environment: () => undefined }
const find = (
  running: string,
  preReleases = false,
  environment: (name: string) => string | undefined = deps.environment,
) =>
  findRelease({ ...deps, environment }, { source: registry.source, running, preReleases }, new AbortController().signal)

test('a newer release, and the changes since the running one', async () => {
  assert.deepEqual(await find('1.0.0'), {
    version: '1.2.0',
    relation: 'newer',
    changes: [
      { version: '1.2.0', text: 'Two' },
      { version: '1.1.0', text: 'One' },
    ],
  })
  assert.deepEqual(
    registry.requests.map(({ url }) => url),
    ['/twinfold', '/twinfold/1.2.0'],
  )
})

test('without a newer release one request is sent', async () => {
  assert.deepEqual(await find('1.2.0'), { version: '1.2.0', relation: 'same', changes: [] })
  assert.deepEqual(await find('3.0.0'), { version: '1.2.0', relation: 'older', changes: [] })
  assert.equal(registry.requests.length, 2)
})

test('pre-releases are found when enabled', async () => {
  assert.deepEqual(await find('1.0.0', true), { version: '2.0.0-rc.1', relation: 'major-newer', changes: [] })
})

test('the request contains nothing about the device but the version, and accepts the abbreviated list', async () => {
  await find('1.2.0')
  const { host, ...headers } = registry.requests[0]?.headers ?? {}
  assert.ok(host?.startsWith('127.0.0.1:'))
  assert.deepEqual(headers, {
    accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8',
    'user-agent': 'twinfold/1.2.0',
    'accept-encoding': 'identity',
    connection: 'close',
  })
})

test('the proxy of the environment is not used for loopback', async () => {
  const environment = (name: string) => (name === 'all_proxy' ? 'http://127.0.0.1:1' : undefined)
  assert.equal((await find('1.0.0', false, environment)).version, '1.2.0')
})

test('other hosts are contacted through the proxy of the environment, except those in no_proxy', async () => {
  const requests: ClientRequest[] = []
  const http: HttpClient = {
    send: async (request) => (requests.push(request), { status: 404, headers: {}, body: new Uint8Array() }),
  }
  const variables = new Map([
    ['https_proxy', 'http://me:secret@proxy.example:3128'],
    ['no_proxy', 'inside.example'],
  ])
  for (const host of ['npm.example', 'inside.example']) {
    const query = { source: `https://${host}/twinfold`, running: '1.0.0', preReleases: false }
    await assert.rejects(
      findRelease({ http, environment: (name) => variables.get(name) }, query, new AbortController().signal),
      /status 404/,
    )
  }
  assert.deepEqual(
    requests.map(({ proxy }) => proxy && [proxy.kind, proxy.host, proxy.port, proxy.user]),
    [['http', 'proxy.example', 3128, 'me'], undefined],
  )
  assert.deepEqual(
    requests.map(({ trust }) => trust),
    [undefined, undefined],
    'the certificate must be trusted by the system',
  )
})

const text =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body)
const HOSTILE: [why: string, respond: Answer, message: RegExp][] = [
  ['not JSON', text(200, '<html>'), /the response is not JSON$/],
  ['other JSON', text(200, '[]'), /not package metadata$/],
  ['no releases', text(200, '{"versions":{"x":{}}}'), /no release published$/],
  ['an error', text(503, 'busy'), /HTTP status 503$/],
  ['a missing package', text(404, '{}'), /HTTP status 404$/],
  [
    'a redirect to another host',
    text(302, '', { Location: 'http://192.0.2.1/\u{1b}'.replace('\u{1b}', '') }),
    /redirects to http:\/\/192\.0\.2\.1\/, which is not followed/,
  ],
  [
    'a redirect to itself',
    text(301, '', { Location: '/twinfold/' }),
    /redirects to \/twinfold\/, which is not followed/,
  ],
  ['a response above the limit', text(200, ' '.repeat(5 * 1024 * 1024)), /longer than 4194304 bytes$/],
  [
    'an endless response',
    (_, response) => {
      const more = () => void (!response.destroyed && response.write(' '.repeat(65_536), () => setImmediate(more)))
      more()
    },
    /longer than 4194304 bytes$/,
  ],
  ['a broken connection', (request) => request.socket.destroy(), /ECONNRESET|socket hang up/],
  [
    'a truncated response',
    (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy())
    },
    /ECONNRESET|incomplete|aborted/,
  ],
  ['no HTTP at all', (request) => void request.socket.end('nonsense\r\n\r\n'), /Parse Error|EPROTO|HPE/],
]
for (const [why, respond, message] of HOSTILE) {
  test(`the registry sends ${why}`, async () => {
    registry.answer = respond
    await assert.rejects(find('1.0.0'), (error) => {
      assert.ok(error instanceof TwinfoldError && error.code === 'upgrade-failed', String(error))
      assert.ok(error.message.startsWith(`${registry.source}: `), error.message)
      assert.match(error.message, message)
      return true
    })
  })
}

test('versions that contain commands are ignored', async () => {
  registry.answer = text(
    200,
    JSON.stringify({
      'dist-tags': { latest: '9.0.0; rm -rf /' },
      versions: { '9.0.0; rm -rf /': {}, '../../x': {}, '1.1.0': {} },
    }),
  )
  await assert.doesNotReject(find('1.1.0'))
})

test('an abort rejects with its reason', async () => {
  const stop = new AbortController()
  registry.answer = () => stop.abort(new Error('stopped'))
  await assert.rejects(
    findRelease(deps, { source: registry.source, running: '1.0.0', preReleases: false }, stop.signal),
    /^Error: stopped$/,
  )
})
