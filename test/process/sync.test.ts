import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { someBytes } from '../support/bytes.ts'
import {
  connect,
  differencesOf,
  inSync,
  restartMember,
  startMember,
  treeOf,
  type Member,
} from '../support/daemon-pair.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { testSeed } from '../support/seed.ts'

const SEED = testSeed()
const MIB = 1_024 * 1_024

function fillHard(root: string, random: SimRandom): void {
  mkdirSync(join(root, 'empty directory'), { recursive: true })
  mkdirSync(join(root, 'déep/日本/🙂'), { recursive: true })
  for (const size of [0, 1, 131_071, 131_072, 131_073, 3 * MIB])
    writeFileSync(join(root, `size-${size}`), someBytes(size, random.int(2 ** 31)))
  writeFileSync(join(root, 'déep/日本/🙂/naïve'), 'x')
  writeFileSync(join(root, `${'n'.repeat(200)}.txt`), 'a long name')
  writeFileSync(join(root, '.dotfile'), 'hidden')
  writeFileSync(join(root, 'sparse'), Buffer.alloc(2 * MIB))
  writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n')
  chmodSync(join(root, 'run.sh'), 0o755)
  writeFileSync(join(root, 'read only'), 'r')
  chmodSync(join(root, 'read only'), 0o444)
  utimesSync(join(root, 'read only'), 1, 1_234_567_890.123456)
  symlinkSync('../nowhere', join(root, 'link'))
}

async function scanBoth(members: readonly Member[]): Promise<void> {
  await Promise.all(members.map(({ daemon }) => daemon.post('/rest/db/scan?folder=docs')))
}

async function assertEqual(members: readonly Member[], what: string): Promise<void> {
  await scanBoth(members)
  const [first, ...others] = members
  const differences = () => others.flatMap((other) => differencesOf(first!.root, other.root))
  // Need may be none for a moment before a conflict copy is scanned and announced.
  await eventually(what, async () => {
    await inSync(members)
    return differences().length === 0 || undefined
  }).catch(() => {}) // the comparison below shows the differences
  assert.deepEqual(differences(), [], what)
  assert.deepEqual(
    [...treeOf(first!.root).keys()].filter((name) => name.includes('.syncthing.')),
    [],
    'temporary files are left',
  )
}

test('two daemons keep a difficult tree in sync: changes on both sides, renames, conflicts, deletions', async () => {
  using scratch = scratchDirectory()
  const random = new SimRandom(SEED)
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  const both = [a, b]
  fillHard(a.root, random)
  mkdirSync(b.root)
  writeFileSync(join(b.root, 'only at b'), 'b')
  await connect(a, b)
  await assertEqual(both, 'after the first sync')

  for (let round = 0; round < 5; round++) {
    for (const { root, daemon } of both) {
      const names = readdirSync(root).filter((name) => name.startsWith('size-') || name.startsWith('made-'))
      const victim = names[random.int(names.length)]!
      const action = random.int(4)
      const path = join(root, victim)
      if (action === 0) rmSync(path)
      else if (action === 1) writeFileSync(path, someBytes(random.int(400_000), random.int(2 ** 31)))
      else if (action === 2) renameSync(path, join(root, `made-${round}-${daemon.child.pid}`))
      else chmodSync(path, (statSync(path).mode & 0o777) ^ 0o011)
      writeFileSync(
        join(root, `made-${round}-new-${daemon.child.pid}`),
        someBytes(random.int(300_000), random.int(2 ** 31)),
      )
    }
    await assertEqual(both, `round ${round}, TWINFOLD_SEED=${SEED}`)
  }
})

test('concurrent edits: the later one wins, the other is kept on both sides', async () => {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  for (const { root } of [a, b]) mkdirSync(root)
  writeFileSync(join(a.root, 'f.txt'), 'base')
  writeFileSync(join(a.root, 'g.txt'), 'base')
  await connect(a, b)
  await assertEqual([a, b], 'base')
  for (const { daemon } of [a, b]) await daemon.post('/rest/system/pause')
  writeFileSync(join(a.root, 'f.txt'), 'from a')
  utimesSync(join(a.root, 'f.txt'), 2_000_000_000, 2_000_000_000)
  writeFileSync(join(b.root, 'f.txt'), 'from b')
  writeFileSync(join(a.root, 'g.txt'), 'edited')
  rmSync(join(b.root, 'g.txt'))
  await scanBoth([a, b])
  for (const { daemon } of [a, b]) await daemon.post('/rest/system/resume')
  await assertEqual([a, b], 'after the conflict')
  const names = readdirSync(a.root)
  const copies = names.filter((name) => name.includes('sync-conflict'))
  assert.equal(readFileSync(join(b.root, 'f.txt'), 'utf8'), 'from a')
  assert.deepEqual(
    copies.map((name) => readFileSync(join(a.root, name), 'utf8')),
    ['from b'],
  )
  assert.equal(readFileSync(join(b.root, 'g.txt'), 'utf8'), 'edited', 'an edit wins over a deletion')
})

test('C-01: kill -9 of the receiver at any moment leaves whole files, and the next start finishes', async () => {
  using scratch = scratchDirectory()
  const random = new SimRandom(SEED)
  await using a = await startMember(scratch.path, 'a')
  let b = await startMember(scratch.path, 'b')
  try {
    mkdirSync(a.root)
    const sizes = Array.from({ length: 120 }, (_, i) => (i % 10 === 0 ? 1_000_000 : i * 700))
    for (const [i, size] of sizes.entries()) writeFileSync(join(a.root, `f${i}`), someBytes(size, i))
    await connect(a, b)
    await assertEqual([a, b], 'before the first kill') // else nothing would be there to be lost
    const rounds = effort(2)
    let torn = 0
    let bytesLost = 0
    let midPull = 0
    let tried = 0
    for (let round = 0; round < rounds; round++) {
      const old = contentsOf(a.root)
      for (const [i, size] of sizes.entries())
        if (i % 3 === round % 3)
          writeFileSync(join(a.root, `f${i}`), someBytes(size + round + 1, i + 1_000 * (round + 1)))
      const wanted = contentsOf(a.root)
      await a.daemon.post('/rest/db/scan?folder=docs')
      // a moment of the pull: where it falls does not decide the test
      await new Promise((resolve) => setTimeout(resolve, random.int(400)))
      await b.daemon.signal('SIGKILL')
      tried++
      const found = contentsOf(b.root)
      const changed = [...wanted].filter(([name, content]) => !content.equals(old.get(name)!))
      const arrived = changed.filter(([name, content]) => found.get(name)?.equals(content)).length
      if (arrived > 0 && arrived < changed.length) midPull++
      for (const [name, content] of old) {
        const text = found.get(name)
        if (text === undefined) bytesLost += content.length
        else if (!text.equals(content) && !text.equals(wanted.get(name)!)) torn++
      }
      b = await restartMember(b)
      await inSync([a, b])
      assert.deepEqual(differencesOf(a.root, b.root), [], `round ${round}`)
    }
    reportRow({ id: 'C-01', tried, midPull, torn, bytesLost, seed: SEED })
    assert.deepEqual([torn, bytesLost], [0, 0])
    assert.deepEqual(
      readdirSync(b.root).filter((name) => name.includes('sync-conflict') || name.includes('.syncthing.')),
      [],
    )
  } finally {
    await b[Symbol.asyncDispose]()
  }
})

/** Files as people see them, half-made ones left out. */
function contentsOf(root: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(root).filter((name) => !name.startsWith('.'))
  return new Map(names.map((name) => [name, readFileSync(join(root, name))]))
}

test('a scan completes during a slow download, and a prioritized file is pulled next', async () => {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  mkdirSync(a.root)
  for (let i = 0; i < 40; i++) writeFileSync(join(a.root, `f${String(i).padStart(2, '0')}`), someBytes(2 * MIB, i))
  await a.daemon.request('PATCH', '/rest/config/options', { maxSendKbps: 4_096, limitBandwidthInLan: true })
  await connect(a, b, { order: 'alphabetic', paused: true })
  await a.daemon.request('PATCH', '/rest/config/folders/docs', { paused: false })
  await a.daemon.post('/rest/db/scan?folder=docs')
  await b.daemon.request('PATCH', '/rest/config/folders/docs', { paused: false })
  const finished = async () =>
    ((await b.daemon.get('/rest/events?since=0&events=ItemFinished&timeout=0')) as { data: { item: string } }[]).map(
      ({ data }) => data.item,
    )
  await finished() // from now on they are kept for us
  const need = async () =>
    (await b.daemon.get('/rest/db/need?folder=docs')) as {
      progress: { name: string }[]
      queued: { name: string }[]
      rest: object[]
    }
  await eventually(
    'a download with files waiting',
    async () => ((await need()).queued.length > 10 && (await need()).progress.length > 0) || undefined,
  )
  const answer = JSON.parse(await b.daemon.post('/rest/db/prio?folder=docs&file=f39')) as Awaited<
    ReturnType<typeof need>
  >
  const isNext = answer.queued[0]?.name === 'f39' || answer.progress.some(({ name }) => name === 'f39')
  assert.ok(isNext, `queued ${answer.queued.map(({ name }) => name).join(' ')}`)
  writeFileSync(join(b.root, 'new at b'), 'x')
  await b.daemon.post('/rest/db/scan?folder=docs')
  const file = await b.daemon.get('/rest/db/file?folder=docs&file=new%20at%20b')
  assert.ok(file)
  assert.ok((await need()).queued.length > 10, 'the scan waited for the download')
  await eventually(
    'full speed',
    async () => (await a.daemon.request('PATCH', '/rest/config/options', { maxSendKbps: 0 })).ok || undefined,
  )
  await inSync([a, b])
  const order = await finished()
  const place = order.indexOf('f39')
  assert.ok(place >= 0 && place < order.indexOf('f30'), `the wish was not granted: ${order.join(' ')}`)
})
