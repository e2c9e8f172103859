import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeTransport } from '../../src/client/node.ts'
import { parseEndpoint, endpointText } from '../../src/client/endpoint.ts'
import { Client } from '../../src/client/client.ts'
import { ClientError, type ClientFailure } from '../../src/client/errors.ts'
import { fetchTransport, type ClientReply, type ClientRequest, type Transport } from '../../src/client/transport.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function withServer(
  handler: Handler,
  work: (address: string) => Promise<void>,
  where: string | number = 0,
): Promise<void> {
  const server: Server = createServer(handler)
  await new Promise<void>((resolve) =>
    typeof where === 'string' ? server.listen(where, resolve) : server.listen(where, '127.0.0.1', resolve),
  )
  const address = server.address()
  try {
    await work(typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : `unix://${where}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const pong: Handler = (_, response) => response.end('{\n  "ping": "pong"\n}\n')

function recording(reply: ClientReply): { client: Client; requests: ClientRequest[] } {
  const requests: ClientRequest[] = []
  const transport: Transport = async (request) => {
    requests.push(request)
    return reply
  }
  return { client: new Client({ transport, apiKey: 'key' }), requests }
}

function failsAs(failure: ClientFailure, message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof ClientError && error.failure === failure && message.test(error.message)
}

const requestCases: [name: string, call: (client: Client) => Promise<unknown>, expected: string, body?: string][] = [
  ['a scan', (client) => client.scan('docs'), 'POST /rest/db/scan?folder=docs'],
  [
    'a scan of parts',
    (client) => client.scan('a b', { subs: ['x/y', 'ü&z'], nextS: 0 }),
    'POST /rest/db/scan?folder=a+b&sub=x%2Fy&sub=%C3%BC%26z&next=0',
  ],
  ['prio', (client) => client.prioritize('docs', 'a+b'), 'POST /rest/db/prio?folder=docs&file=a%2Bb'],
  ['need', (client) => client.need('docs', { page: 2, perPage: 5 }), 'GET /rest/db/need?folder=docs&page=2&perpage=5'],
  [
    'debug switches',
    (client) => client.setDebugFacilities({ enable: ['a', 'b'], disable: ['c'] }),
    'POST /rest/system/debug?enable=a%2Cb&disable=c',
  ],
  [
    'log',
    (client) => client.log('2026-01-01T00:00:00+01:00'),
    'GET /rest/system/log?since=2026-01-01T00%3A00%3A00%2B01%3A00',
  ],
  ['removing a folder', (client) => client.removeFolder('a/b c'), 'DELETE /rest/config/folders/a%2Fb%20c'],
  [
    'adding a folder',
    (client) => client.addFolder({ id: 'i', path: '/p' }),
    'POST /rest/config/folders',
    '{"id":"i","path":"/p"}',
  ],
  [
    'changing options',
    (client) => client.changeOptions({ relaysEnabled: true }),
    'PATCH /rest/config/options',
    '{"relaysEnabled":true}',
  ],
]

for (const [name, call, expected, body] of requestCases) {
  test(`client: ${name} requests ${expected}`, async () => {
    const { client, requests } = recording({ status: 200, text: '{}' })
    await call(client)
    const [request] = requests
    assert.equal(`${request?.method} ${request?.path}`, expected)
    assert.equal(request?.body, body)
    assert.equal(request?.headers['X-API-Key'], 'key')
  })
}

const replyCases: [name: string, reply: ClientReply, failure: ClientFailure, message: RegExp][] = [
  [
    'a page of another server',
    { status: 404, text: '<!DOCTYPE html><html>nginx</html>\n' },
    'malformed',
    /^the reply is a web page with status 404: is another program listening there\?$/,
  ],
  [
    'a refused key',
    { status: 403, text: 'Forbidden\n' },
    'refused',
    /^the API key is wrong for this daemon \(Forbidden\)$/,
  ],
  [
    'a password prompt',
    { status: 401, text: 'Not Authorized\n' },
    'refused',
    /^the API key is wrong for this daemon \(Not Authorized\)$/,
  ],
  ['an error of the daemon', { status: 500, text: 'no such folder\n' }, 'status', /^no such folder$/],
  ['an error without text', { status: 502, text: '' }, 'status', /^status 502$/],
  ['a web page', { status: 200, text: '<html>' }, 'malformed', /another program/],
  ['a list instead of an object', { status: 200, text: '[]' }, 'malformed', /object/],
]

for (const [name, reply, failure, message] of replyCases) {
  test(`client: ${name} is "${failure}"`, () =>
    assert.rejects(recording(reply).client.ping(), failsAs(failure, message)))
}

test('client: a closed port is "unreachable" with the reason of the system', async () => {
  let address = ''
  await withServer(pong, async (used) => void (address = used))
  const client = new Client({ transport: nodeTransport(parseEndpoint(address, { useTls: false })), apiKey: '' })
  await assert.rejects(client.ping(), failsAs('unreachable', /^ECONNREFUSED$/))
  const byFetch = new Client({ transport: fetchTransport(`http://${address}`), apiKey: '' })
  await assert.rejects(byFetch.ping(), failsAs('unreachable', /^ECONNREFUSED$/))
})

test('client: no reply in time is "timeout", by either transport', async () => {
  await withServer(
    () => {},
    async (address) => {
      for (const transport of [
        nodeTransport(parseEndpoint(address, { useTls: false })),
        fetchTransport(`http://${address}/`),
      ]) {
        await assert.rejects(new Client({ transport, apiKey: '', timeoutMs: 50 }).ping(), failsAs('timeout', /0\.05 s/))
      }
    },
  )
})

test('client: an aborted request rejects with the reason of its signal; aborted before, it is not sent', async () => {
  const reason = new Error('enough')
  let arrived = 0
  let stop = new AbortController()
  const unresponsive: Handler = () => {
    arrived++
    stop.abort(reason)
  }
  await withServer(unresponsive, async (address) => {
    for (const transport of [
      nodeTransport(parseEndpoint(address, { useTls: false })),
      fetchTransport(`http://${address}/`),
    ]) {
      stop = new AbortController()
      const client = new Client({ transport, apiKey: '' })
      await assert.rejects(client.call('GET /rest/system/ping', { signal: stop.signal }), (error) => error === reason)
      await assert.rejects(client.scan('docs', { signal: stop.signal }), (error) => error === reason)
      await assert.rejects(client.eventsSince({}, stop.signal), (error) => error === reason)
    }
  })
  assert.equal(arrived, 2)
})

test('client: events aborted during a poll end without an error; a stopped daemon is still an error', async () => {
  for (const given of [new Error('enough'), undefined]) {
    const stop = new AbortController()
    await withServer(
      () => stop.abort(given),
      async (address) => {
        const client = new Client({ transport: nodeTransport(parseEndpoint(address, { useTls: false })), apiKey: '' })
        for await (const event of client.events({}, stop.signal))
          assert.fail(`no event was sent: ${JSON.stringify(event)}`)
      },
    )
  }
  await withServer(
    (_, response) => response.destroy(),
    async (address) => {
      const client = new Client({ transport: nodeTransport(parseEndpoint(address, { useTls: false })), apiKey: '' })
      const follow = async () => {
        for await (const event of client.events({}, new AbortController().signal)) assert.ok(event)
      }
      await assert.rejects(follow(), failsAs('unreachable', /./))
    },
  )
})

test('client: the same reply over TCP, fetch and a UNIX socket', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-client-'))
  const request = { method: 'GET', path: '/rest/system/ping', headers: {}, signal: new AbortController().signal }
  const replies: ClientReply[] = []
  try {
    await withServer(pong, async (address) => {
      replies.push(await nodeTransport(parseEndpoint(address, { useTls: false }))(request))
      replies.push(await fetchTransport(`http://${address}`)(request))
    })
    await withServer(
      pong,
      async (address) => {
        replies.push(await nodeTransport(parseEndpoint(address, { useTls: false }))(request))
      },
      join(directory, 'socket'),
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
  const seen = replies.map(({ status, text }) => ({ status, text }))
  const expected = { status: 200, text: '{\n  "ping": "pong"\n}\n' }
  assert.deepEqual(seen, [expected, expected, expected])
})

test('client: a connection that breaks in the middle of a reply is "unreachable"', async () => {
  const breaking: Handler = (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' })
    response.write('{', () => response.destroy())
  }
  await withServer(breaking, async (address) => {
    const client = new Client({ transport: nodeTransport(parseEndpoint(address, { useTls: false })), apiKey: '' })
    await assert.rejects(client.ping(), failsAs('unreachable', /./))
  })
})

test('client: events are returned one by one, each poll after the last id, until the signal', async () => {
  const polled: string[] = []
  const pages = ['[{"id":1,"type":"Failure"},{"id":2,"type":"Starting"}]', '[]', '[{"id":3,"type":"Failure"}]']
  const transport: Transport = async ({ path }) => {
    polled.push(path)
    return { status: 200, text: pages[polled.length - 1] ?? '[]' }
  }
  const stop = new AbortController()
  const types: string[] = []
  for await (const event of new Client({ transport, apiKey: '' }).events(
    { types: ['Failure', 'Starting'], timeoutS: 1 },
    stop.signal,
  )) {
    types.push(event.type)
    if (types.length === 3) stop.abort()
  }
  assert.deepEqual(types, ['Failure', 'Starting', 'Failure'])
  assert.deepEqual(
    polled.map((path) => new URLSearchParams(path.split('?')[1]).get('since')),
    ['0', '2', '2'],
  )
})

const endpointCases: [address: string, useTls: boolean, expected: string][] = [
  ['127.0.0.1:8384', false, 'http://127.0.0.1:8384'],
  ['127.0.0.1:8384', true, 'https://127.0.0.1:8384'],
  ['0.0.0.0:8384', false, 'http://127.0.0.1:8384'],
  [':8384', false, 'http://127.0.0.1:8384'],
  ['[::]:8384', false, 'http://[::1]:8384'],
  ['[::1]:8384', false, 'http://[::1]:8384'],
  ['localhost:1', false, 'http://localhost:1'],
  ['http://127.0.0.1:1', true, 'http://127.0.0.1:1'],
  ['https://nas.example:8384/', false, 'https://nas.example:8384'],
  ['/run/twinfold.sock', false, 'unix:///run/twinfold.sock'],
  ['unix:///run/t.sock', true, 'unix:///run/t.sock'],
  ['unixs:///run/t.sock', false, 'unixs:///run/t.sock'],
]
for (const [address, useTls, expected] of endpointCases) {
  test(`endpoint ${address}${useTls ? ' with TLS' : ''}`, () =>
    assert.equal(endpointText(parseEndpoint(address, { useTls })), expected))
}

for (const address of ['', 'nonsense', 'host', 'host:0', 'host:99999', 'ftp://x:1', 'a:b:1', 'http://host:1/path']) {
  test(`endpoint "${address}" is refused with its name`, () => {
    assert.throws(
      () => parseEndpoint(address, { useTls: false }),
      (error) => error instanceof Error && error.message.includes(`"${address}"`),
    )
  })
}
