/**
 * Changes of the configuration on a running daemon: in effect at once, on disk before the answer, whatever happens
 * then.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { unzip } from '../http/unzip.ts'
import { startDaemon } from '../support/daemon.ts'
import { casesOf, effort, reportRow } from '../support/effort.ts'
import { freePort } from '../support/free-port.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

/** Changes that are sent without waiting for each other. */
const AT_ONCE = 40

test('D-06: after kill -9 during many changes every acknowledged one is stored, and the file is complete', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const file = join(home, 'config.xml')
  const rounds = effort(4)
  let sent = 0
  let acknowledged = 0
  let lost = 0
  for (let round = 0; round < rounds; round++) {
    await using daemon = await startDaemon({ home })
    if (round > 0) {
      const { maxFolderConcurrency } = Object(await daemon.get('/rest/config/options'))
      assert.equal(maxFolderConcurrency, numberIn(readFileSync(file, 'utf8')), 'the next start has what the file says')
    }
    const enough = acknowledged + 3 + round * 2 // another moment of the save each time, however slow the machine
    const killed = daemon.ended()
    while (daemon.child.exitCode === null && daemon.child.signalCode === null) {
      sent++
      const reply = daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: sent })
      if (sent > enough) setTimeout(() => daemon.child.kill('SIGKILL'), round % 4)
      const status = await reply.then(
        async (answer) => (await answer.text(), answer.status),
        () => 0,
      )
      if (status !== 200) break
      acknowledged = sent
    }
    await killed
    const kept = numberIn(readFileSync(file, 'utf8'))
    if (kept < acknowledged) lost++
    assert.ok(kept >= acknowledged && kept <= sent, `${acknowledged} <= ${kept} <= ${sent}`)
  }
  await using daemon = await startDaemon({ home })
  assert.equal(
    Object(await daemon.get('/rest/config/options')).maxFolderConcurrency,
    numberIn(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(
    readdirSync(home).filter((name) => name.startsWith('.syncthing.tmp')),
    [],
  )
  reportRow({ id: 'D-06', part: 'kill', tried: rounds, changes: acknowledged, lost })
})

test('W-16: concurrent changes are all stored', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  const ids = Array.from({ length: casesOf(40, 1_000) }, (_none, i) => `f${i}`)
  const config = () => readFileSync(join(daemon.home, 'config.xml'), 'utf8')
  let torn = 0
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const posts = ids.slice(at, at + AT_ONCE).map(async (id) => {
      const body = { id, path: join(scratch.path, id), paused: true }
      const { status } = await daemon.request('POST', '/rest/config/folders', body)
      // The file is always that of one whole change, whichever is being written.
      torn += Number(!config().trimEnd().endsWith('</configuration>'))
      return status
    })
    assert.deepEqual(new Set(await Promise.all(posts)), new Set([200]))
  }
  const text = config()
  const lost = ids.filter((id) => !text.includes(`<folder id="${id}"`))
  assert.deepEqual(lost, [])
  assert.equal(torn, 0)
  reportRow({ id: 'W-16', tried: ids.length, lostUpdates: lost.length, torn })
})

test('W-16: of two changes of one folder at once the last is stored, whole, and no other folder changes', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  for (const id of ['a', 'b']) await daemon.addFolder(id, join(scratch.path, id), { paused: true, label: 'first' })
  const before = await daemon.get('/rest/config/folders/b')
  const stale = Object(await daemon.get('/rest/config/folders/a'))
  const changes = Array.from({ length: casesOf(20, 200) }, (_none, i) => ({
    label: `label ${i}`,
    rescanIntervalS: 60 + i,
  }))
  await Promise.all(changes.map((change) => daemon.request('PUT', '/rest/config/folders/a', { ...stale, ...change })))
  const { label, rescanIntervalS } = Object(await daemon.get('/rest/config/folders/a'))
  assert.ok(changes.some((change) => change.label === label && change.rescanIntervalS === rescanIntervalS))
  assert.deepEqual(await daemon.get('/rest/config/folders/b'), before)
  reportRow({ id: 'W-16', part: 'one folder', tried: changes.length })
})

test('W-10: a partial PUT of everything is rejected and changes nothing', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  const file = join(daemon.home, 'config.xml')
  const before = readFileSync(file, 'utf8')
  const whole = Object(await daemon.get('/rest/config'))
  const bodies = [
    {},
    { version: 99_999 },
    ...['version', 'gui', 'options', 'devices', 'folders'].map((part) => ({ ...whole, [part]: undefined })),
    { ...whole, devices: [] },
    { ...whole, version: 99_999 },
  ]
  for (const body of bodies) {
    const reply = await daemon.request('PUT', '/rest/config', body)
    assert.equal(reply.status, 400, JSON.stringify(body).slice(0, 80))
    assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
  }
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.equal((await daemon.request('PUT', '/rest/config', whole)).status, 200)
  assert.ok(
    readdirSync(daemon.home).some((name) => name.startsWith('config.xml.backup-')),
    'a copy is kept before all is replaced',
  )
})

test('address, TLS and password of the interface change at run time', async () => {
  using scratch = scratchDirectory()
  const started = await freePort()
  const home = join(scratch.path, 'home')
  {
    await using first = await startDaemon({ home })
    assert.equal((await first.request('PATCH', '/rest/config/gui', { address: `127.0.0.1:${started}` })).status, 200)
  }
  await using daemon = await startDaemon({ home, guiAddress: undefined })
  const key = daemon.apiKey
  assert.equal(daemon.url, `http://127.0.0.1:${started}`)

  const moved = await freePort()
  assert.equal((await daemon.request('PATCH', '/rest/config/gui', { address: `127.0.0.1:${moved}` })).status, 200)
  daemon.url = `http://127.0.0.1:${moved}`
  await eventually('the new address', async () => (await fetch(`${daemon.url}/rest/noauth/health`)).ok || undefined)
  await assert.rejects(fetch(`http://127.0.0.1:${started}/rest/noauth/health`))

  assert.equal((await daemon.request('PATCH', '/rest/config/gui', { useTLS: true })).status, 200)
  await eventually(
    'TLS',
    async () => (await secure(moved, '/rest/system/ping', { 'X-API-Key': key })).status === 200 || undefined,
  )
  const plain = await fetch(`http://127.0.0.1:${moved}/rest/system/ping`, { redirect: 'manual' })
  assert.deepEqual([plain.status, plain.headers.get('location')], [307, `https://127.0.0.1:${moved}/rest/system/ping`])

  const change = JSON.stringify({ user: 'alice', password: 'correct horse battery' })
  assert.equal((await secure(moved, '/rest/config/gui', { 'X-API-Key': key }, 'PATCH', change)).status, 200)
  const basic = (password: string) => ({
    Authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`,
  })
  assert.equal((await secure(moved, '/meta.js', {})).status, 403)
  assert.equal((await secure(moved, '/meta.js', basic('correct horse battery'))).status, 200)
  assert.equal((await secure(moved, '/meta.js', basic('wrong'))).status, 403)
  const text = readFileSync(join(daemon.home, 'config.xml'), 'utf8')
  assert.ok(!text.includes('correct horse') && /<password>\$2a\$10\$/.test(text))
})

test('diagnostics of a running daemon: switched on live, without secrets, in standard formats', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  assert.equal((await daemon.request('GET', '/rest/debug/support')).status, 403)
  assert.equal((await daemon.request('PATCH', '/rest/config/gui', { debugging: true })).status, 200)
  const bundle = unzip(Buffer.from(await (await daemon.request('GET', '/rest/debug/support')).arrayBuffer()))
  for (const [name, content] of bundle) assert.ok(!content.includes(daemon.apiKey), name)
  assert.match(bundle.get('log-inmemory.txt')!, /GUI and API listening/)
  assert.ok(JSON.parse(bundle.get('usage-reporting.json.txt')!).sha256Perf > 0)
  assert.ok(!bundle.get('metrics.txt')!.startsWith('could not'))
  const profile = await daemon.request('GET', '/rest/debug/cpuprof?duration=100ms')
  assert.ok(gunzipSync(Buffer.from(await profile.arrayBuffer())).includes('nanoseconds'))
  mkdirSync(join(scratch.path, 'docs'))
  writeFileSync(join(scratch.path, 'docs', 'a.txt'), 'twelve bytes')
  await daemon.addFolder('docs', join(scratch.path, 'docs'))
  await daemon.post('/rest/db/scan?folder=docs')
  const metrics = await (await fetch(`${daemon.url}/metrics`)).text()
  assert.match(metrics, /^syncthing_scanner_hashed_bytes_total\{folder="docs"\} 12$/m)
  assert.match(metrics, /^syncthing_model_folder_summary\{folder="docs",scope="local",type="files"\} 1$/m)
  assert.match(metrics, /^twinfold_index_bytes [1-9]/m)
  assert.match(metrics, /^process_resident_memory_bytes \d{7,}$/m)
  const picture = await daemon.request('GET', '/qr/?text=hello')
  assert.equal(picture.headers.get('content-type'), 'image/png')
})

test('a setting that needs a restart is reported and takes effect after it; an invalid one is refused', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const auditFile = join(scratch.path, 'audit.log')
  for (const path of [auditFile, join(scratch.path, 'none', 'audit.log')]) {
    await using daemon = await startDaemon({ home, args: ['--no-restart'] })
    assert.deepEqual(await daemon.get('/rest/config/restart-required'), { requiresRestart: false })
    assert.equal(
      (await daemon.request('PATCH', '/rest/config/options', { auditEnabled: true, auditFile: path })).status,
      200,
    )
    assert.deepEqual(await daemon.get('/rest/config/restart-required'), { requiresRestart: true })
    assert.deepEqual(await daemon.get('/rest/config/insync'), { configInSync: false })
    await daemon.post('/rest/system/restart')
    assert.equal(await daemon.ended(), 3)
  }
  assert.match(readFileSync(auditFile, 'utf8'), /"type":"Starting"/)
  await using daemon = await startDaemon({ home })
  assert.match(daemon.output, /audit log .* cannot be opened/)
})

test('reset: the index of a paused folder is rebuilt, its files stay', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'docs')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'a')
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  await daemon.addFolder('docs', root)
  await daemon.post('/rest/db/scan?folder=docs')
  const refused = await daemon.request('POST', '/rest/system/reset?folder=docs')
  assert.deepEqual([refused.status, await refused.text()], [500, 'folder must be paused when resetting\n'])

  const startOf = async () =>
    Object(await daemon.get('/rest/system/status')).startTime + daemon.output.split('listening on http').length
  const before = await startOf()
  assert.equal((await daemon.request('PATCH', '/rest/config/folders/docs', { paused: true })).status, 200)
  assert.equal(await daemon.post('/rest/system/reset?folder=docs'), '{"ok": "resetting folder docs"}\n')
  await eventually('the start after the reset', async () => {
    daemon.url = [...daemon.output.matchAll(/(http:\/\/127\.0\.0\.1:\d+)/g)].at(-1)?.[1] ?? ''
    return (await startOf()) === before ? undefined : true
  })
  assert.equal((await daemon.request('PATCH', '/rest/config/folders/docs', { paused: false })).status, 200)
  await daemon.post('/rest/db/scan?folder=docs')
  const { localFiles, sequence } = Object(await daemon.get('/rest/db/status?folder=docs'))
  assert.deepEqual([localFiles, sequence], [1, 1])
  assert.ok(existsSync(join(root, 'a.txt')))
})

function numberIn(xml: string): number {
  assert.match(xml, /<\/configuration>\s*$/, 'the file is whole')
  return Number(/<maxFolderConcurrency>(\d+)</.exec(xml)?.[1])
}

/** A request over TLS to a certificate that only its owner knows. */
function secure(
  port: number,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<{ status: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number }>()
  const outgoing = httpsRequest(
    { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false, agent: false },
    (incoming) => {
      incoming.resume().on('end', () => resolve({ status: incoming.statusCode ?? 0 }))
    },
  )
  outgoing.on('error', reject).end(body)
  return promise
}
