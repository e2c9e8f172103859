import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { missingIn } from '../support/json-shape.ts'
import { fakeRest, KEY } from './fakes.ts'
import { FAKE_STATES } from './fixture-states.ts'

// Exchanges captured from a real Syncthing 1.29.5: same status, same headers, same keys in the same order.

interface Exchange {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly body?: unknown
    readonly headers?: Record<string, string>
  }
  readonly response: {
    readonly status: number
    readonly headers: Record<string, string>
    readonly json?: unknown
    readonly text?: string
  }
}

const DIRECTORY = new URL('../fixtures/rest/', import.meta.url)

/** Skipped: captured with state that the fake does not have, or different on purpose; each with its reason. */
const LEFT_OUT: Record<string, string> = {
  'auth-basic-csrf': 'tested in auth.test.ts; our cookie has more attributes',
  'noauth-auth-logout': 'needs a session; tested in auth.test.ts',
  'db-scan-post-all-error': 'decision 9: the reason stands in the body; tested in scan.test.ts',
  'db-file-get-dir': 'same structure as db-file-get',
  'db-file-get-symlink': 'no permissions key; tested in db.test.ts',
  'system-log-get': 'needs lines; tested in system.test.ts',
  'system-log_txt-get': 'needs lines; tested in system.test.ts',
  'system-error-get': 'needs errors; tested in system.test.ts',
  'events-get': 'needs events; tested in query.test.ts',
  'events-disk-get': 'needs events; tested in query.test.ts',
  'db-ignores-get': 'captured with patterns; same structure as the others',
  'db-ignores-get-error': 'captured with patterns; same structure as the others',
  'system-connections-get-paused': 'the device in it is our own here; tested in cluster.test.ts',
  'debug-httpmetrics-get': 'its keys are the earlier requests; tested in diagnostics.test.ts',
  'db-status-get-error': 'same structure as db-status-get',
}

/** Settings: additional fields are allowed, and the order of fields has tests of its own. */
const SETTINGS = /^(config-|system-config-get$)/
const CHANGING = new Set([
  'Date',
  'Expires',
  'Content-Length',
  'X-Syncthing-Id',
  'X-Syncthing-Version',
  'Set-Cookie',
  'Transfer-Encoding',
  'Connection',
])

/** Fields that only Syncthing 2.x has; ours are added to those of 1.x. */
const FIELDS_OF_2X = new Set(['previousBlocksHash', 'legacyDatabase', 'customDefaultFolderPath'])

/** Error texts of the parser: only status and type are compared. */
const OTHER_TEXT = /badjson|badid/

let compared = 0
let captured = 0
for (const file of readdirSync(DIRECTORY)
  .filter((name) => name.endsWith('.json'))
  .sort()) {
  const name = file.replace('.json', '')
  if (name in LEFT_OUT || name === 'events-examples') continue
  const exchange: Exchange = JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8'))
  if (exchange.request?.path === undefined) continue
  captured++
  test(`captured: ${name}`, async () => {
    const rest = fakeRest(
      FAKE_STATES[name] ?? FAKE_STATES[name.replace(/-(queued|rest|unicode|paged|unknown-file)$/, '')] ?? {},
    )
    const { method, path, body } = exchange.request
    const { response } = exchange
    const keyless = 'Access-Control-Allow-Origin' in response.headers ? {} : { 'X-API-Key': 'none' }
    const reply = await rest.call({
      method,
      target: path,
      headers: { 'X-API-Key': KEY, 'Accept-Language': 'sv-SE,yy;q=0.9,sv;q=0.8,en-US;q=0.5,en;q=0.3', ...keyless },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.equal(reply.status, response.status)
    for (const [header, value] of Object.entries(response.headers)) {
      if (CHANGING.has(header)) continue
      assert.equal(reply.headers[header.toLowerCase()], value, header)
    }
    for (const header of ['X-Syncthing-Id', 'X-Syncthing-Version', 'Set-Cookie', 'Expires']) {
      assert.equal(header.toLowerCase() in reply.headers, header in response.headers, header)
    }
    if (SETTINGS.test(name)) {
      if (response.json !== undefined) assert.deepEqual(missingIn(JSON.parse(reply.body), response.json), [])
      if (response.text !== undefined && !OTHER_TEXT.test(name)) assert.equal(reply.body, response.text)
      compared++
      return
    }
    if (response.text !== undefined && !path.startsWith('/meta.js')) assert.equal(reply.body, response.text)
    if (response.json !== undefined) {
      const ours: unknown = JSON.parse(reply.body, (key, value: unknown) => (FIELDS_OF_2X.has(key) ? undefined : value))
      assert.deepEqual(structureOf(ours), structureOf(response.json))
    }
    compared++
  })
}

test('captured exchanges were compared', () => {
  const elsewhere = Object.keys(LEFT_OUT).length
  console.log(
    JSON.stringify({
      fixturesMatched: `${compared}/${captured}`,
      testedElsewhere: elsewhere,
      all: captured + elsewhere,
    }),
  )
  assert.equal(compared, captured)
})

/** Keys with their order and the kinds of values; lists by their first item, maps with free keys as such. */
function structureOf(value: unknown, key = ''): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return FREE.has(key) ? 'list' : value.slice(0, 1).map((item) => structureOf(item))
  if (typeof value !== 'object') return typeof value
  if (FREE.has(key)) return 'map'
  return Object.entries(value).map(([name, item]) => [
    name,
    FREE.has(name) ? (item === null ? 'null' : typeof item) : structureOf(item, name),
  ])
}

/** Their content depends on the state of the captured device. */
const FREE = new Set([
  'facilities',
  'enabled',
  'connectionServiceStatus',
  'lastDialStatus',
  'remoteSequence',
  'tags',
  'version',
  'progress',
  'queued',
  'rest',
  'ignore',
  'expanded',
  'error',
  'blocksHash',
  'children',
  'folderUses',
  'deviceUses',
  'announce',
  'relays',
  'folderUsesV3',
  'guiStats',
  'transportStats',
  'rescanIntvs',
])
