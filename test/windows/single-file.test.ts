/** The executable that contains Node, run as users of Windows have it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { manifest } from '../../tools/manifest.ts'
import { HOST } from '../../tools/windows/host.ts'
import { zipArchive } from '../../tools/zip.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { startDaemon } from '../support/daemon.ts'
import { runProgram, startWindows, windowsCommand, windowsDirectory, windowsPath } from '../support/windows.ts'
import { put, scan, share, untilEqual } from './scene.ts'

const skip = existsSync(HOST.executable) ? false : 'NOT RUN: there is no executable; npm run windows says why'
const scratch = windowsDirectory()
const cache = join(scratch.path, 'cache')
const file = join(scratch.path, 'bin', 'twinfold.exe')
const executable = windowsPath(file)
const variables = { TWINFOLD_CACHE_DIR: windowsPath(cache) }
const options = { executable, variables }

before(() => {
  if (skip !== false) return process.stderr.write(`${skip}\n`)
  mkdirSync(join(scratch.path, 'bin'))
  copyFileSync(HOST.executable, file)
})
after(() => scratch[Symbol.dispose]())

function unpacked(): string {
  const [name, ...others] = readdirSync(join(cache, 'program')).filter((each) => /^[0-9a-f]{32}$/.test(each))
  assert.deepEqual(others, [])
  return join(cache, 'program', name!)
}

test('it says its version, and unpacks itself once below %LOCALAPPDATA%', { skip }, () => {
  const usual = join(HOST.drive, 'users', 'root', 'AppData', 'Local', 'twinfold', 'cache')
  rmSync(usual, { recursive: true, force: true })
  const { code, output } = runProgram([executable, '--version'])
  assert.equal(code, 0, output)
  assert.match(output, new RegExp(`^twinfold v${manifest.version} .*windows-amd64`))
  const [name] = readdirSync(join(usual, 'program')).filter((each) => /^[0-9a-f]{32}$/.test(each))
  const before = statSync(join(usual, 'program', name!, 'dist', 'main', 'bin.js')).ino
  assert.equal(runProgram([executable, '--version']).code, 0)
  assert.equal(statSync(join(usual, 'program', name!, 'dist', 'main', 'bin.js')).ino, before)
  assert.deepEqual(readdirSync(join(usual, 'program', 'uses')), [])
  rmSync(usual, { recursive: true })
})

test('changed files in the cache are written anew and never executed', { skip }, () => {
  assert.equal(runProgram([executable, '--version'], variables).code, 0)
  const bin = join(unpacked(), 'dist', 'main', 'bin.js')
  const original = readFileSync(bin)
  for (const change of [
    () => writeFileSync(bin, 'console.log("planted")\n'),
    () => rmSync(bin),
    () => writeFileSync(join(unpacked(), 'dist', 'main', 'another.js'), 'planted'),
  ]) {
    change()
    const { output } = runProgram([executable, '--version'], variables)
    assert.match(output, /^twinfold v/)
    assert.ok(readFileSync(bin).equals(original))
    assert.ok(!existsSync(join(unpacked(), 'dist', 'main', 'another.js')))
  }
})

test('it serves the page, synchronizes with Linux, and is upgraded while it runs', { skip }, async () => {
  await using linux = await startMember(scratch.path, 'linux')
  await using windows = await startWindows(scratch.path, 'win', options)
  assert.match(await (await windows.daemon.request('GET', '/')).text(), /<html/)
  put(linux.root, 'a/b/from-linux.bin', Buffer.alloc(3_000_000, 'compressible'))
  put(windows.root, 'a/b/from-windows.txt', 'from Windows')
  await share(windows, linux)
  await untilEqual([windows, linux])
  const home = `--home=${windowsPath(windows.daemon.home)}`
  const status = runProgram([executable, 'status', home, '--json'], variables)
  assert.equal(status.code, 0, status.output)
  assert.ok(status.output.includes(windows.id))
  const { output: service } = runProgram([executable, 'service', 'install', '--print'], variables)
  assert.ok(service.includes(executable), service)

  const archive = makeArchive()
  const before = statSync(file).ino
  const upgrade = runProgram([executable, 'upgrade', '--install', archive], variables)
  assert.equal(upgrade.code, 0, upgrade.output)
  assert.match(upgrade.output, /is now v.*Restart Twinfold.*\n.*twinfold\.old\.exe/)
  assert.deepEqual(readdirSync(join(scratch.path, 'bin')).sort(), ['twinfold.exe', 'twinfold.old.exe'])
  assert.equal(statSync(join(scratch.path, 'bin', 'twinfold.old.exe')).ino, before)
  assert.notEqual(statSync(file).ino, before)
  assert.deepEqual(await windows.daemon.get('/rest/system/ping'), { ping: 'pong' }, 'the old one runs on')
  const again = runProgram([executable, 'upgrade', '--install', archive], variables)
  assert.notEqual(again.code, 0)
  assert.match(again.output, /twinfold\.old\.exe .* is running; restart Twinfold first/)

  await windows.daemon.signal('SIGTERM')
  await syncAgain(windows, linux, 'after the upgrade')
  // The way back, as the upgrade printed it.
  renameSync(join(scratch.path, 'bin', 'twinfold.old.exe'), file)
  assert.equal(statSync(file).ino, before)
  await syncAgain(windows, linux, 'after the way back')
})

/** As `npm run release` packs it. */
function makeArchive(): string {
  const name = `twinfold-${manifest.version}-win-x64`
  const archive = zipArchive([{ name: `${name}/twinfold.exe`, data: readFileSync(HOST.executable) }])
  const downloads = join(scratch.path, 'downloads')
  mkdirSync(downloads)
  writeFileSync(join(downloads, `${name}.zip`), archive)
  const sha256 = createHash('sha256').update(archive).digest('hex')
  writeFileSync(join(downloads, 'SHA256SUMS'), `${sha256}  ${name}.zip\n`)
  return windowsPath(join(downloads, `${name}.zip`))
}

async function syncAgain(windows: Member, linux: Member, text: string): Promise<void> {
  const { home } = windows.daemon
  await using daemon = await startDaemon({ home, command: windowsCommand(home, options) })
  const started = { ...windows, daemon }
  put(started.root, 'again.txt', text, 1_700_000_000 + text.length)
  await scan(started)
  await untilEqual([started, linux])
}
