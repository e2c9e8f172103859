import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isConflictName } from '../../src/core/paths.ts'
import { connect, differencesOf, inSync, startMember, statusOf, treeOf, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { startDaemon } from '../support/daemon.ts'

interface Completion {
  readonly completion: number
  readonly needItems: number
  readonly needDeletes: number
  readonly remoteState: string
}

interface Pair extends AsyncDisposable {
  readonly a: Member
  readonly b: Member
}

/** Two daemons that have not met yet. */
async function startPair(directory: string): Promise<Pair> {
  const [a, b] = await Promise.all([startMember(directory, 'a'), startMember(directory, 'b')])
  for (const { root } of [a, b]) mkdirSync(root)
  return {
    a,
    b,
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all([a, b].map(({ daemon }) => daemon[Symbol.asyncDispose]()))),
  }
}

async function completionOf(asked: Member, of: Member): Promise<Completion> {
  return (await asked.daemon.get(`/rest/db/completion?folder=docs&device=${of.id}`)) as Completion
}

async function scan({ daemon }: Member): Promise<void> {
  await daemon.post('/rest/db/scan?folder=docs')
}

async function patchFolder({ daemon }: Member, change: object): Promise<void> {
  const reply = await daemon.request('PATCH', '/rest/config/folders/docs', change)
  assert.equal(reply.status, 200, await reply.text())
}

function fill(root: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), `content of ${name}`)
  }
}

test('a device reports what another one has and needs', async () => {
  using scratch = scratchDirectory()
  await using pair = await startPair(scratch.path)
  const { a, b } = pair
  fill(a.root, ['one', 'dir/two', 'dir/three'])
  await connect(a, b, { type: 'sendonly' })
  await Promise.all([scan(a), scan(b)])
  const need = await eventually("the other's files in the need list", async () => {
    const { rest } = (await b.daemon.get('/rest/db/need?folder=docs')) as { rest: readonly { name: string }[] }
    return rest.length === 4 ? rest.map(({ name }) => name) : undefined
  })
  assert.deepEqual(need, ['dir', 'dir/three', 'dir/two', 'one'])
  const far = await eventually('the two to agree on a connection', async () => {
    const known = await completionOf(a, b)
    return known.remoteState === 'valid' ? known : undefined
  })
  assert.deepEqual([far.completion, far.needItems], [0, 4])
  const { files } = (await a.daemon.get(`/rest/db/remoteneed?folder=docs&device=${b.id}&perpage=2`)) as {
    files: readonly { name: string }[]
  }
  assert.deepEqual(
    files.map(({ name }) => name),
    ['dir', 'dir/three'],
  )
  const seen = (await a.daemon.get('/rest/stats/device')) as Record<string, { lastSeen: string }>
  assert.ok((seen[b.id]?.lastSeen ?? '') > '2020', 'it was seen')
})

test('pausing, resuming and unsharing a folder take effect at once, and changes meanwhile are exchanged', async () => {
  using scratch = scratchDirectory()
  await using pair = await startPair(scratch.path)
  const { a, b } = pair
  fill(a.root, ['one'])
  await connect(a, b)
  await Promise.all([scan(a), scan(b)])
  await inSync([a, b])
  const stateIs = (wanted: string) =>
    eventually(`state ${wanted}`, async () => (await completionOf(b, a)).remoteState === wanted || undefined)
  await stateIs('valid')
  await patchFolder(a, { paused: true })
  await stateIs('paused')
  fill(a.root, ['two'])
  fill(b.root, ['three'])
  await scan(b)
  await patchFolder(a, { paused: false })
  await stateIs('valid')
  await scan(a)
  await inSync([a, b])
  await eventually('equal trees', () => equal(a, b))
  await patchFolder(a, { devices: [] })
  await stateIs('notSharing')
  fill(a.root, ['four'])
  await scan(a)
  const offers = await eventually('the folder as an offer', async () => {
    const pending = (await a.daemon.get('/rest/cluster/pending/folders')) as Record<
      string,
      { offeredBy: Record<string, object> }
    >
    return pending['docs']?.offeredBy[b.id]
  })
  assert.equal(Reflect.get(offers, 'receiveEncrypted'), false)
  await patchFolder(a, { devices: [{ deviceID: b.id }] })
  await stateIs('valid')
  assert.deepEqual(await a.daemon.get('/rest/cluster/pending/folders'), {}, 'what is shared is pending no more')
  await eventually('equal trees', () => equal(a, b))
})

test('an unknown device is pending until it is added; a folder is removed during its exchange', async () => {
  using scratch = scratchDirectory()
  await using pair = await startPair(scratch.path)
  const { a, b } = pair
  await a.daemon.post('/rest/config/devices', { deviceID: b.id, addresses: [`tcp://127.0.0.1:${b.port}`] })
  await a.daemon.addFolder('docs', a.root, { devices: [{ deviceID: b.id }] })
  fill(a.root, ['one'])
  await scan(a)
  await eventually(
    'the unknown device',
    async () => a.id in Object(await b.daemon.get('/rest/cluster/pending/devices')) || undefined,
  )
  await b.daemon.post('/rest/config/devices', { deviceID: a.id, addresses: [`tcp://127.0.0.1:${a.port}`] })
  assert.deepEqual(await b.daemon.get('/rest/cluster/pending/devices'), {})
  await eventually(
    'the offer',
    async () => 'docs' in Object(await b.daemon.get('/rest/cluster/pending/folders')) || undefined,
  )
  await b.daemon.addFolder('docs', b.root, { devices: [{ deviceID: a.id }] })
  await inSync([a, b])
  await eventually('the file', () => equal(a, b))
  assert.equal((await b.daemon.request('DELETE', '/rest/config/folders/docs')).status, 200)
  fill(a.root, ['two'])
  await scan(a)
  await eventually('nothing shared', async () => (await completionOf(a, b)).remoteState !== 'valid' || undefined)
  await b.daemon.addFolder('docs', b.root, { devices: [{ deviceID: a.id }] })
  await eventually('both files', () => equal(a, b))
  assert.equal(conflictsIn(b.root), 0)
})

test('D-03: an index deleted on one side costs nothing and brings nothing back', async () => {
  using scratch = scratchDirectory()
  await using pair = await startPair(scratch.path)
  const { a, b } = pair
  const names = Array.from({ length: 40 }, (_, i) => `d${i % 4}/f${i}`)
  fill(a.root, names)
  await connect(a, b, { rescanIntervalS: 0 })
  await Promise.all([scan(a), scan(b)])
  await inSync([a, b])
  for (const name of names.slice(0, 10)) rmSync(join(a.root, name))
  writeFileSync(join(b.root, 'd1/f13'), 'edited there')
  await Promise.all([scan(a), scan(b)])
  await eventually('deletions and the edit on both sides', () => equal(a, b))
  await inSync([a, b])
  const kept = join(scratch.path, 'as-it-was')
  cpSync(a.root, kept, { recursive: true, preserveTimestamps: true })
  await a.daemon.signal('SIGTERM')
  const home = join(scratch.path, 'a-home')
  for (const name of readdirSync(home))
    if (name.startsWith('index-')) renameSync(join(home, name), join(scratch.path, `lost-${name}`))
  await using daemon = await startDaemon({ home })
  const again: Member = { ...a, daemon }
  await scan(again)
  await eventually(
    'the two to meet again',
    async () => (await completionOf(again, b)).remoteState === 'valid' || undefined,
  )
  await inSync([again, b])
  await Promise.all([scan(again), scan(b)])
  await inSync([again, b])
  const conflicts = conflictsIn(again.root) + conflictsIn(b.root)
  const resurrected = names
    .slice(0, 10)
    .filter((name) => treeOf(again.root).has(name) || treeOf(b.root).has(name)).length
  assert.equal(conflicts, 0)
  assert.equal(resurrected, 0)
  assert.deepEqual(differencesOf(again.root, b.root), [], 'both are equal')
  assert.deepEqual([...treeOf(again.root).keys()], [...treeOf(kept).keys()], 'and as they were')
  reportRow({ id: 'D-03', tried: names.length, conflicts, resurrected })
})

function equal(a: Member, b: Member): true | undefined {
  return differencesOf(a.root, b.root).length === 0 || undefined
}

function conflictsIn(root: string): number {
  return [...treeOf(root).keys()].filter(isConflictName).length
}

test('a daemon that stops closes its connection, and both reconnect', async () => {
  using scratch = scratchDirectory()
  await using pair = await startPair(scratch.path)
  const { a, b } = pair
  await connect(a, b)
  await Promise.all([scan(a), scan(b)])
  await eventually('connected', async () => (await completionOf(a, b)).remoteState === 'valid' || undefined)
  assert.equal(await b.daemon.signal('SIGTERM'), 0)
  await eventually('gone', async () => (await completionOf(a, b)).remoteState === 'unknown' || undefined)
  await eventually('the goodbye', async () => {
    const events = (await a.daemon.get('/rest/events?timeout=1')) as readonly {
      type: string
      data: { id: string; error: string }
    }[]
    return events.find(
      ({ type, data }) => type === 'DeviceDisconnected' && data.id === b.id && data.error.includes('shutting down'),
    )
  })
  fill(a.root, ['while-away'])
  await scan(a)
  await using daemon = await startDaemon({ home: join(scratch.path, 'b-home') })
  await inSync([a, { ...b, daemon }])
  await eventually('the file', () => equal(a, b))
  assert.equal((await statusOf(a)).errors, 0)
})
