import assert from 'node:assert/strict'
import { NEVER } from '../../src/core/never.ts'
import type { Auth } from '../../src/http/pipeline/auth.ts'
import { basicCredentials, headerOf } from '../../src/http/pipeline/credentials.ts'
import type { CsrfTokens } from '../../src/http/pipeline/csrf.ts'
import { isLocalHostHeader } from '../../src/http/pipeline/host-check.ts'
import { RequestMeter } from '../../src/http/pipeline/meter.ts'
import { splitTarget } from '../../src/http/pipeline/paths.ts'
import { makeGate, Pipeline, type PathTree } from '../../src/http/pipeline/pipeline.ts'
import { text } from '../../src/http/pipeline/reply.ts'
import { RouteTable } from '../../src/http/pipeline/route.ts'
import type { HttpReply, HttpRequest } from '../../src/platform/http.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { newConfig } from '../../test/support/config.ts'
import { quietLogger } from '../../test/support/logger.ts'
import type { Target } from './targets.ts'
import { KEY, requestOf } from './request-of.ts'
import { textOf } from './text.ts'

/** The same request again: what a device keeps of one must not let the next one in. */
const REPETITIONS = 2
const PATHS = ['/rest/system/status', '/rest/config/folders/:id', '/metrics']

/** Calls of the routes that need a key. */
let admitted = 0

const DRIVE: PathTree = {
  path: '/dav',
  isOn: true,
  errors: {},
  owns: (path) => path.startsWith('/dav'),
  options: () => undefined,
  handle: async () => (admitted++, text(207, 'OK')),
}

function pipelineOf(): Pipeline {
  const clock = new SimClock()
  const gui = { ...newConfig().gui, apiKey: KEY, user: 'user', password: 'hash' }
  const gate = makeGate(gui, { loopback: true, tls: false }, undefined)
  const handle = () => (admitted++, text(200, 'OK'))
  const access = { scope: 'monitor', operable: [], wholeDevice: false } as const
  const routes = new RouteTable(PATHS.map((path) => ({ method: 'GET', path, access, summary: '', handle })))
  const auth = {
    sessionOf: () => undefined,
    basicSession: async () => undefined,
    basicSender: async () => undefined,
  } as unknown as Auth
  const csrf = { isValid: () => false, make: () => 'token' } as unknown as CsrfTokens
  const deps = {
    clock,
    logger: quietLogger('http'),
    auth,
    csrf,
    grants: { keyOf: () => undefined, isValid: () => false, ended: () => NEVER, noteUse: () => {} },
    served: () => ({ routes, drive: DRIVE }),
    meter: new RequestMeter(clock),
    gate: () => gate,
  }
  return new Pipeline(deps, { version: 'v1', deviceId: 'AAAAAAA', shortId: 'AAAAAAA' })
}

const pipeline = pipelineOf()

function hasKey(request: HttpRequest): boolean {
  const { headers } = request
  if (basicCredentials(request).some(({ password }) => password === KEY)) return true
  return [headers['x-api-key'], headers['authorization']].some((value) => String(value).endsWith(KEY))
}

/** Whole requests, with or without a key: host check, authentication and routing. */
export const REQUEST_TARGET: Target = {
  name: 'http-request',
  words: [
    'GET /rest/system/status HTTP/1.1\r\n',
    'GET http://localhost/rest/config/folders/a',
    'Host: localhost',
    'Host: evil.example',
    'X-API-Key: ',
    KEY,
    'Sec-Fetch-Site: cross-site',
    'OPTIONS ',
    '/metrics',
    'PROPFIND /dav/folder/',
    'Authorization: Basic ',
    '%2f',
  ],
  keptPerByteMax: 64,
  // Node refuses larger ones.
  grownBytesMax: 16 * 1024,
  async run(input) {
    const request = requestOf(textOf(input))
    admitted = 0
    const replies: HttpReply[] = []
    for (let count = 0; count < REPETITIONS; count++) replies.push(await pipeline.handle(request))
    return replies
  },
  check(replies: readonly HttpReply[], input) {
    const request = requestOf(textOf(input))
    assert.ok(admitted === 0 || hasKey(request), 'a request without a key reaches a route')
    const host = splitTarget(request.target).host ?? headerOf(request, 'host')
    for (const { status, headers = {} } of replies) {
      assert.equal(status, replies[0]!.status, 'the same request gets another reply')
      if (!isLocalHostHeader(host)) assert.equal(status, 403, `the host ${host} passes`)
      assert.doesNotMatch(Object.values(headers).flat().join(' '), /[\r\n]/)
    }
  },
}
