import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MARKER_MISSING, PATH_MISSING } from '../../src/core/folder-stop.ts'
import { SOURCES, startDaemon, type Daemon } from '../support/daemon.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, POLL_MS, scratchDirectory } from '../support/scratch.ts'

const SCAN_MS_MAX = 60_000

interface Status {
  readonly state: string
  readonly error: string
  readonly localFiles: number
  readonly localDeleted: number
}

async function statusOf(daemon: Daemon, folder: string): Promise<Status> {
  return (await daemon.get(`/rest/db/status?folder=${folder}`)) as Status
}

function fill(root: string, files: number): void {
  for (let i = 0; i < files; i++) {
    const directory = join(root, `d${i % 40}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, `f${i}`), `content ${i}`)
  }
}

test('C-10: a root removed or replaced during a scan of a real daemon announces no deletion', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  const away = join(scratch.path, 'away')
  fill(root, 2_000)
  await using daemon = await startDaemon({ home: join(scratch.path, 'home'), entry: SOURCES })
  await daemon.addFolder('docs', root)
  await daemon.post('/rest/db/scan?folder=docs')
  assert.equal((await statusOf(daemon, 'docs')).localFiles, 2_000)

  const rounds = effort(20)
  const answers = new Map<string, number>()
  let tried = 0
  for (let round = 0; round < rounds; round++) {
    const scan = daemon
      .request('POST', '/rest/db/scan?folder=docs')
      .then(async (reply) => (await reply.text()).trim() || 'ok')
    if (round % 3 === 2) {
      // A directory with a marker that is there before the scan looks is the folder now; only during a scan it is not.
      const isScanning = async () => (await statusOf(daemon, 'docs')).state === 'scanning' || undefined
      const began = await Promise.race([eventually('the scan', isScanning, SCAN_MS_MAX, POLL_MS), scan])
      if (began !== true) continue
    }
    // a moment of the scan, another one each round; where it falls does not decide the test
    const pauseMs = (round * 7) % 40
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    tried++
    renameSync(root, away)
    if (round % 3 === 1) mkdirSync(root)
    if (round % 3 === 2) mkdirSync(join(root, '.stfolder'), { recursive: true })
    const answer = await scan
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
    if (round % 3 !== 2) {
      const refused = await daemon.request('POST', '/rest/db/scan?folder=docs')
      assert.deepEqual(
        [refused.status, (await refused.text()).trim()],
        [500, round % 3 === 1 ? MARKER_MISSING : PATH_MISSING],
      )
      assert.equal((await statusOf(daemon, 'docs')).state, 'error')
    }
    rmSync(root, { recursive: true, force: true })
    renameSync(away, root)
    await daemon.post('/rest/db/scan?folder=docs')
    assert.deepEqual(
      await statusOf(daemon, 'docs').then(({ state, localFiles, localDeleted }) => [state, localFiles, localDeleted]),
      ['idle', 2_000, 0],
    )
  }
  const deletes = ((await daemon.get('/rest/events/disk?since=0&timeout=0')) as { data: { action: string } }[]).filter(
    (event) => event.data.action === 'deleted',
  ).length
  reportRow({ id: 'C-10', tried, deletesAnnounced: deletes, answers: Object.fromEntries(answers) })
  assert.equal(deletes, 0)
})

test('pause, resume and remove a folder of a real daemon while it scans', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  fill(root, 3_000)
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  await daemon.addFolder('docs', root, { paused: true })
  const paused = await daemon.request('POST', '/rest/db/scan?folder=docs')
  assert.deepEqual([paused.status, await paused.text()], [500, 'folder is paused\n'])

  await daemon.request('PATCH', '/rest/config/folders/docs', { paused: false })
  const scan = daemon.request('POST', '/rest/db/scan?folder=docs')
  await daemon.request('PATCH', '/rest/config/folders/docs', { paused: true })
  const reply = await scan
  const text = await reply.text()
  // Whichever came first: the scan was canceled, or the folder was paused already, or all of it was done before.
  assert.ok(reply.ok || text === 'context canceled\n' || text === 'folder is paused\n', text)
  assert.equal((await statusOf(daemon, 'docs')).state, '')

  await daemon.request('PATCH', '/rest/config/folders/docs', { paused: false })
  await daemon.post('/rest/db/scan?folder=docs')
  assert.equal((await statusOf(daemon, 'docs')).localFiles, 3_000)

  await daemon.request('DELETE', '/rest/config/folders/docs')
  const gone = await daemon.request('POST', '/rest/db/scan?folder=docs')
  assert.deepEqual([gone.status, await gone.text()], [500, 'no such folder\n'])
  assert.equal(readdirSync(root).includes('.stfolder'), false)
  assert.equal(readdirSync(root).length, 40)

  await daemon.addFolder('docs', root)
  await daemon.post('/rest/db/scan?folder=docs')
  assert.equal((await statusOf(daemon, 'docs')).localFiles, 3_000)
})

test('a client that disconnects does not end its scan', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  mkdirSync(root)
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  await daemon.addFolder('docs', root, { rescanIntervalS: 0 })
  await daemon.post('/rest/db/scan?folder=docs')
  fill(root, 2_000)
  const leave = new AbortController()
  const request = fetch(`${daemon.url}/rest/db/scan?folder=docs`, {
    method: 'POST',
    headers: { 'X-API-Key': daemon.apiKey },
    signal: leave.signal,
  })
  await eventually(
    'the scan',
    async () =>
      (await statusOf(daemon, 'docs')).state !== 'idle' || (await statusOf(daemon, 'docs')).localFiles > 0 || undefined,
  )
  leave.abort()
  await request.catch(() => {})
  await eventually(
    'the end of the scan',
    async () => (await statusOf(daemon, 'docs')).localFiles === 2_000 || undefined,
  )
})

test('a folder in error resumes when its disk is back, and a changed file is detected by the watcher', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  fill(root, 40)
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  await daemon.addFolder('docs', root, { fsWatcherEnabled: true, fsWatcherDelayS: 0.2, rescanIntervalS: 0 })
  await daemon.post('/rest/db/scan?folder=docs')
  writeFileSync(join(root, 'watched'), 'x')
  await eventually('the watched file', async () => (await statusOf(daemon, 'docs')).localFiles === 41 || undefined)
  renameSync(root, `${root}.away`)
  assert.equal((await daemon.request('POST', '/rest/db/scan?folder=docs')).status, 500)
  renameSync(`${root}.away`, root)
  await eventually('recovery', async () => (await statusOf(daemon, 'docs')).state === 'idle' || undefined)
  writeFileSync(join(root, 'watched again'), 'x')
  await eventually(
    'the second watched file',
    async () => (await statusOf(daemon, 'docs')).localFiles === 42 || undefined,
  )
  assert.equal((await statusOf(daemon, 'docs')).localDeleted, 0)
})

test('a damaged index is moved aside and rebuilt; nothing is created while the disk is missing', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  const home = join(scratch.path, 'home')
  fill(root, 40)
  const first = await startDaemon({ home })
  await first.addFolder('docs', root, { rescanIntervalS: 0 })
  await first.post('/rest/db/scan?folder=docs')
  await first[Symbol.asyncDispose]()

  for (const path of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    if (!/folder-[0-9a-f]+\.db(-wal)?$/.test(path)) continue
    writeFileSync(join(home, path), Buffer.alloc(100_000, 'this is no database '))
  }
  renameSync(root, `${root}.away`)
  await using daemon = await startDaemon({ home })
  const refused = await daemon.request('POST', '/rest/db/scan?folder=docs')
  assert.deepEqual([refused.status, await refused.text()], [500, `${PATH_MISSING}\n`])
  assert.match(daemon.output, /index of folder docs was damaged/)
  assert.equal(existsSync(root), false)

  renameSync(`${root}.away`, root)
  await daemon.post('/rest/db/scan?folder=docs')
  const { localFiles, localDeleted, state } = await statusOf(daemon, 'docs')
  assert.deepEqual([localFiles, localDeleted, state], [40, 0, 'idle'])
})
