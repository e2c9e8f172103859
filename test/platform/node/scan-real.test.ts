import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { normalizeName } from '../../../src/scanner/normalize.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { createNodeHasher } from '../../../src/platform/node/threads/hash.ts'
import { createNodeWalker } from '../../../src/platform/node/walk.ts'
import { explainWatchError } from '../../../src/platform/node/disk/watch-limits.ts'
import { createNodeWatcher } from '../../../src/platform/node/disk/watch.ts'
import { QueueGauge } from '../../../src/platform/node/disk/watch-queue.ts'
import { reportRow } from '../../support/effort.ts'
import { cannotLimitWatches, fewWatches } from '../../support/few-watches.ts'
import { asOrdinaryUser } from '../../support/ordinary-user.ts'
import { eventually, scratchDirectory } from '../../support/scratch.ts'

const NEVER = new AbortController().signal

async function walk(root: string): Promise<{ names: string[]; problems: string[] }> {
  await using walker = createNodeWalker()
  const found = { names: [] as string[], problems: [] as string[] }
  for await (const batch of walker.walk(
    { root, subs: [''], ignoreLines: undefined, removeTemporariesBeforeS: 1e10 },
    NEVER,
  )) {
    found.names.push(...batch.items.map((item) => item.name))
    found.problems.push(...batch.problems.map((problem) => `${problem.path}: ${problem.message}`))
  }
  return found
}

/** Undefined when it takes so long that it must be waiting for something that never comes. */
async function endsInTime<T>(work: Promise<T>): Promise<T | undefined> {
  const timer = Promise.withResolvers<undefined>()
  const alarm = setTimeout(() => timer.resolve(undefined), 20_000)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(alarm)
  }
}

test('N-09: pipes, sockets and hard links neither block the walk nor are misread', async () => {
  using scratch = scratchDirectory()
  writeFileSync(`${scratch.path}/file`, 'x')
  linkSync(`${scratch.path}/file`, `${scratch.path}/hard`)
  execFileSync('mkfifo', [`${scratch.path}/pipe`])
  symlinkSync('/', `${scratch.path}/root`)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(`${scratch.path}/socket`, resolve))
  await using hasher = createNodeHasher({ threads: 1 })
  // Each walked and hashed separately: opening a pipe without a writer would block forever.
  const kinds = ['file', 'hard', 'root', 'pipe', 'socket']
  const expected: Record<string, string> = { file: 'hashed', hard: 'hashed' }
  const stuck: string[] = []
  try {
    assert.deepEqual(await endsInTime(walk(scratch.path)), { names: ['file', 'hard', 'root'], problems: [] })
    const [item] = await collect(scratch.path, 'file')
    for (const kind of kinds) {
      const job = { ...item!, path: `${scratch.path}/${kind}`, blockSizeBytes: 131_072 }
      for (const jobs of [[job], [job, job]]) {
        const results = await endsInTime(hasher.hash(jobs, () => {}, NEVER))
        if (results === undefined) stuck.push(kind)
        else
          for (const { kind: found } of results)
            assert.equal(found === 'hashed' ? 'hashed' : undefined, expected[kind], kind)
      }
    }
  } finally {
    server.close()
  }
  reportRow({ id: 'N-09', part: 'walk and hash', tried: 1 + 2 * kinds.length, hangs: stuck.length })
  assert.deepEqual(stuck, [])
})

test('N-03: names that are no UTF-8 are listed and never opened', async () => {
  using scratch = scratchDirectory()
  const bad = [
    Buffer.from('a\xff', 'latin1'),
    Buffer.from('.syncthing.\xfe.tmp', 'latin1'),
    Buffer.from('\xe9', 'latin1'),
  ]
  for (const name of bad) writeFileSync(Buffer.concat([Buffer.from(`${scratch.path}/`), name]), 'precious')
  writeFileSync(`${scratch.path}/a\ufffd`, 'a name that looks like a broken one')
  const state = () =>
    readdirSync(scratch.path, { encoding: 'buffer' }).map((name) => {
      const path = Buffer.concat([Buffer.from(`${scratch.path}/`), name])
      const { ctimeNs, ino } = lstatSync(path, { bigint: true })
      return `${name.toString('latin1')} ${ino} ${ctimeNs} ${readFileSync(path, 'utf8')}`
    })
  const before = state()
  const found = await walk(scratch.path)
  assert.deepEqual(found.names, ['a\ufffd'])
  assert.equal(found.problems.length, 3)
  const after = new Set(state())
  const touched = before.filter((one) => !after.has(one))
  reportRow({ id: 'N-03', tried: before.length, wrongFilesTouched: touched.length })
  assert.deepEqual(touched, [])
})

/** Root may read everything: the walk runs in a process of an ordinary user. */
test('C-09: as an ordinary user, unreadable items are a problem, not a deletion', () => {
  using scratch = scratchDirectory()
  mkdirSync(`${scratch.path}/closed/below`, { recursive: true })
  writeFileSync(`${scratch.path}/secret`, 'x')
  writeFileSync(`${scratch.path}/open`, 'x')
  for (const path of ['closed', 'secret']) chmodSync(`${scratch.path}/${path}`, 0o000)
  const helper = fileURLToPath(new URL('./scan-as-user.ts', import.meta.url))
  const [program = '', ...args] = [...asOrdinaryUser(), process.execPath, helper, scratch.path]
  const child = spawnSync(program, args, { encoding: 'utf8' })
  chmodSync(`${scratch.path}/closed`, 0o755)
  assert.equal(child.status, 0, child.stderr)
  const { first, second, live, deleted } = JSON.parse(child.stdout) as Record<string, unknown>
  assert.deepEqual(first, [
    { path: 'closed', error: 'scan: permission denied' },
    { path: 'secret', error: 'hashing: permission denied' },
  ])
  assert.deepEqual(second, first)
  assert.deepEqual(live, ['closed', 'closed/known', 'open', 'secret'])
  assert.ok(Array.isArray(deleted))
  reportRow({ id: 'C-09', part: 'scan', tried: 2, falseDeletes: deleted.length })
  assert.deepEqual(deleted, [])
})

test('C-16: a limit of the system is named with what is needed and what is allowed', () => {
  const watches = explainWatchError(Object.assign(new Error('no room'), { code: 'ENOSPC' }), 1_234)
  assert.match(
    watches.message,
    /needs 1234 directories.*, the system allows (\d+|fewer).*raise (fs\.inotify\.max_user|user\.max_inotify)_\w+$/,
  )
  const instances = explainWatchError(Object.assign(new Error('too many'), { code: 'EMFILE' }), 1)
  assert.match(
    instances.message,
    /inotify instance.*allows (\d+|no more).*raise (fs\.inotify\.max_user|user\.max_inotify)_instances$/,
  )
})

const LIMITED: readonly [
  setting: Parameters<typeof fewWatches>[0],
  count: number,
  directories: number,
  outcome: RegExp | true,
][] = [
  [
    'max_inotify_watches',
    20,
    100,
    /^watching needs 101 directories or more, the system allows 20 .*raise user\.max_inotify_watches$/,
  ],
  ['max_inotify_watches', 20, 19, true],
  ['max_inotify_watches', 20, 20, /^watching needs 21 directories or more, the system allows 20 /],
  [
    'max_inotify_instances',
    0,
    3,
    /^watching needs one more inotify instance, the system allows 0 .*raise user\.max_inotify_instances$/,
  ],
]
for (const [setting, count, directories, outcome] of LIMITED) {
  test(`C-16: ${directories} directories with ${setting} at ${count}`, { skip: cannotLimitWatches() }, () => {
    using scratch = scratchDirectory()
    for (let i = 0; i < directories; i++) mkdirSync(`${scratch.path}/d${i}`)
    const helper = fileURLToPath(new URL('./watch-as-limited.ts', import.meta.url))
    const [program, ...args] = [...fewWatches(setting, count), process.execPath, helper, scratch.path]
    const child = spawnSync(program!, args, { encoding: 'utf8' })
    assert.equal(child.status, 0, child.stderr)
    const { watching, message } = JSON.parse(child.stdout) as { watching: boolean; message?: string }
    assert.equal(watching, outcome === true, message)
    if (outcome !== true) assert.match(message ?? '', outcome)
  })
}

test('C-16: more events at once than half the queue count as an overflow', async () => {
  const gauge = new QueueGauge(10)
  let reports = 0
  using _ = gauge.onFull(() => reports++)
  for (let i = 0; i < 4; i++) gauge.count()
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 4; i++) gauge.count()
  assert.equal(reports, 0)
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 9; i++) gauge.count()
  assert.equal(reports, 1)
})

test('C-16: a burst of changes is reported completely or as an overflow', async () => {
  using scratch = scratchDirectory()
  const seen = new Set<string>()
  let overflow = false
  await using _ = await createNodeWatcher().watch(
    { root: scratch.path, ignoreLines: undefined },
    (event) => {
      if (!('path' in event)) overflow = true
      else seen.add(event.path)
    },
    assert.fail,
  )
  const count = 20_000
  for (let i = 0; i < count; i++) writeFileSync(`${scratch.path}/f${i}`, '')
  await eventually('all files or an overflow', () => overflow || seen.size >= count || undefined)
  reportRow({ id: 'C-16', part: 'storm', tried: count, seen: seen.size, overflow })
})

test('hasher: many callers at once get their own results, and the threads end', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 2 })
  const runs = Array.from({ length: 8 }, async (_, i) => {
    writeFileSync(`${scratch.path}/f${i}`, Buffer.alloc(300_000, i))
    const [item] = await collect(scratch.path, `f${i}`)
    const [result] = await hasher.hash(
      [{ ...item!, path: `${scratch.path}/f${i}`, blockSizeBytes: 131_072 }],
      () => {},
      NEVER,
    )
    assert.ok(result?.kind === 'hashed')
    return Buffer.from(result.blocksHash).toString('hex')
  })
  assert.equal(new Set(await Promise.all(runs)).size, 8)
  assert.ok(existsSync(scratch.path))
})

async function collect(root: string, sub: string) {
  await using walker = createNodeWalker()
  const items = []
  for await (const batch of walker.walk({ root, subs: [sub], ignoreLines: undefined }, NEVER))
    items.push(...batch.items)
  return items
}

test('scan: on a real disk names are normalized; an interrupted rename is completed, no twin replaced', async () => {
  using scratch = scratchDirectory()
  writeFileSync(`${scratch.path}/e\u0301`, 'moved')
  writeFileSync(`${scratch.path}/o\u0301`, 'has both names')
  linkSync(`${scratch.path}/o\u0301`, `${scratch.path}/\u00f3`)
  writeFileSync(`${scratch.path}/a\u0301`, 'decomposed')
  writeFileSync(`${scratch.path}/\u00e1`, 'composed')
  const found = await Promise.all(
    ['e\u0301', 'o\u0301', 'a\u0301'].map((name) => normalizeName(nodeDisk, scratch.path, name)),
  )
  assert.deepEqual(found, [
    { name: '\u00e9' },
    { name: '\u00f3' },
    { error: 'normalizing path: item has UTF8 encoding conflict with another item' },
  ])
  const contents = readdirSync(scratch.path).map((name) => [name, readFileSync(`${scratch.path}/${name}`, 'utf8')])
  assert.deepEqual(Object.fromEntries(contents), {
    '\u00e9': 'moved',
    '\u00f3': 'has both names',
    'a\u0301': 'decomposed',
    '\u00e1': 'composed',
  })
})
