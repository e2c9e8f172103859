/** A folder is moved by a real device, to another disk and back, and killed at each step of the journal. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { contentsOf, Device } from '../support/device-pair.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const KILL_AT = join(import.meta.dirname, '..', 'support', 'kill-at.mjs')
/** A file system in memory that Linux always has. */
const MEMORY = '/dev/shm'
const FILES = 30
const LIMIT_MS = 120_000

const scratch = scratchDirectory()
const hasOtherDisk = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(scratch.path).dev
const skip = hasOtherDisk ? false : `${MEMORY} is no other disk here`
const other = hasOtherDisk ? mkdtempSync(join(MEMORY, 'twinfold-')) : scratch.path
let device: Device
let root = join(scratch.path, 'docs')
let content: ReadonlyMap<string, string>

before(async () => {
  mkdirSync(join(root, 'd', 'e'), { recursive: true })
  mkdirSync(join(root, '.stversions'))
  for (let i = 0; i < FILES; i++)
    writeFileSync(join(root, i % 2 ? 'd' : '', `f${i}`), `content ${i} `.repeat(i * 1_000))
  writeFileSync(join(root, '.stignore'), '*.local\n')
  writeFileSync(join(root, 'mine.local'), 'not shared')
  writeFileSync(join(root, '.stversions', 'f1~20260101-000000'), 'older')
  writeFileSync(join(root, 'd', 'e', 'private'), 'mode', { mode: 0o600 })
  symlinkSync('d/f1', join(root, 'link'))
  lutimesSync(join(root, 'f2'), 1_700_000_000.123_456, 1_700_000_000.123_456)
  chmodSync(join(root, 'd', 'e'), 0o750)
  device = await Device.start(scratch.path, 'a')
  const folder = { id: 'docs', path: root, fsWatcherEnabled: false, rescanIntervalS: 0 }
  await device.daemon.request('POST', '/rest/config/folders', folder)
  await device.scan()
  content = contentsOf(root)
})

after(async () => {
  await device[Symbol.asyncDispose]()
  rmSync(other, { recursive: true, force: true })
  scratch[Symbol.dispose]()
})

/** Bytes that this process hashed in scans. */
async function hashedBytes(): Promise<number> {
  const text = await (await device.daemon.request('GET', '/metrics')).text()
  return Number(/^syncthing_scanner_hashed_bytes_total\{folder="docs"\} (\S+)$/m.exec(text)?.[1] ?? 0)
}

async function sequence(): Promise<number> {
  return ((await device.daemon.get('/rest/db/status?folder=docs')) as { sequence: number }).sequence
}

interface Move {
  readonly state: string
  readonly method: string
  readonly error: string
  readonly leftCount: number
}

async function moveNow(): Promise<Move | null> {
  return ((await device.daemon.get('/rest/twinfold/move?folder=docs')) as { move: Move | null }).move
}

async function whenMoved(): Promise<Move> {
  return await eventually(
    'the end of the move',
    async () => {
      const move = await moveNow()
      return move !== null && ['done', 'failed', 'cancelled'].includes(move.state) ? move : undefined
    },
    LIMIT_MS,
  )
}

/** Everything is at one place, and a scan finds nothing to hash and nothing to announce. */
async function assertAt(place: string, before: { readonly hashed: number; readonly sequence: number }): Promise<void> {
  assert.deepEqual(contentsOf(place), content)
  await eventually('the folder', async () => (await device.scan(), true), LIMIT_MS)
  assert.equal(await hashedBytes(), before.hashed, 'nothing is hashed again')
  assert.equal(await sequence(), before.sequence, 'nothing is announced')
}

async function twinfold(args: readonly string[]) {
  return await runCommand([...args, '--home', device.home, '--gui-address', device.daemon.url])
}

test('folder move: a rename on the same disk, with a preview', async () => {
  const before = { hashed: await hashedBytes(), sequence: await sequence() }
  const to = join(scratch.path, 'renamed')
  const preview = await twinfold(['folder', 'move', 'docs', to, '--preview', '--json'])
  assert.equal(preview.code, 0, preview.err)
  const { method, problem } = JSON.parse(preview.out)
  assert.deepEqual([method, problem], ['rename', null])
  assert.ok(!existsSync(to))
  const moved = await twinfold(['folder', 'move', 'docs', to])
  assert.deepEqual([moved.code, moved.err], [0, ''])
  assert.match(moved.out, /renamed on the same disk[^]*Folder "docs" is at .*renamed/)
  assert.ok(!existsSync(root))
  root = to
  await assertAt(root, before)
  const again = await twinfold(['folder', 'move', 'docs', root])
  assert.match(again.err, /the folder is at .* already/)
  assert.equal((await twinfold(['folder', 'move', 'docs', '--cancel'])).code, 1)
})

test('folder set --path: what was moved by hand is not hashed again; an empty place is refused', async () => {
  const before = { hashed: await hashedBytes(), sequence: await sequence() }
  const to = join(scratch.path, 'by-hand')
  mkdirSync(to)
  const refused = await twinfold(['folder', 'set', 'docs', '--path', to])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /has no \.stfolder, so the files of folder "docs" .* are not there/)
  rmSync(to, { recursive: true })
  renameSync(root, to)
  root = to
  const set = await twinfold(['folder', 'set', 'docs', '--path', to])
  assert.equal(set.code, 0, set.err)
  await assertAt(root, before)
})

test('folder move: a copy to another disk', { skip }, async () => {
  const before = { hashed: await hashedBytes(), sequence: await sequence() }
  const to = join(other, 'copied')
  const moved = await twinfold(['folder', 'move', 'docs', to, '--json'])
  assert.equal(moved.code, 0, moved.err)
  const { method, state, leftCount, filesDone, files } = JSON.parse(moved.out)
  assert.deepEqual([method, state, leftCount, filesDone], ['copy', 'done', 0, files])
  assert.ok(!existsSync(root))
  root = to
  await assertAt(root, before)
})

/**
 * A call of node:fs at which the process is killed; `move` writes the journal six times. Some in long runs only: the
 * simulation fails at every call, and here the step beside it is tested.
 */
const ALL_POINTS: readonly (readonly [what: string, at: string, longRuns?: true])[] = [
  ['it is in the journal', 'after:rename 1 moves\\.json$'],
  ['a file is copied', 'open|openSync 9 \\.syncthing\\.move-', true],
  ['a copy is about to get its name', 'rename 20 \\.syncthing\\.move-'],
  ['the copy is complete', 'rename 3 moves\\.json$', true],
  ['the copy is verified', 'after:rename 3 moves\\.json$'],
  ['the settings are saved', 'after:rename 1 config\\.xml$'],
  ['the switch is in the journal', 'after:rename 4 moves\\.json$', true],
  ['old files are removed', 'unlink|unlinkSync 12 /f\\d+$'],
  ['the old directory is removed', 'after:rmdir 1 /place\\d$'],
]
const POINTS = ALL_POINTS.filter(([, , longRuns]) => longRuns === undefined || casesOf(0, 1) === 1)

test('C-02: killed in any step, a move goes on at the next start', { skip, timeout: 600_000 }, async () => {
  const before = await sequence()
  for (const [number, [what, at]] of POINTS.entries()) {
    const to = join(number % 2 ? other : scratch.path, `place${number % 2}`)
    await device.stop()
    await device.startAgain({ nodeArgs: ['--import', KILL_AT], env: { TWINFOLD_KILL_AT: at } })
    await eventually('the folder', async () => (await device.scan(), true))
    const query = new URLSearchParams({ folder: 'docs', path: to })
    await device.daemon.request('POST', `/rest/twinfold/move?${query}`).catch(() => {})
    await eventually(`the end of the process: ${what}`, () => !device.isRunning || undefined, LIMIT_MS)
    assert.equal(device.daemon.child.signalCode, 'SIGKILL', what)
    await device.startAgain()
    const move = await whenMoved()
    assert.deepEqual([move.state, move.method, move.leftCount, move.error], ['done', 'copy', 0, ''], what)
    assert.ok(!existsSync(root), `${what}: ${root} is there still`)
    root = to
    await assertAt(root, { hashed: 0, sequence: before })
  }
  assert.deepEqual(
    readdirSync(root).filter((name) => name.startsWith('.syncthing')),
    [],
  )
  reportRow({ id: 'C-02', part: 'moves', tried: POINTS.length })
})
