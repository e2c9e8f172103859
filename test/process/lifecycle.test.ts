/**
 * Start, stop, restart, and everything that may happen to the process in between (catalogue C-17, D-01, D-07, D-10).
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { Daemon, startDaemon } from '../support/daemon.ts'
import { effort, reportRow } from '../support/effort.ts'
import { freePort } from '../support/free-port.ts'
import { asOrdinaryUser } from '../support/ordinary-user.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`C-17: ${signal} shuts down cleanly, exits 0 and releases the lock`, async () => {
    using scratch = scratchDirectory()
    await using daemon = await startDaemon({ home: scratch.path })
    const startedMs = performance.now()
    assert.equal(await daemon.signal(signal), 0)
    reportRow({
      id: 'C-17',
      tried: 1,
      signal,
      secsToStop: Number(((performance.now() - startedMs) / 1_000).toFixed(2)),
    })
    assert.equal(existsSync(join(scratch.path, 'syncthing.lock')), false)
    assert.match(daemon.output, /stopped/)
  })
}

test('C-17: SIGTERM during a scan shuts down too, and the next start resumes', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'folder')
  mkdirSync(root)
  for (let file = 0; file < 3_000; file++) writeFileSync(join(root, `f${file}`), `content ${file}`)
  writeFileSync(join(root, 'large'), Buffer.alloc(256 * 1024 * 1024, 1))
  const home = join(scratch.path, 'home')
  {
    await using daemon = await startDaemon({ home })
    await daemon.addFolder('big', root)
    await eventually('the scan to begin', async () => {
      const status = await daemon.get('/rest/db/status?folder=big')
      return JSON.stringify(status).includes('"scanning"') || undefined
    })
    assert.equal(await daemon.signal('SIGTERM'), 0)
  }
  await using again = await startDaemon({ home })
  await again.post('/rest/db/scan?folder=big')
  assert.match(JSON.stringify(await again.get('/rest/db/status?folder=big')), /"localFiles":3001,/)
})

test('C-17: SIGHUP and POST restart start again inside the same process', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: scratch.path, args: ['--gui-address=127.0.0.1:0'] })
  const starts = () => daemon.output.match(/GUI and API listening/g)?.length ?? 0
  daemon.child.kill('SIGHUP')
  await eventually('the second start', () => (starts() === 2 ? true : undefined))
  daemon.url = [...daemon.output.matchAll(/(http:\/\/127\.0\.0\.1:\d+)/g)].at(-1)?.[1] ?? ''
  assert.equal((await daemon.post('/rest/system/restart')).trim(), '{"ok": "restarting"}')
  await eventually('the third start', () => (starts() === 3 ? true : undefined))
  assert.equal(daemon.child.exitCode, null)
})

test('a restart under --no-restart exits 3, a shutdown exits 0', async () => {
  using scratch = scratchDirectory()
  {
    await using daemon = await startDaemon({ home: scratch.path, args: ['--no-restart'] })
    await daemon.post('/rest/system/restart')
    assert.equal(await daemon.ended(), 3)
  }
  await using daemon = await startDaemon({ home: scratch.path })
  assert.equal((await daemon.post('/rest/system/shutdown')).trim(), '{"ok": "shutting down"}')
  assert.equal(await daemon.ended(), 0)
})

test('C-17: a closed output pipe does not end the daemon', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: scratch.path })
  daemon.child.stdout?.destroy()
  daemon.child.stderr?.destroy()
  await daemon.post('/rest/system/debug?enable=http,model,events')
  for (let round = 0; round < 20; round++) await daemon.get('/rest/system/ping')
  assert.equal(daemon.child.exitCode, null)
})

test(
  'C-17: a full disk under the log does not end the daemon',
  { skip: existsSync('/dev/full') ? false : 'no /dev/full here' },
  async () => {
    using scratch = scratchDirectory()
    const address = `127.0.0.1:${await freePort()}`
    await using daemon = new Daemon({ home: scratch.path, guiAddress: address, args: ['--logfile=/dev/full'] })
    daemon.url = `http://${address}`
    await eventually('an answer', () => daemon.get('/rest/system/ping'))
    const log = await daemon.get('/rest/system/log')
    assert.match(JSON.stringify(log), /GUI and API listening/, 'the ring has what the disk could not take')
    assert.equal(daemon.child.exitCode, null)
  },
)

const OTHERS = effort(2, 4)

test('D-01: of many processes on one home exactly one runs, the others exit 1 with one sentence', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  {
    await using first = await startDaemon({ home })
    await using stack = new AsyncDisposableStack()
    const others = Array.from({ length: OTHERS }, () => stack.use(new Daemon({ home })))
    for (const other of others) {
      assert.equal(await other.ended(), 1)
      const printed = other.output
        .trim()
        .split('\n')
        .filter((line) => line.includes('error'))
      assert.equal(printed.length, 1, other.output)
      assert.match(printed[0]!, /already running on this home/)
    }
    await first.get('/rest/system/ping')
  }
  await using stack = new AsyncDisposableStack()
  const racing = Array.from({ length: 5 }, () => stack.use(new Daemon({ home })))
  const ended = racing.map((daemon) => daemon.ended())
  await eventually('all but one to give up', () =>
    racing.filter((daemon) => daemon.child.exitCode === 1).length === 4 ? true : undefined,
  )
  const winners = racing.filter((daemon) => daemon.child.exitCode === null)
  assert.equal(winners.length, 1)
  await winners[0]!.ready()
  await winners[0]!.signal('SIGKILL')
  await Promise.all(ended)
  await using afterKill = await startDaemon({ home }) // the lock of a killed process is no obstacle
  await afterKill.get('/rest/system/ping')
  reportRow({ id: 'D-01', tried: OTHERS + 5, survived: OTHERS + 5 })
})

const BROKEN_IDENTITIES: readonly (readonly [string, (home: string) => void])[] = [
  ['the certificate is missing', (home) => rmSync(join(home, 'cert.pem'))],
  ['the key is missing', (home) => rmSync(join(home, 'key.pem'))],
  ['the key is empty', (home) => writeFileSync(join(home, 'key.pem'), '')],
  ['the certificate is noise', (home) => writeFileSync(join(home, 'cert.pem'), 'noise')],
  [
    'the two do not belong together',
    (home) => {
      const other = join(home, 'other')
      spawnSync(process.execPath, [testProgram(), 'generate', `--home=${other}`])
      writeFileSync(join(home, 'key.pem'), readFileSync(join(other, 'key.pem')))
      rmSync(other, { recursive: true })
    },
  ],
  [
    'the key is a directory',
    (home) => {
      rmSync(join(home, 'key.pem'))
      mkdirSync(join(home, 'key.pem'))
    },
  ],
  [
    'the key is a symlink to nowhere',
    (home) => {
      rmSync(join(home, 'key.pem'))
      symlinkSync('nowhere', join(home, 'key.pem'))
    },
  ],
]

for (const [what, breakIt] of BROKEN_IDENTITIES) {
  test(`D-07: when ${what} the daemon exits 1 and creates no new identity`, async () => {
    using scratch = scratchDirectory()
    const generated = spawnSync(process.execPath, [testProgram(), 'generate', `--home=${scratch.path}`], {
      encoding: 'utf8',
    })
    assert.equal(generated.status, 0, generated.stderr)
    breakIt(scratch.path)
    const before = globSync('*.pem', { cwd: scratch.path }).sort()
    await using daemon = new Daemon({ home: scratch.path })
    assert.equal(await daemon.ended(), 1)
    assert.match(daemon.output, /(cert|key)\.pem/)
    assert.deepEqual(globSync('*.pem', { cwd: scratch.path }).sort(), before)
  })
}

test('D-10: secrets are readable by their owner only under any umask, and appear in no output', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  await using daemon = await startDaemon({
    home,
    before: ['sh', '-c', 'umask 000; exec "$@"', 'sh'],
    env: { STTRACE: 'http,config,main,model,events,db', STGUIAPIKEY: 'planted-extra-key-123' },
  })
  await daemon.request('PATCH', '/rest/config/gui', { user: 'me', password: 'planted-password-456' })
  await daemon.get('/rest/config/gui')
  await daemon.post('/rest/system/error', 'hello')
  const apiKey = daemon.apiKey
  for (const [name, mode] of [
    ['config.xml', 0o600],
    ['key.pem', 0o600],
    ['', 0o700],
    ['index-twinfold', 0o700],
  ] as const) {
    assert.equal(statSync(join(home, name)).mode & 0o777, mode, name || 'the home itself')
  }
  for (const file of globSync('index-twinfold/*', { cwd: home })) {
    assert.equal(statSync(join(home, file)).mode & 0o077, 0, file)
  }
  const log = await (await daemon.request('GET', '/rest/system/log.txt')).text()
  const key = readFileSync(join(home, 'key.pem'), 'utf8').split('\n')[1]!
  const hash = /<password>([^<]+)</.exec(readFileSync(join(home, 'config.xml'), 'utf8'))?.[1] ?? ''
  assert.match(hash, /^\$2a\$10\$/)
  for (const secret of [apiKey, 'planted-extra-key-123', 'planted-password-456', key, hash]) {
    assert.ok(!daemon.output.includes(secret), 'a secret in the output')
    assert.ok(!log.includes(secret), 'a secret in the log')
    assert.ok(
      !readFileSync(`/proc/${daemon.child.pid}/cmdline`, 'utf8').includes(secret),
      'a secret in the process list',
    )
  }
  reportRow({ id: 'D-10', tried: 5 })
})

test('a port in use on the first start: the next free one is used and written into the config', async () => {
  using scratch = scratchDirectory()
  const occupied = createServer()
  // Another program may have it already, which is as good.
  await new Promise((resolve) => occupied.once('listening', resolve).once('error', resolve).listen(8384, '127.0.0.1'))
  try {
    const child = new Daemon({ home: scratch.path, args: [], guiAddress: undefined })
    await using daemon = await child.ready()
    const port = Number(new URL(daemon.url).port)
    assert.ok(port > 8384 && port < 8500, `port ${port}`)
    assert.match(
      readFileSync(join(scratch.path, 'config.xml'), 'utf8'),
      new RegExp(`<address>127.0.0.1:${port}</address>`),
    )
  } finally {
    occupied.close()
  }
})

test('private by default: a new config opens no connections', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: scratch.path })
  const options = await daemon.get('/rest/config/options')
  assert.ok(typeof options === 'object' && options !== null)
  const shown = Object.fromEntries(Object.entries(options))
  for (const name of [
    'globalAnnounceEnabled',
    'localAnnounceEnabled',
    'relaysEnabled',
    'natEnabled',
    'crashReportingEnabled',
    'startBrowser',
  ]) {
    assert.equal(shown[name], false, name)
  }
  assert.equal(shown['urAccepted'], -1)
  assert.equal(shown['autoUpgradeIntervalH'], 0)
  assert.equal(shown['stunKeepaliveStartS'], 0)
})

test('a home that cannot be created is a clear error', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'closed'), { mode: 0o555 })
  const home = join(scratch.path, 'closed', 'home')
  await using daemon = new Daemon({ home, before: asOrdinaryUser() })
  assert.equal(await daemon.ended(), 1)
  assert.match(daemon.output, /EACCES|EPERM|permission/i)
  assert.ok(!daemon.output.includes('    at '), 'a sentence, not a stack trace')
})
