import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { posix } from '../../src/platform/node/native/posix.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ROUNDS = 12
const SMALL_FILES = 60
const LARGE_FILES = 4
const LARGE_SIZE_BYTES = 300_000

const skip = posix() === undefined ? 'needs native calls' : undefined

/** Files are added, replaced and removed, small and large, with a symlink and a directory. */
function change({ root }: Member, round: number): void {
  const below = (name: string): string => join(root, 'd', name)
  for (let i = 0; i < SMALL_FILES; i++) writeFileSync(below(`small-${round}-${i}`), `round ${round}`)
  for (let i = 0; i < LARGE_FILES; i++) writeFileSync(below(`large-${i}`), Buffer.alloc(LARGE_SIZE_BYTES, round + i))
  for (let i = 0; i < SMALL_FILES; i++) writeFileSync(below(`edited-${i}`), `round ${round}`)
  if (round > 1) for (let i = 0; i < SMALL_FILES; i++) rmSync(below(`small-${round - 2}-${i}`))
  symlinkSync('nowhere', below(`link-${round}`))
  mkdirSync(below(`directory-${round}`))
}

async function startSwapper(a: string, b: string): Promise<{ end(): Promise<number> }> {
  const script = join(import.meta.dirname, 'swapper.ts')
  const child = spawn(process.execPath, [script, a, b], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const end = async (): Promise<number> => {
    child.stdin.end()
    const { value } = await lines.next()
    if (child.exitCode === null) await once(child, 'exit')
    return Number(value)
  }
  return { end }
}

test(
  'N-07: a directory that is swapped for a symlink in a tight loop leads no pulled file outside',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    const [outside, link] = [join(scratch.path, 'outside'), join(scratch.path, 'link')]
    mkdirSync(outside)
    for (let i = 0; i < SMALL_FILES; i++) writeFileSync(join(outside, `edited-${i}`), 'of another user')
    symlinkSync(outside, link)
    const before = statSync(outside, { bigint: true })
    await using a = await startMember(scratch.path, 'a')
    await using b = await startMember(scratch.path, 'b')
    mkdirSync(join(a.root, 'd'), { recursive: true })
    mkdirSync(b.root, { recursive: true })
    await connect(a, b, { fsWatcherEnabled: false, rescanIntervalS: 3_600 })
    await a.daemon.request('PATCH', '/rest/config/folders/docs', { type: 'sendonly' })
    await b.daemon.request('PATCH', '/rest/config/folders/docs', { type: 'receiveonly' })
    change(a, 0)
    await a.daemon.post('/rest/db/scan?folder=docs')
    await inSync([a, b])

    let pulled = 0
    const swapper = await startSwapper(join(b.root, 'd'), link)
    for (let round = 1; round < ROUNDS; round++) {
      change(a, round)
      await a.daemon.post('/rest/db/scan?folder=docs')
      for (let pulls = 0; pulls < 3; pulls++) await b.daemon.post('/rest/db/scan?folder=docs').catch(() => {})
      pulled += readdirSync(join(a.root, 'd')).length
    }
    const swaps = await swapper.end()
    const escaped = readdirSync(outside).filter((name) => !/^edited-\d+$/.test(name))
    const after = statSync(outside, { bigint: true })
    const real = [link, join(b.root, 'd')].find((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
    const arrived = readdirSync(real ?? '').filter((name) => /^small-[1-9]/.test(name)).length
    reportRow({ id: 'N-07', tried: pulled, swaps, arrived, escapes: escaped.length })
    assert.deepEqual(escaped, [])
    assert.equal(after.ctimeNs, before.ctimeNs, 'nothing was created, renamed or removed there')
    assert.ok(arrived > 0, 'files are pulled meanwhile')
    assert.ok(swaps > 1_000, `${swaps} swaps`)
  },
)
