/** Every rule of the REST interface document, by its own words, against a real daemon on real files. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const scratch = scratchDirectory()
const root = join(scratch.path, 'docs')
let daemon: Daemon

before(async () => {
  mkdirSync(join(root, 'sub', 'deep'), { recursive: true })
  daemon = await startDaemon({ home: join(scratch.path, 'home') })
  await daemon.addFolder('docs', root, { rescanIntervalS: 0 })
  await daemon.post('/rest/db/scan?folder=docs')
})

after(async () => {
  await daemon[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const write = (path: string, text: string) => writeFileSync(join(root, path), text)

async function isIndexed(path: string): Promise<boolean> {
  const reply = await daemon.request('GET', `/rest/db/file?folder=docs&file=${encodeURIComponent(path)}`)
  if (reply.status === 404) return false
  return !field(field(await reply.json(), 'local'), 'deleted')
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const scansCounted = async () => (await scanEvents()).length
async function scanEvents(): Promise<unknown[]> {
  const events: unknown = await daemon.get('/rest/events?events=StateChanged&timeout=0')
  assert.ok(Array.isArray(events))
  return events.filter((event) => field(field(event, 'data'), 'to') === 'scanning')
}

test('scan rule 1: when sub is omitted or empty, the entire folder is scanned', async () => {
  for (const [round, query] of ['folder=docs', 'folder=docs&sub='].entries()) {
    write(`top-${round}`, 'x')
    write(`sub/deep/low-${round}`, 'x')
    await daemon.post(`/rest/db/scan?${query}`)
    assert.ok(await isIndexed(`top-${round}`), query)
    assert.ok(await isIndexed(`sub/deep/low-${round}`), query)
  }
})

test('scan rule 2: when sub is given, only that path is scanned, its children included', async () => {
  mkdirSync(join(root, 'one', 'inner'), { recursive: true })
  mkdirSync(join(root, 'two'))
  for (const path of ['one/a', 'one/inner/b', 'two/c', 'd']) write(path, 'x')
  await daemon.post('/rest/db/scan?folder=docs&sub=one')
  assert.deepEqual(await Promise.all(['one/a', 'one/inner/b', 'two/c', 'd'].map(isIndexed)), [true, true, false, false])
})

test('scan rule 2, many: every sub is scanned, nothing else', async () => {
  for (const path of ['m1', 'm2', 'm3']) write(path, 'x')
  await daemon.post('/rest/db/scan?folder=docs&sub=m1&sub=m3')
  assert.deepEqual(await Promise.all(['m1', 'm2', 'm3'].map(isIndexed)), [true, false, true])
})

test('scan rule 3: a sub that no longer exists is valid, and its deletion is detected', async () => {
  mkdirSync(join(root, 'gone'))
  write('gone/file', 'x')
  write('stays', 'x')
  await daemon.post('/rest/db/scan?folder=docs')
  rmSync(join(root, 'gone'), { recursive: true })
  rmSync(join(root, 'stays'))
  await daemon.post('/rest/db/scan?folder=docs&sub=gone')
  const entry = await daemon.get('/rest/db/file?folder=docs&file=gone%2Ffile')
  assert.equal(field(field(entry, 'local'), 'deleted'), true)
  assert.equal(field(field(entry, 'local'), 'size'), 0)
  assert.ok(await isIndexed('stays'), 'what was not asked for is not looked at')
})

test('scan rule 3, never existed: a sub that never existed is valid and records nothing', async () => {
  await daemon.post('/rest/db/scan?folder=docs&sub=never/was')
  assert.equal((await daemon.request('GET', '/rest/db/file?folder=docs&file=never%2Fwas')).status, 404)
})

test('scan rule 4: next delays the automated rescan by that many seconds', async () => {
  await daemon.get('/rest/events?events=StateChanged&timeout=0')
  await daemon.post('/rest/db/scan?folder=docs&next=3600')
  const settled = await scansCounted()
  await daemon.post('/rest/db/scan?folder=docs&next=1')
  await eventually('the automatic rescan after a second', async () =>
    (await scansCounted()) >= settled + 2 ? true : undefined,
  )
})

test('scan rule 4, now: next=0 makes the automated rescan due at once', async () => {
  const before = await scansCounted()
  await daemon.post('/rest/db/scan?folder=docs&next=0')
  await eventually('the rescan that is due', async () => ((await scansCounted()) >= before + 2 ? true : undefined))
})

for (const next of ['abc', '1.5', '1e3', '-1', '99999999999999999999x', '0x10']) {
  test(`scan rule 4, bad value: next=${next} is rejected before the scan`, async () => {
    write(`bad-next-${next}`, 'x')
    const reply = await daemon.request('POST', `/rest/db/scan?folder=docs&next=${next}`)
    assert.equal(reply.status, 400)
    assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(await reply.text(), /next/)
    assert.equal(await isIndexed(`bad-next-${next}`), false)
  })
}

for (const next of ['', '99999999999999999999', '31536001']) {
  test(`scan rule 4, accepted: next="${next}" scans and returns 200`, async () => {
    const name = `fine-next-${next}`
    write(name, 'x')
    await daemon.post(`/rest/db/scan?folder=docs&next=${next}`)
    assert.ok(await isIndexed(name))
  })
}

test('scan rule 5: on success the response has status 200 and no content', async () => {
  const reply = await daemon.request('POST', '/rest/db/scan?folder=docs')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-length'), '0')
  assert.equal(reply.headers.get('content-type'), null)
  assert.equal(await reply.text(), '')
})

test('scan rule 6: an error during scanning is status 500 and a plain-text body', async () => {
  const broken = join(scratch.path, 'broken')
  mkdirSync(broken)
  await daemon.addFolder('broken', broken)
  await daemon.post('/rest/db/scan?folder=broken')
  rmSync(broken, { recursive: true })
  const reply = await daemon.request('POST', '/rest/db/scan?folder=broken')
  assert.equal(reply.status, 500)
  assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(await reply.text(), 'folder path missing\n')

  const all = await daemon.request('POST', '/rest/db/scan')
  assert.equal(all.status, 500)
  assert.equal(await all.text(), 'Error scanning folders\n{\n  "broken": "folder path missing"\n}\n')

  mkdirSync(join(broken, '.stfolder'), { recursive: true })
  await daemon.post('/rest/db/scan?folder=broken')
  assert.equal((await daemon.request('DELETE', '/rest/config/folders/broken')).status, 200)
})

test('scan without folder: every folder is scanned', async () => {
  write('by-scan-all', 'x')
  await daemon.post('/rest/db/scan')
  assert.ok(await isIndexed('by-scan-all'))
})

test('scan: an unknown and a paused folder are 500 with the reason', async () => {
  const unknown = await daemon.request('POST', '/rest/db/scan?folder=nope')
  assert.deepEqual([unknown.status, await unknown.text()], [500, 'no such folder\n'])
  await daemon.addFolder('resting', join(scratch.path, 'resting'), { paused: true })
  const paused = await daemon.request('POST', '/rest/db/scan?folder=resting')
  assert.deepEqual([paused.status, await paused.text()], [500, 'folder is paused\n'])
})

for (const sub of ['..', '../docs', 'a/../../x', '%00', 'a%00b', '//etc']) {
  test(`scan: a sub that leaves the folder (${sub}) is rejected and scans nothing`, async () => {
    const name = `escape-${encodeURIComponent(sub)}`
    write(name, 'x')
    const reply = await daemon.request('POST', `/rest/db/scan?folder=docs&sub=${sub}`)
    assert.equal(reply.status, 400)
    assert.notEqual(await reply.text(), '')
    assert.equal(await isIndexed(name), false)
  })
}

test('scan: a request during another scan is queued and sees the state at the time of the request', async () => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, async (_, round) => {
      write(`queued-${round}`, 'x')
      await daemon.post(`/rest/db/scan?folder=docs&sub=queued-${round}`)
      return isIndexed(`queued-${round}`)
    }),
  )
  assert.ok(replies.every(Boolean))
})

test('scan: a client that disconnects does not stop its scan', async () => {
  writeFileSync(join(root, 'left-alone'), Buffer.alloc(64 * 1024 * 1024, 7))
  const leave = new AbortController()
  const request = fetch(`${daemon.url}/rest/db/scan?folder=docs`, {
    method: 'POST',
    headers: { 'X-API-Key': daemon.apiKey },
    signal: leave.signal,
  })
  await eventually('the scan to begin', async () => {
    const status = await daemon.get('/rest/db/status?folder=docs')
    return field(status, 'state') === 'scanning' || (await isIndexed('left-alone')) ? true : undefined
  })
  leave.abort()
  await request.catch(() => undefined)
  await eventually('the file in the index', async () => (await isIndexed('left-alone')) || undefined)
})

test('prio: the response contains the same output as GET /rest/db/need', async () => {
  const need = await daemon.get('/rest/db/need?folder=docs&page=1&perpage=7')
  const prio = await daemon.request('POST', '/rest/db/prio?folder=docs&file=some&page=1&perpage=7')
  assert.equal(prio.status, 200)
  assert.deepEqual(await prio.json(), need)
  assert.deepEqual(need, { progress: [], queued: [], rest: [], page: 1, perpage: 7 })
})

test('prio: an unknown folder is 404, a GET is 405', async () => {
  const unknown = await daemon.request('POST', '/rest/db/prio?folder=nope&file=x')
  assert.deepEqual([unknown.status, await unknown.text()], [404, 'no such folder\n'])
  const wrong = await daemon.request('GET', '/rest/db/prio?folder=docs&file=x')
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'OPTIONS, POST'])
})

const NAMES =
  'beacon config connections db dialer discover events http main model protocol relay scanner stats sync ' +
  'upgrade upnp versioner'

test('debug: the listing contains exactly the eighteen facilities, each described', async () => {
  const listing = await daemon.get('/rest/system/debug')
  const facilities = field(listing, 'facilities')
  assert.ok(typeof facilities === 'object' && facilities !== null)
  assert.equal(Object.keys(facilities).join(' '), NAMES)
  for (const [name, words] of Object.entries(facilities)) assert.ok(typeof words === 'string' && words.length > 3, name)
  assert.deepEqual(field(listing, 'enabled'), [])
})

test('debug: every switch changes the listing, enabled names are facilities, unknown names are ignored', async () => {
  await daemon.post('/rest/system/debug?enable=scanner,%20http%20,nosuch,api')
  assert.deepEqual(field(await daemon.get('/rest/system/debug'), 'enabled'), ['http', 'scanner'])
  await daemon.post('/rest/system/debug?enable=db&disable=db,scanner,http')
  assert.deepEqual(field(await daemon.get('/rest/system/debug'), 'enabled'), [])
})

test('debug: a switch changes what is logged', async () => {
  const debugLines = async (facility: string) => {
    const text = await (await daemon.request('GET', '/rest/system/log.txt')).text()
    return text.split('\n').filter((line) => line.includes(`${facility}: `)).length
  }
  const before = await debugLines('scanner')
  await daemon.post('/rest/db/scan?folder=docs')
  assert.equal(await debugLines('scanner'), before)
  await daemon.post('/rest/system/debug?enable=scanner')
  await daemon.post('/rest/db/scan?folder=docs')
  assert.ok((await debugLines('scanner')) > before)
  await daemon.post('/rest/system/debug?disable=scanner')
})

test('discovery: the removed POST is 405 for any parameters, and the GET is served', async () => {
  for (const query of ['', '?device=bad&addr=worse', `?device=${'A'.repeat(5000)}`]) {
    const reply = await daemon.request('POST', `/rest/system/discovery${query}`)
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET, OPTIONS'])
    assert.equal(await reply.text(), 'Method Not Allowed\n')
  }
  assert.deepEqual(await daemon.get('/rest/system/discovery'), {})
})

test('authentication: X-API-Key grants access, a missing or wrong one does not', async () => {
  for (const headers of [{}, { 'X-API-Key': 'wrong' }]) {
    const reply = await fetch(`${daemon.url}/rest/system/debug`, { headers })
    assert.deepEqual([reply.status, await reply.text()], [403, 'CSRF Error\n'])
  }
})

test('version: the same number in package.json, the reply and the header', async () => {
  const manifest: unknown = (await import('../../package.json', { with: { type: 'json' } })).default
  const reply = await daemon.request('GET', '/rest/system/version')
  const version = `v${String(field(manifest, 'version'))}`
  assert.equal(field(await reply.json(), 'version'), version)
  assert.equal(reply.headers.get('x-syncthing-version'), version)
})
