/** The executable that contains Node, built and run as users have it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildPackage } from '../../tools/package-build.ts'
import { buildSingleFile } from '../../tools/single-file.ts'
import { ARM64_EMULATOR, missingArm64 } from '../support/arm64.ts'
import { someBytes } from '../support/bytes.ts'
import { startDaemon } from '../support/daemon.ts'
import { connect, differencesOf, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { missingFile } from '../support/debian.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { missingSystemd, Systemd, TEST_USER } from '../support/systemd.ts'

const root = join(import.meta.dirname, '..', '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const EMULATED_MS_MAX = 240_000
const scratch = scratchDirectory()
const executable = join(scratch.path, 'twinfold')
const dist = join(scratch.path, 'dist')
const cache = join(scratch.path, 'cache')
const env = { TWINFOLD_CACHE_DIR: cache }

before(async () => {
  await buildPackage(dist)
  await buildSingleFile('linux-x64', executable, dist)
})
after(() => scratch[Symbol.dispose]())

function run(words: readonly string[], more: Readonly<Record<string, string>> = {}, program = executable) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  return spawnSync(program, words, {
    encoding: 'utf8',
    timeout: EMULATED_MS_MAX,
    env: { ...Object.fromEntries(kept), ...env, ...more },
  })
}

function unpacked(): string {
  const [name] = readdirSync(join(cache, 'program')).filter((each) => /^[0-9a-f]{32}$/.test(each))
  return join(cache, 'program', name!)
}

test('processes that start at the same time for the first time share one directory', async () => {
  const children = Array.from({ length: 4 }, () =>
    spawn(executable, ['--version'], { env: { ...process.env, ...env }, stdio: 'ignore' }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  assert.deepEqual(codes, [0, 0, 0, 0])
  const names = readdirSync(join(cache, 'program')).filter((name) => !name.endsWith('-compiled'))
  assert.equal(names.length, 2, names.join(' '))
  assert.deepEqual(readdirSync(join(cache, 'program', 'uses')), [])
})

test('commands, man page and completions are those of the package', () => {
  assert.match(run(['--version']).stdout, new RegExp(`^twinfold v${version} `))
  // Its first line has the date of the build.
  const withoutTitle = (page: string) => page.slice(page.indexOf('\n'))
  const page = readFileSync(join(dist, 'man', 'twinfold.1'), 'utf8')
  assert.equal(withoutTitle(run(['help', '--man']).stdout), withoutTitle(page))
  assert.match(run(['install-completions', 'bash']).stdout, /twinfold/)
  const unknown = run(['frobnicate'])
  assert.deepEqual([unknown.status, unknown.stdout], [1, ''])
})

test('two devices serve the page and synchronize, with native code and threads', async () => {
  const options = { program: executable, env }
  await using running = new AsyncDisposableStack()
  const a = running.use(await startMember(scratch.path, 'a', options))
  const b = running.use(await startMember(scratch.path, 'b', options))
  await synchronize(a, b)
  const page = await fetch(a.daemon.url)
  assert.match(await page.text(), /<title>/)
  const maps = readFileSync(`/proc/${a.daemon.child.pid}/maps`, 'utf8')
  for (const file of ['lz4-napi.linux-x64-gnu.node', 'koffi.node'])
    assert.ok(
      maps.split('\n').some((line) => line.includes(unpacked()) && line.endsWith(file)),
      file,
    )
  assert.equal(readdirSync(join(cache, 'program', 'uses')).length, 2)
  await a.daemon.post('/rest/system/restart')
  const listening = () => a.daemon.output.split('GUI and API listening').length - 1
  await eventually('a restart', () => (listening() === 2 ? true : undefined))
  assert.equal(a.daemon.child.exitCode, null)
})

async function synchronize(a: Member, b: Member): Promise<void> {
  for (const [{ root: path }, name] of [
    [a, 'from-a'],
    [b, 'from-b'],
  ] as const) {
    mkdirSync(join(path, 'sub'), { recursive: true })
    writeFileSync(join(path, 'sub', name), name.repeat(1_000))
    writeFileSync(join(path, `${name}.bin`), someBytes(3 * 1_024 * 1_024, name.length))
  }
  await connect(a, b, {}, { compression: 'always' })
  const received = () =>
    existsSync(join(a.root, 'sub', 'from-b')) && existsSync(join(b.root, 'sub', 'from-a')) ? true : undefined
  await eventually('the files of both', received, EMULATED_MS_MAX)
  await inSync([a, b], EMULATED_MS_MAX)
  assert.deepEqual(differencesOf(a.root, b.root), [])
}

test('changed files in the cache are written anew and never executed', () => {
  run(['--version'])
  const target = unpacked()
  const bin = join(target, 'dist', 'main', 'bin.js')
  const original = readFileSync(bin)
  for (const change of [
    () => writeFileSync(bin, 'console.log("planted")\n'),
    () => writeFileSync(join(target, 'node_modules', 'lz4-napi', 'lz4-napi.linux-x64-gnu.node'), 'planted'),
  ]) {
    change()
    assert.match(run(['--version']).stdout, /^twinfold v/)
    assert.ok(readFileSync(bin).equals(original))
    assert.deepEqual(globSync('node_modules/lz4-napi/*.node', { cwd: target }), [])
  }
})

test('a cache directory that cannot be written or that others can write is an error with a remedy', () => {
  const readOnly = run(['--version'], { TWINFOLD_CACHE_DIR: '/proc/twinfold' })
  assert.equal(readOnly.status, 1)
  assert.match(readOnly.stderr, /^twinfold: error: the program cannot be unpacked: .*TWINFOLD_CACHE_DIR\n$/)
  const open = join(scratch.path, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  const refused = run(['--version'], { TWINFOLD_CACHE_DIR: open })
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /other users can write to .*chmod 700/)
})

test('an intact cache on a read-only file system is used', { skip: process.getuid?.() !== 0 }, () => {
  const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$1" --version'
  const result = run(['-m', 'sh', '-c', script, cache, executable], {}, 'unshare')
  assert.match(result.stdout, /^twinfold v/, result.stderr)
})

test('an upgrade replaces the executable while it runs, and keeps the old one', async () => {
  const directory = join(scratch.path, 'upgrade')
  const name = `twinfold-${version}-linux-x64`
  mkdirSync(join(directory, 'bin'), { recursive: true })
  mkdirSync(join(directory, name))
  const installed = join(directory, 'bin', 'twinfold')
  copyFileSync(executable, installed)
  copyFileSync(executable, join(directory, name, 'twinfold'))
  const archive = join(directory, `${name}.tar.xz`)
  assert.equal(spawnSync('tar', ['-I', 'xz -0', '-c', '-f', archive, '-C', directory, name]).status, 0)
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(join(directory, 'SHA256SUMS'), `${sha256}  ${name}.tar.xz\n`)
  await using daemon = await startDaemon({ home: join(directory, 'home'), program: installed, env })
  const before = statSync(installed).ino
  const result = run(['upgrade', '--install', archive], {}, installed)
  assert.equal(result.status, 0, result.stderr)
  assert.match(result.stdout, new RegExp(`is now v${version}\\. Restart Twinfold.*\n.*twinfold\\.old`))
  assert.notEqual(statSync(installed).ino, before)
  assert.equal(statSync(`${installed}.old`).ino, before)
  assert.equal(run(['--version'], {}, installed).status, 0)
  assert.ok(await daemon.get('/rest/system/ping'))
  const status = run(['status', `--home=${daemon.home}`], {}, installed)
  assert.equal(status.status, 0, status.stderr)
})

test(
  'systemd runs it: the unit starts the executable, which unpacks into its own directory',
  { skip: missingSystemd() },
  async () => {
    await using systemd = await new Systemd().ready()
    assert.equal(systemd.run(['mount', '-t', 'tmpfs', 'tmpfs', '/var/cache']).code, 0)
    assert.equal(systemd.run(['cp', executable, '/opt/twinfold']).code, 0)
    const home = `${TEST_USER.home}/sync`
    const words = ['--system', '--user', TEST_USER.name, '--home', home, '--gui-address', '127.0.0.1:8384']
    systemd.run(['install', '-d', '-o', String(TEST_USER.id), home])
    const installed = systemd.run(['/opt/twinfold', 'service', 'install', ...words, '--writable', home])
    assert.equal(installed.code, 0, installed.err)
    const start = systemd.run(['systemctl', 'show', 'twinfold', '--property=ExecStart', '--value']).out
    assert.match(start, /argv\[\]=\/opt\/twinfold serve /)
    await eventually('the daemon', () => systemd.run(['test', '-f', `${home}/config.xml`]).code === 0 || undefined)
    const status = JSON.parse(systemd.run(['/opt/twinfold', 'service', 'status', '--system', '--json']).out)
    const { running, script, node, problems } = status
    assert.deepEqual(
      { running, script, node, problems, version: status.version },
      { running: true, script: '/opt/twinfold', node: '/opt/twinfold', problems: [], version },
    )
    const owner = systemd.run(['stat', '-c', '%u %a', '/var/cache/twinfold/program']).out.trim()
    assert.equal(owner, `${TEST_USER.id} 700`)
    assert.equal(systemd.run(['/opt/twinfold', 'service', 'uninstall', '--system']).code, 0)
  },
)

const noArm64 = missingArm64() ?? missingFile('/usr/aarch64-linux-gnu/lib/libatomic.so.1', 'libatomic1-arm64-cross')

test('arm64, emulated: it unpacks, and synchronizes with one of x64', { skip: noArm64 }, async () => {
  const file = join(scratch.path, 'twinfold-arm64')
  await buildSingleFile('linux-arm64', file, dist)
  const emulated = join(scratch.path, 'emulated')
  writeFileSync(emulated, `#!/bin/sh\nexec ${ARM64_EMULATOR.join(' ')} ${file} "$@"\n`, { mode: 0o755 })
  assert.match(run(['--version'], {}, emulated).stdout, /linux-arm64/)
  await using running = new AsyncDisposableStack()
  const c = running.use(await startMember(scratch.path, 'c', { program: emulated, env }))
  const d = running.use(await startMember(scratch.path, 'd', { program: executable, env }))
  await synchronize(c, d)
  assert.match(readFileSync(`/proc/${c.daemon.child.pid}/maps`, 'utf8'), /lz4-napi\.linux-arm64-gnu\.node/)
})
