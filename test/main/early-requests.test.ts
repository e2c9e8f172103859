import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EarlyRequests } from '../../src/main/early-requests.ts'
import type { HttpHandler, HttpRequest, HttpServer } from '../../src/platform/http.ts'

const request = (target: string): HttpRequest => ({
  method: 'GET',
  target,
  headers: {},
  remoteAddress: '127.0.0.1',
  remotePort: 1,
  secure: false,
  unixSocket: false,
  signal: new AbortController().signal,
  body: async () => new Uint8Array(),
})

test('before the services run, a ping is answered and other requests wait', async () => {
  let given: HttpHandler | undefined
  const http: HttpServer = {
    listen: async (options, handler) => {
      given = handler
      return { address: options.address, [Symbol.asyncDispose]: async () => {} }
    },
  }
  const early = new EarlyRequests()
  const served: string[] = []
  const handler: HttpHandler = ({ target }) => {
    served.push(target)
    return { status: 200, headers: {} }
  }
  await early.holdAt(http).listen({ address: '127.0.0.1:1' }, handler)
  const waiting = given!(request('/rest/db/status?folder=docs'))
  assert.equal((await given!(request('/rest/system/ping'))).status, 200)
  assert.equal((await given!(request('/rest/noauth/health'))).status, 200)
  assert.deepEqual(served, ['/rest/system/ping', '/rest/noauth/health'])
  early.release()
  assert.equal((await waiting).status, 200)
  assert.ok(!(given!(request('/')) instanceof Promise), 'nothing waits afterwards')
  assert.deepEqual(served.slice(2), ['/rest/db/status?folder=docs', '/'])
})
