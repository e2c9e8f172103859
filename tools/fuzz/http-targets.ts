import assert from 'node:assert/strict'
import type { Json } from '../../src/core/config/config-json.ts'
import { replaceConfig, replaceOptions, upsertDevice, upsertFolder } from '../../src/core/config/config-edit.ts'
import {
  isTrustedProxy,
  NO_PROXIES,
  parseTrustedProxies,
  type TrustedProxies,
} from '../../src/core/network/trusted-proxies.ts'
import { clientOf, type ClientAddress } from '../../src/http/pipeline/client-address.ts'
import { isSecure, pageCookie } from '../../src/http/pipeline/cookies.ts'
import { basicCredentials, cookieValues, hasApiKey } from '../../src/http/pipeline/credentials.ts'
import { isLocalHostHeader } from '../../src/http/pipeline/host-check.ts'
import { parseJson } from '../../src/http/pipeline/json.ts'
import { encodePath, normalisePath, splitTarget } from '../../src/http/pipeline/paths.ts'
import { parseQuery } from '../../src/http/pipeline/query.ts'
import type { HttpRequest } from '../../src/platform/http.ts'
import { newConfig, LOCAL_ID } from '../../test/support/config.ts'
import { KEY, requestOf } from './request-of.ts'
import { REQUEST_TARGET } from './request-target.ts'
import type { Target } from './targets.ts'
import { textOf } from './text.ts'

const KEYS = [Buffer.from(KEY)]
const CONFIG = newConfig()
const PROXIES = parsedProxies(['127.0.0.0/8', '::1', 'unix'])
/** More entries than any chain of proxies has. */
const FORGED = Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`)

function parsedProxies(names: readonly string[]): TrustedProxies {
  const proxies = parseTrustedProxies(names)
  if (typeof proxies === 'string') throw new Error(`${proxies} is no address`)
  return proxies
}

function checkPath(target: string): unknown {
  const { rawPath, query, host } = splitTarget(target)
  const path = normalisePath(rawPath)
  if (path !== undefined) {
    assert.ok(path.path.startsWith('/'))
    assert.ok(!path.path.split('/').includes('..'), `${path.path} leads upwards`)
    assert.doesNotMatch(encodePath(path.path), /^\/\/|[\r\n]/)
  }
  const parsed = parseQuery(query)
  // What is accepted means what it means to everyone else; a leading `?` is a part of the first name.
  const names = new URLSearchParams(`&${query}`)
  for (const name of new Set(names.keys())) assert.deepEqual(parsed.all(name), names.getAll(name))
  return [path, host, parsed]
}

/** What a client puts in front of the entries of its proxies changes nothing. */
function checkClient(request: HttpRequest): ClientAddress {
  const known = clientOf(request, NO_PROXIES)
  assert.equal(known.remoteAddress, request.unixSocket ? '' : request.remoteAddress, 'a header is believed')
  const client = clientOf(request, PROXIES)
  if (client.proxy === undefined || isTrustedProxy(client.remoteAddress, PROXIES)) return client
  const forged = [...FORGED, String(request.headers['x-forwarded-for'])].join(',')
  const headers = { ...request.headers, 'x-forwarded-for': forged }
  assert.deepEqual(clientOf({ ...request, headers }, PROXIES), client)
  return client
}

/** Only a header that holds exactly the key lets a request in. */
function checkKey(request: HttpRequest): void {
  if (!hasApiKey(request, KEYS)) return
  const values = [request.headers['x-api-key'], request.headers['authorization']].map(String)
  assert.ok(
    values.some((value) => value.endsWith(KEY)),
    'a wrong key passes',
  )
}

/** A host that passes must be an address of this machine or the name of one. */
function checkHost(request: HttpRequest): void {
  const host = String(request.headers['host'])
  if (!isLocalHostHeader(host)) return
  assert.match(host.toLowerCase(), /localhost|127\.|::|0:|^\[|^0*:/, `the host ${JSON.stringify(host)} passes`)
}

const EDITS: readonly ((json: Json) => unknown)[] = [
  (json) => replaceConfig(CONFIG, json, LOCAL_ID),
  (json) => upsertFolder(CONFIG, json),
  (json) => upsertDevice(CONFIG, json),
  (json) => replaceOptions(CONFIG, json),
]

export const HTTP_TARGETS: readonly Target[] = [
  {
    name: 'http-head',
    words: [
      'GET /rest/',
      'HTTP/1.1\r\n',
      'Host: localhost',
      'X-API-Key: ',
      KEY,
      'Authorization: Bearer ',
      '%2e%2e/',
      'X-Forwarded-For: 10.1.1.1, 127.0.0.1',
      '?folder=a%2Bb+c&sub=',
      '%C3%A9',
    ],
    keptPerByteMax: 64,
    // Node refuses larger ones.
    grownBytesMax: 16 * 1024,
    run(input) {
      const request = requestOf(textOf(input))
      checkKey(request)
      checkHost(request)
      const kept = [
        basicCredentials(request),
        cookieValues(request, 'sessionid'),
        checkClient(request),
        isSecure(request, CONFIG.gui),
      ]
      assert.doesNotMatch(pageCookie(request, CONFIG.gui, 'name', 'value'), /[\r\n]/)
      return [kept, checkPath(request.target)]
    },
  },
  REQUEST_TARGET,
  {
    name: 'http-json',
    words: ['{"', '":', '[', ']', '}', '__proto__', 'constructor', '1e999', '9007199254740993', 'null', '\\ud800'],
    keptPerByteMax: 64,
    run(input) {
      const json = parseJson(input)
      assert.equal(Reflect.get({}, 'polluted'), undefined)
      return json
    },
  },
  {
    name: 'config-json',
    words: [
      '{"id":"a","path":"/a"}',
      '"folders":[',
      '"devices":[',
      '"deviceID":"',
      String(LOCAL_ID),
      '"options":{',
      '"gui":{',
    ],
    keptPerByteMax: 4_096,
    run(input) {
      const which = EDITS[(input[0] ?? 0) % EDITS.length]!
      which(parseJson(input.subarray(1)))
      return undefined
    },
  },
]
