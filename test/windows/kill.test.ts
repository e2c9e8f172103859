/** C-02 on Windows: the process is killed before or after single calls of the file system. */
import assert from 'node:assert/strict'
import { mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { conflicts, Contents, temporaries } from '../process/crash-scene.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually } from '../support/scratch.ts'
import { startWindows, windowsCommand, windowsDirectory, windowsPath } from '../support/windows.ts'
import { FOLDER, scan, share, untilEqual } from './scene.ts'

/** Where the checkout is mounted. */
const KILL_AT = 'file:///Z:/checkout/test/support/kill-at.mjs'
const FILES = 12
const LIMIT_MS = 120_000

/** A step of the receiver, named by a call of node:fs: function, how many of them, path. */
interface KillPoint {
  readonly what: string
  readonly at: string
  /** What leads there, at the sender. */
  readonly change: () => void
  /** What leads there, at the receiver. */
  readonly act?: (daemon: Daemon) => Promise<unknown>
  readonly versions?: true
}

const scratch = windowsDirectory()
let windows: Member
let linux: Member
let contents: Contents
let nextName = 0

const edit = (): void => {
  for (let i = 0; i < FILES; i++) contents.write(`d/f${i}`)
}
const create = (): void => {
  nextName++
  for (let i = 0; i < 4; i++) contents.write(`new${nextName}/made/f${i}`)
}
const removeFile = (): void => {
  contents.write('gone/other')
  rmSync(join(linux.root, 'd/f1'), { force: true })
}
const none = (): void => {}
const saveConfig = (daemon: Daemon) =>
  daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 2 + (nextName++ % 2) }).catch(none)

const POINTS: readonly KillPoint[] = [
  { what: 'a temporary file is created', at: 'open|openSync 2 ~syncthing~.*\\.tmp$', change: edit },
  { what: 'a file is about to get its exchange name', at: 'rename|renameSync 1 \\.aside$', change: edit },
  { what: 'a file has its exchange name', at: 'after:rename|renameSync 1 \\.aside$', change: edit },
  { what: 'a file is about to be replaced', at: 'rename|renameSync 2 \\.aside$', change: edit },
  { what: 'a file is replaced', at: 'after:rename|renameSync 2 \\.aside$', change: edit },
  { what: 'a directory is about to be created', at: 'mkdir|mkdirSync 1 /made$', change: create },
  { what: 'a directory is created', at: 'after:mkdir|mkdirSync 1 /made$', change: create },
  { what: 'a new file is about to get its name', at: 'link|linkSync|rename|renameSync 2 /made/', change: create },
  { what: 'a new file has its name', at: 'after:link|linkSync|rename|renameSync 2 /made/', change: create },
  { what: 'a file is about to be removed', at: 'unlink|unlinkSync|rename|renameSync 1 /d/.*f1\\b', change: removeFile },
  {
    what: 'a directory is about to be removed',
    at: 'rmdir 1 /empty$',
    change: () => rmdirSync(join(linux.root, 'empty')),
  },
  { what: 'the configuration is about to be replaced', at: 'rename 1 config\\.xml$', change: none, act: saveConfig },
  { what: 'the configuration is replaced', at: 'after:rename 1 config\\.xml$', change: none, act: saveConfig },
  {
    what: 'a scan lists a directory',
    at: 'readdirSync 2 [\\\\/]win(/|$)',
    change: none,
    act: (daemon) => daemon.post(`/rest/db/scan?folder=${FOLDER}`).catch(none),
  },
  { what: 'an old version is about to be kept', at: 'link 2 ~\\d{8}-\\d{6}', change: edit, versions: true },
  { what: 'an old version is kept', at: 'after:link 2 ~\\d{8}-\\d{6}', change: edit, versions: true },
]

before(async () => {
  linux = await startMember(scratch.path, 'linux')
  windows = await startWindows(scratch.path)
  contents = new Contents(linux.root, 1)
  edit()
  mkdirSync(join(linux.root, 'empty'))
  await share(windows, linux)
  await untilEqual([windows, linux], LIMIT_MS)
})

after(async () => {
  await windows?.[Symbol.asyncDispose]()
  await linux?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Starts the device, which kills itself there; fails if it does not. */
async function startToBeKilled({ what, at, act }: KillPoint): Promise<void> {
  const { home } = windows.daemon
  const options = { nodeArgs: ['--import', KILL_AT], variables: { TWINFOLD_KILL_AT: at } }
  const daemon = await startDaemon({ home, command: windowsCommand(home, options) }).catch((error: unknown) => {
    assert.match(String(error), /killed at/, what) // before it was ready
  })
  if (daemon === undefined) return
  try {
    await act?.(daemon)
    await eventually(`the end of the process: ${what}`, () => daemon.child.exitCode ?? undefined, LIMIT_MS)
    assert.match(daemon.output, /killed at/, what)
  } finally {
    await daemon[Symbol.asyncDispose]()
  }
}

async function startAgain(): Promise<void> {
  const { home } = windows.daemon
  const daemon = await startDaemon({ home, command: windowsCommand(home) })
  windows = { ...windows, daemon, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

for (const point of POINTS) {
  test(`killed where ${point.what}, it resumes without a loss`, async () => {
    const fsPath = windowsPath(join(scratch.path, 'versions'))
    const versioning = { type: 'simple', params: { keep: '5' }, fsPath }
    if (point.versions) await windows.daemon.request('PATCH', `/rest/config/folders/${FOLDER}`, { versioning })
    await windows.daemon.signal('SIGTERM') // the launcher kills it
    try {
      point.change()
      await scan(linux)
      await startToBeKilled(point)
      assert.deepEqual(contents.torn(windows.root), [])
    } finally {
      await startAgain()
    }
    await scan(windows)
    await untilEqual([windows, linux], LIMIT_MS)
    for (const { root } of [windows, linux])
      assert.deepEqual([contents.torn(root), temporaries(root), conflicts(root)], [[], [], []])
  })
}
