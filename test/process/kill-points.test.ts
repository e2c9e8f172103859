/** C-02: the process is killed before or after single calls of the file system. */
import assert from 'node:assert/strict'
import { mkdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startPair, type Device } from '../support/device-pair.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { assertConverged, Contents, temporaries } from './crash-scene.ts'

const KILL_AT = join(import.meta.dirname, '..', 'support', 'kill-at.mjs')
const FILES = 30

/** A step of the receiver, named by a call of node:fs: function, how many of them, path. */
interface KillPoint {
  readonly what: string
  readonly at: string
  /** What leads there, at the sender. */
  readonly change: (root: string, contents: Contents) => void
  /** What leads there, at the receiver. */
  readonly act?: (device: Device) => Promise<unknown>
  /** Old versions are kept. */
  readonly versions?: true
  /** The step is a call of the system that Node lacks, unless these are off. */
  readonly native?: 'off'
  /** In long runs only: the simulation kills before every call, and here the step beside it is tested. */
  readonly longRuns?: true
}

/** Only a failure takes so long. */
const LIMIT_MS = 60_000
/** Thirty starts of a process: five minutes at a load of twenty. */
const TEST_MS_MAX = 1_800_000

const edit = (_root: string, contents: Contents): void => {
  for (let i = 0; i < FILES; i++) contents.write(`d/f${i}`)
}
const create = (_root: string, contents: Contents): void => contents.write('d/made/new')
const none = (): void => {}
const saveConfig = (device: Device) =>
  device.daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 2 }).catch(() => {})

const ALL_POINTS: readonly KillPoint[] = [
  { what: 'a temporary file is created', at: 'open|openSync 2 \\.syncthing\\..*\\.tmp$', change: edit, longRuns: true },
  { what: 'a file is about to be exchanged', at: 'rename|renameSync 2 \\.aside$', change: edit, longRuns: true },
  { what: 'a file has its exchange name', at: 'after:rename|renameSync 2 \\.aside$', change: edit },
  {
    what: 'a replaced file is about to be removed',
    at: 'unlink|unlinkSync 2 \\.aside$',
    change: edit,
    longRuns: true,
  },
  { what: 'a directory is created', at: 'after:mkdir 1 /made$', change: create, longRuns: true },
  {
    what: 'a symlink has its temporary name',
    at: 'after:symlink 1 \\.tmp$',
    change: (root) => symlinkSync('elsewhere', join(root, 'link')),
  },
  {
    what: 'a symlink is moved aside',
    at: 'after:rename 1 \\.aside$',
    change: (root) => rmSync(join(root, 'link')),
  },
  {
    what: 'a directory is removed',
    at: 'rmdir 1 /empty$',
    change: (root) => rmdirSync(join(root, 'empty')),
  },
  {
    what: 'a scan lists a directory',
    at: 'readdirSync 2 /b(/|$)',
    change: none,
    act: (device) => device.scan().catch(none),
    longRuns: true,
  },
  {
    what: 'the configuration is written',
    at: 'open 1 \\.syncthing\\.tmp',
    change: none,
    act: saveConfig,
    longRuns: true,
  },
  { what: 'the configuration is renamed', at: 'rename 1 config\\.xml$', change: none, act: saveConfig },
  {
    what: 'the configuration is in place',
    at: 'after:rename 1 config\\.xml$',
    change: none,
    act: saveConfig,
    longRuns: true,
  },
  {
    what: 'an old version is about to be kept',
    at: 'link 2 ~\\d{8}-\\d{6}',
    change: edit,
    versions: true,
    longRuns: true,
  },
  { what: 'an old version is kept', at: 'after:link 2 ~\\d{8}-\\d{6}', change: edit, versions: true },
  {
    what: 'a deleted file is among the versions',
    at: 'after:link 1 ~\\d{8}-\\d{6}',
    change: (root) => rmSync(join(root, 'd/f1')),
    versions: true,
    native: 'off',
  },
]

const POINTS = ALL_POINTS.filter(({ longRuns }) => longRuns === undefined || casesOf(0, 1) === 1)

/** Starts the device, which kills itself there; fails if it does not. */
async function startToBeKilled(device: Device, { what, at, act, native }: KillPoint): Promise<void> {
  const env = { TWINFOLD_KILL_AT: at, TWINFOLD_NATIVE: native ?? '' }
  const options = { nodeArgs: ['--import', KILL_AT], env }
  const started = await device.startAgain(options).then(
    () => true,
    () => false, // killed before it was ready
  )
  if (!started) return
  await act?.(device)
  await eventually(`the end of the process: ${what}`, () => !device.isRunning || undefined, LIMIT_MS)
  assert.equal(device.daemon.child.signalCode, 'SIGKILL', what)
}

test('C-02: killed in any step, the receiver resumes and converges', { timeout: TEST_MS_MAX }, async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const contents = new Contents(a.root, 1)
  edit(a.root, contents)
  mkdirSync(join(a.root, 'empty'))
  await a.scan()
  await assertConverged(pair, contents)
  const versioning = { type: 'simple', params: { keep: '5' }, fsPath: join(directory.path, 'versions') }
  let reached = 0
  for (const point of POINTS) {
    if (point.versions) await b.daemon.request('PATCH', '/rest/config/folders/docs', { versioning })
    // The name of a version has the second of its time: in the same one the first link is refused, the next name taken.
    if (point.versions) await new Promise((done) => setTimeout(done, 1_100))
    await b.kill()
    point.change(a.root, contents)
    await a.scan()
    await startToBeKilled(b, point)
    reached++
    assert.deepEqual(contents.torn(b.root), [], point.what)
    await b.startAgain()
    await assertConverged(pair, contents)
  }
  reportRow({
    id: 'C-02',
    part: 'kill points',
    tried: POINTS.length,
    reached,
    temporariesLeft: temporaries(b.root).length,
  })
  assert.equal(reached, POINTS.length)
})
