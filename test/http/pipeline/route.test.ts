import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteTable, type Route } from '../../../src/http/pipeline/route.ts'
import { EMPTY_OK } from '../../../src/http/pipeline/reply.ts'

function route(method: Route['method'], path: string): Route {
  const access = { scope: 'monitor', operable: [], wholeDevice: false } as const
  return { method, path, access, summary: `${method} ${path}`, handle: () => EMPTY_OK }
}

const TABLE = new RouteTable([
  route('POST', '/rest/db/scan'),
  route('GET', '/rest/db/scan'),
  route('GET', '/rest/config/folders'),
  route('DELETE', '/rest/config/folders/:id'),
  route('GET', '/rest/config/folders/:id'),
  route('GET', '/rest/'),
  route('GET', '/'),
])

/** A route with its id, or what else was found. */
function found(method: string, path: string): string {
  const result = TABLE.find(method, path)
  switch (result.is) {
    case 'route':
      return `${result.route.summary} ${result.id}`.trim()
    case 'wrong-method':
      return `allow ${result.allow}`
    case 'redirect':
      return `to ${result.path}`
    case 'unknown':
      return 'unknown'
  }
}

const CASES: readonly (readonly [method: string, path: string, wanted: string])[] = [
  ['GET', '/rest/db/scan', 'GET /rest/db/scan'],
  ['POST', '/rest/db/scan', 'POST /rest/db/scan'],
  ['PUT', '/rest/db/scan', 'allow GET, OPTIONS, POST'],
  ['GET', '/rest/config/folders', 'GET /rest/config/folders'],
  ['GET', '/rest/config/folders/photos', 'GET /rest/config/folders/:id photos'],
  ['DELETE', '/rest/config/folders/photos', 'DELETE /rest/config/folders/:id photos'],
  ['POST', '/rest/config/folders/photos', 'allow DELETE, GET, OPTIONS'],
  ['GET', '/rest/config/folders/:id', 'GET /rest/config/folders/:id :id'],
  ['GET', '/rest/config/folders/a/b', 'unknown'],
  ['GET', '/rest/config/folders/', 'to /rest/config/folders'],
  ['GET', '/REST/Config/FOLDERS', 'to /rest/config/folders'],
  ['GET', '/REST/Config/FOLDERS/Photos', 'to /rest/config/folders/Photos'],
  ['GET', '/rest/config/folders/Photos/', 'to /rest/config/folders/Photos'],
  ['POST', '/REST/Config/FOLDERS/Photos', 'unknown'],
  ['GET', '/rest/db/scan/', 'to /rest/db/scan'],
  ['PUT', '/rest/db/scan/', 'unknown'],
  ['GET', '/rest/db', 'unknown'],
  ['GET', '/rest/db/scans', 'unknown'],
  ['GET', '/', 'GET /'],
  ['GET', '/rest/', 'GET /rest/'],
  ['GET', 'rest', 'unknown'],
  ['GET', '', 'unknown'],
]

describe('the route of a request', () => {
  for (const [method, path, wanted] of CASES)
    it(`${method} ${path || '(nothing)'}: ${wanted}`, () => assert.equal(found(method, path), wanted))
})

describe('a path is exactly that of a route', () => {
  for (const [path, wanted] of [
    ['/rest/db/scan', true],
    ['/', true],
    ['/rest/config/folders/:id', false],
    ['/rest/config/folders/photos', false],
    ['/rest/db/scan/', false],
    ['/REST/db/scan', false],
  ] as const)
    it(`${path}: ${wanted}`, () => assert.equal(TABLE.isExact(path), wanted))
})
