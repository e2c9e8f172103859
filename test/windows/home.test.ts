import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HOST } from '../../tools/windows/host.ts'
import { addPeer, startMember, type Member } from '../support/daemon-pair.ts'
import { startDaemon } from '../support/daemon.ts'
import { eventually } from '../support/scratch.ts'
import {
  runNode,
  runTwinfold,
  startWindows,
  windowsCommand,
  windowsDirectory,
  windowsPath,
} from '../support/windows.ts'
import { FOLDER, put, share, untilEqual } from './scene.ts'

test('the home is in %LOCALAPPDATA%, and its configuration has the line ends of Linux', () => {
  const home = join(HOST.drive, 'users', 'root', 'AppData', 'Local', 'Syncthing')
  rmSync(home, { recursive: true, force: true })
  const { code, output } = runTwinfold(['generate', '--no-port-probing'])
  assert.equal(code, 0, output)
  for (const name of ['config.xml', 'cert.pem', 'key.pem']) assert.ok(existsSync(join(home, name)), name)
  assert.ok(!readFileSync(join(home, 'config.xml')).includes(0x0d))
  const { output: paths } = runTwinfold(['paths'])
  assert.match(paths, /C:\\users\\root\\AppData\\Local\\Syncthing\\key\.pem/i)
})

test('the definition of the service is shown, and names the program of Windows', () => {
  const { code, output } = runTwinfold(['service', 'install', '--print'])
  assert.equal(code, 0, output)
  assert.match(output, /schtasks/i)
  assert.match(output, /C:\\node\\node\.exe/)
})

test('a command reaches the daemon of the same home, and stops it', async () => {
  using scratch = windowsDirectory()
  const windows = await startWindows(scratch.path)
  const home = `--home=${windowsPath(windows.daemon.home)}`
  const { code, output } = runTwinfold(['status', home, '--json'])
  assert.equal(code, 0, output)
  assert.ok(output.includes(windows.id))
  const { code: stopped, output: text } = runTwinfold(['cli', home, 'operations', 'shutdown'])
  assert.equal(stopped, 0, text)
  assert.equal(await windows.daemon.ended(), 0)
  assert.ok(!existsSync(join(windows.daemon.home, 'syncthing.lock')), 'the lock is released')
})

test('a device that is killed in the middle of a pull resumes it without a loss', async () => {
  using scratch = windowsDirectory()
  await using linux = await startMember(scratch.path, 'linux')
  let windows: Member = await startWindows(scratch.path)
  const { home } = windows.daemon
  try {
    for (let i = 0; i < 60; i++) put(linux.root, `d${i % 5}/e/${i}.bin`, Buffer.alloc(400_000 + i, String(i)))
    await share(windows, linux)
    for (let kill = 1; kill <= 3; kill++) {
      await eventually(
        'a part of the files',
        () => (countFiles(windows.root) >= kill * 12 ? true : undefined),
        60_000,
        20,
      )
      await windows.daemon.signal('SIGTERM') // the launcher kills it
      const daemon = await startDaemon({ home, command: windowsCommand(home) })
      windows = { ...windows, daemon, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
    }
    await untilEqual([windows, linux], 120_000)
  } finally {
    await windows[Symbol.asyncDispose]()
  }
})

function countFiles(root: string): number {
  let count = 0
  for (let i = 0; i < 60; i++) if (existsSync(join(root, `d${i % 5}/e/${i}.bin`))) count++
  return count
}

test('changes are seen while they happen: create, edit, rename, delete, a directory moved in', async () => {
  using scratch = windowsDirectory()
  await using windows = await startWindows(scratch.path)
  await using linux = await startMember(scratch.path, 'linux')
  await addPeer(windows, linux)
  await addPeer(linux, windows)
  const watched = { fsWatcherEnabled: true, fsWatcherDelayS: 1 }
  await windows.daemon.addFolder(FOLDER, windowsPath(windows.root), { devices: [{ deviceID: linux.id }], ...watched })
  await linux.daemon.addFolder(FOLDER, linux.root, { devices: [{ deviceID: windows.id }], ...watched })
  mkdirSync(join(scratch.path, 'outside', 'inner'), { recursive: true })
  put(scratch.path, 'outside/inner/moved.txt', 'moved in')
  const run = (script: string) => {
    const names = [windows.root, join(scratch.path, 'outside')].map(windowsPath)
    const { code, output } = runNode([
      '--input-type=module',
      '-e',
      `import fs from 'node:fs'; const [, root, outside] = process.argv; ${script}`,
      ...names,
    ])
    assert.equal(code, 0, output)
  }
  for (const script of [
    `fs.mkdirSync(root + '/a/b', { recursive: true }); fs.writeFileSync(root + '/a/b/new.txt', 'new')`,
    `fs.appendFileSync(root + '/a/b/new.txt', ' and edited')`,
    `fs.renameSync(root + '/a/b/new.txt', root + '/a/b/renamed.txt')`,
    `fs.renameSync(outside, root + '/outside')`,
    `fs.unlinkSync(root + '/a/b/renamed.txt')`,
  ]) {
    run(script)
    await untilEqual([windows, linux])
  }
  assert.equal(readFileSync(join(linux.root, 'outside/inner/moved.txt'), 'utf8'), 'moved in')
})
