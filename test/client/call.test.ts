import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import type { ClientReply, ClientRequest } from '../../src/client/transport.ts'
import { bind } from '../../src/http/pipeline/route.ts'
import { EMPTY_OK } from '../../src/http/pipeline/reply.ts'
import { fakeRest, KEY } from '../http/fakes.ts'

// Routes called by their names: the declaration determines how a request is sent and how its reply is parsed.

function recording(reply: ClientReply): { client: Client; requests: ClientRequest[] } {
  const requests: ClientRequest[] = []
  const client = new Client({ transport: async (request) => (requests.push(request), reply), apiKey: 'key' })
  return { client, requests }
}

test('call: the id is escaped into the path, the query is appended, the body is JSON', async () => {
  const { client, requests } = recording({ status: 200, text: '' })
  assert.equal(await client.call('PATCH /rest/config/folders/:id', { id: 'a/b ?', body: { paused: true } }), undefined)
  assert.equal(
    await client.call('POST /rest/db/scan', { query: { folder: 'x y', sub: ['a', 'b&c'], next: undefined } }),
    undefined,
  )
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['PATCH', '/rest/config/folders/a%2Fb%20%3F', '{"paused":true}'],
      ['POST', '/rest/db/scan?folder=x+y&sub=a&sub=b%26c', undefined],
    ],
  )
})

test('call: a text body is sent unchanged, and a text reply is returned unchanged', async () => {
  const { client, requests } = recording({ status: 200, text: 'line\n' })
  await client.call('POST /rest/system/error', { body: 'out of paper' })
  assert.equal(requests[0]?.body, 'out of paper')
  assert.equal(requests[0]?.headers['Content-Type'], undefined)
  assert.equal(await client.call('GET /rest/system/log.txt'), 'line\n')
})

test('call: logging in succeeds with 204 and no content', async () => {
  const { client } = recording({ status: 204, text: '' })
  assert.equal(
    await client.call('POST /rest/noauth/auth/password', { body: { username: 'a', password: 'b' } }),
    undefined,
  )
})

test('call: a reply of another kind than declared is from another program', async () => {
  const { client } = recording({ status: 200, text: '{}' })
  const isMalformed = (error: unknown) => error instanceof ClientError && error.failure === 'malformed'
  await assert.rejects(client.call('GET /rest/config/folders'), isMalformed)
})

test('call: the replies of the routes match their types', async () => {
  const rest = fakeRest()
  const client = new Client({
    apiKey: KEY,
    transport: async ({ method, path, headers, body }) => {
      const response = await rest.call({ method, target: path, headers, ...(body !== undefined && { body }) })
      return { status: response.status, text: response.body }
    },
  })
  assert.equal((await client.call('GET /rest/system/ping')).ping, 'pong')
  assert.deepEqual(
    (await client.call('GET /rest/config/folders')).map(({ id }) => String(id)),
    ['share'],
  )
  assert.equal((await client.call('GET /rest/config/folders/:id', { id: 'share' })).label, 'Shared')
  assert.deepEqual((await client.call('GET /rest/db/need', { query: { folder: 'share', perpage: 7 } })).perpage, 7)
  await assert.rejects(client.call('GET /rest/config/folders/:id', { id: 'nope' }), {
    status: 404,
    text: 'No folder with given ID',
  })
})

test('bind: a route without a handler, a handler without a route and an unknown parameter do not compile', () => {
  const declared = {
    'GET /x': {
      scope: 'monitor',
      summary: 'X.',
      query: { a: { schema: { type: 'string' }, about: 'A.' } },
      reply: { is: 'empty' },
    },
  } as const
  const routes = bind(declared, { 'GET /x': ({ query }) => (query.first('a'), EMPTY_OK) })
  assert.deepEqual(
    routes.map(({ method, path, summary }) => [method, path, summary]),
    [['GET', '/x', 'X.']],
  )
  // @ts-expect-error a handler is missing
  bind(declared, {})
  // @ts-expect-error the route is not declared
  bind(declared, { 'GET /x': () => EMPTY_OK, 'GET /y': () => EMPTY_OK })
  // @ts-expect-error the parameter is not declared
  bind(declared, { 'GET /x': ({ query }) => (query.first('b'), EMPTY_OK) })
})
