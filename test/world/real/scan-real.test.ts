import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createRealHasher } from '../../../src/world/real/hash.ts'
import { createRealWalker } from '../../../src/world/real/walk.ts'
import { explainWatchError } from '../../../src/world/real/watch-limits.ts'
import { createRealWatcher } from '../../../src/world/real/watch.ts'
import { QueueGauge } from '../../../src/world/real/watch-queue.ts'
import { eventually, scratchDirectory } from '../../support/scratch.ts'

const NEVER = new AbortController().signal

async function walk(root: string): Promise<{ names: string[]; problems: string[] }> {
  await using walker = createRealWalker()
  const found = { names: [] as string[], problems: [] as string[] }
  for await (const batch of walker.walk({ root, subs: [''], ignoreLines: undefined, removeTemporariesBeforeS: 1e10 }, NEVER)) {
    found.names.push(...batch.items.map((item) => item.name))
    found.problems.push(...batch.problems.map((problem) => `${problem.path}: ${problem.message}`))
  }
  return found
}

test('N-09: pipes, sockets and hard links neither hang the walk nor are mistaken', async () => {
  using scratch = scratchDirectory()
  writeFileSync(`${scratch.path}/file`, 'x')
  linkSync(`${scratch.path}/file`, `${scratch.path}/hard`)
  execFileSync('mkfifo', [`${scratch.path}/pipe`])
  symlinkSync('/', `${scratch.path}/root`)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(`${scratch.path}/socket`, resolve))
  try {
    assert.deepEqual(await walk(scratch.path), { names: ['file', 'hard', 'root'], problems: [] })
  } finally {
    server.close()
  }
  console.log(JSON.stringify({ id: 'N-09', part: 'walk', tried: 4, hangs: 0 }))
})

test('N-03: names that are no UTF-8 are listed and never touched', async () => {
  using scratch = scratchDirectory()
  const bad = [Buffer.from('a\xff', 'latin1'), Buffer.from('.syncthing.\xfe.tmp', 'latin1'), Buffer.from('\xe9', 'latin1')]
  for (const name of bad) writeFileSync(Buffer.concat([Buffer.from(`${scratch.path}/`), name]), 'precious')
  writeFileSync(`${scratch.path}/a\ufffd`, 'a name that looks like a broken one')
  const found = await walk(scratch.path)
  assert.deepEqual(found.names, ['a\ufffd'])
  assert.equal(found.problems.length, 3)
  assert.equal(readdirSync(scratch.path, { encoding: 'buffer' }).length, 4)
  console.log(JSON.stringify({ id: 'N-03', tried: 3, wrongFilesTouched: 0 }))
})

/** As root everything may be read: the walk runs in a process of somebody who may not. */
test('C-09: as an ordinary user, what may not be read is a problem, not a deletion', { skip: process.getuid?.() !== 0 && 'needs to change its user' }, () => {
  using scratch = scratchDirectory()
  chmodSync(scratch.path, 0o755)
  mkdirSync(`${scratch.path}/closed/below`, { recursive: true })
  writeFileSync(`${scratch.path}/secret`, 'x')
  writeFileSync(`${scratch.path}/open`, 'x')
  for (const [path, mode] of [['closed', 0o000], ['secret', 0o000], ['open', 0o644]] as const) {
    chownSync(`${scratch.path}/${path}`, 65_534, 65_534)
    chmodSync(`${scratch.path}/${path}`, mode)
  }
  const helper = fileURLToPath(new URL('./scan-as-user.ts', import.meta.url))
  const child = spawnSync(process.execPath, [helper, scratch.path], { encoding: 'utf8' })
  assert.equal(child.status, 0, child.stderr)
  const { first, second, live, deleted } = JSON.parse(child.stdout) as Record<string, unknown>
  assert.deepEqual(first, [{ path: 'closed', error: 'scan: permission denied' }, { path: 'secret', error: 'hashing: permission denied' }])
  assert.deepEqual(second, first)
  assert.deepEqual(live, ['closed', 'closed/known', 'open', 'secret'])
  assert.deepEqual(deleted, [])
  console.log(JSON.stringify({ id: 'C-09', part: 'scan', tried: 2, falseDeletes: 0 }))
})

test('C-16: a limit of the system is named with what is needed and what is allowed', () => {
  const watches = explainWatchError(Object.assign(new Error('no room'), { code: 'ENOSPC' }), 1_234)
  assert.match(watches.message, /needs 1234 directories or more, the system allows (\d+|fewer).*max_user_watches/)
  const instances = explainWatchError(Object.assign(new Error('too many'), { code: 'EMFILE' }), 1)
  assert.match(instances.message, /inotify instance.*allows (\d+|no more).*max_user_instances/)
})

test('C-16: more events at once than half the queue count as an overflow', async () => {
  const gauge = new QueueGauge(10)
  let told = 0
  using _ = gauge.onFull(() => told++)
  for (let i = 0; i < 4; i++) gauge.heard()
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 4; i++) gauge.heard()
  assert.equal(told, 0)
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 9; i++) gauge.heard()
  assert.equal(told, 1)
})

test('C-16: a storm of changes is told in full or as an overflow', async () => {
  using scratch = scratchDirectory()
  const seen = new Set<string>()
  let overflow = false
  await using _ = await createRealWatcher().watch({ root: scratch.path, ignoreLines: undefined }, (event) => {
    if (event.kind === 'overflow') overflow = true
    else seen.add(event.path)
  }, assert.fail)
  const count = 20_000
  for (let i = 0; i < count; i++) writeFileSync(`${scratch.path}/f${i}`, '')
  await eventually('all files or an overflow', () => overflow || seen.size >= count || undefined)
  console.log(JSON.stringify({ id: 'C-16', part: 'storm', tried: count, seen: seen.size, overflow }))
})

test('hasher: many callers at once get their own results, and the threads end', async () => {
  using scratch = scratchDirectory()
  await using hasher = createRealHasher({ threads: 2 })
  const runs = Array.from({ length: 8 }, async (_, i) => {
    writeFileSync(`${scratch.path}/f${i}`, Buffer.alloc(300_000, i))
    const [item] = await collect(scratch.path, `f${i}`)
    const [result] = await hasher.hash([{ ...item!, path: `${scratch.path}/f${i}`, blockSizeBytes: 131_072 }], () => {}, NEVER)
    assert.ok(result?.kind === 'hashed')
    return Buffer.from(result.blocksHash).toString('hex')
  })
  assert.equal(new Set(await Promise.all(runs)).size, 8)
  assert.ok(existsSync(scratch.path))
})

async function collect(root: string, sub: string) {
  await using walker = createRealWalker()
  const items = []
  for await (const batch of walker.walk({ root, subs: [sub], ignoreLines: undefined }, NEVER)) items.push(...batch.items)
  return items
}
