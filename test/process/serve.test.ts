import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const stopTimes: Record<string, number> = {}

/** Ends a daemon and remembers how long it took. */
async function timed(name: string, daemon: Daemon, end: () => Promise<unknown>): Promise<number | null> {
  const startedMs = performance.now()
  await end()
  const code = await daemon.ended()
  stopTimes[name] = Number(((performance.now() - startedMs) / 1_000).toFixed(2))
  return code
}

for (const name of ['SIGTERM', 'SIGINT'] as const) {
  test(`${name} shuts down cleanly: code 0, the lock is released`, async () => {
    using scratch = scratchDirectory()
    await using daemon = await new Daemon({ home: scratch.path }).ready()
    assert.equal(await timed(name, daemon, () => daemon.signal(name)), 0)
    assert.ok(!existsSync(join(scratch.path, 'syncthing.lock')))
  })
}

test('SIGHUP restarts in the same process, which serves again', async () => {
  using scratch = scratchDirectory()
  await using daemon = await new Daemon({ home: scratch.path }).ready()
  const starts = () => daemon.output.match(/https?:\/\/127\.0\.0\.1:\d+/g)?.length ?? 0
  const before = starts()
  daemon.child.kill('SIGHUP')
  await eventually('a second start', () => (starts() > before ? true : undefined))
  daemon.url = daemon.output.match(/https?:\/\/127\.0\.0\.1:\d+/g)!.at(-1)!
  await eventually('an answer', async () => ((await daemon.request('GET', '/rest/system/ping')).ok ? true : undefined))
  assert.equal(daemon.child.exitCode, null)
  assert.equal(await timed('SIGHUP, then SIGTERM', daemon, () => daemon.signal('SIGTERM')), 0)
})

const ends: [name: string, path: string, args: string[], code: number][] = [
  ['shutdown over REST', '/rest/system/shutdown', [], 0],
  ['restart over REST with --no-restart', '/rest/system/restart', ['--no-restart'], 3],
]
for (const [name, path, args, code] of ends) {
  test(`${name} ends with code ${code}`, async () => {
    using scratch = scratchDirectory()
    await using daemon = await new Daemon({ home: scratch.path, args }).ready()
    assert.equal(await timed(name, daemon, () => daemon.post(path)), code)
  })
}

test('a second daemon on the same home ends with code 1 and one sentence', async () => {
  using scratch = scratchDirectory()
  await using _daemon = await new Daemon({ home: scratch.path }).ready()
  const { code, err } = await runCommand(['serve', '--home', scratch.path, '--gui-address', '127.0.0.1:0'])
  assert.equal(code, 1)
  assert.match(err, /^twinfold: error: another Twinfold or Syncthing is already running on this home/)
  assert.doesNotMatch(err, /\n +at /)
})

test('with a closed output pipe the daemon keeps running and shuts down cleanly', async () => {
  using scratch = scratchDirectory()
  await using daemon = await new Daemon({ home: scratch.path }).ready()
  daemon.child.stdout?.destroy()
  daemon.child.stderr?.destroy()
  for (let count = 0; count < 20; count++) {
    await daemon.post('/rest/system/error', `line ${count}`)
    await daemon.request('POST', '/rest/system/debug?enable=http')
  }
  assert.ok((await daemon.request('GET', '/rest/system/ping')).ok)
  assert.equal(await timed('stdout closed', daemon, () => daemon.signal('SIGTERM')), 0)
})

test(
  'the disk of the log file is full: the daemon continues and stops in order',
  { skip: !existsSync('/dev/full') },
  async () => {
    using scratch = scratchDirectory()
    const socket = join(scratch.path, 'rest.sock')
    await using daemon = new Daemon({
      home: scratch.path,
      args: ['--log-file', '/dev/full', `--gui-address=unix://${socket}`],
    })
    const status = () => runCommand(['status', '--home', scratch.path, '--gui-address', `unix://${socket}`])
    await eventually('an answer', async () => ((await status()).code === 0 ? true : undefined))
    assert.equal((await status()).code, 0)
    assert.equal(await timed('log disk full', daemon, () => daemon.signal('SIGTERM')), 0)
  },
)

test('C-17: the seconds to stop', () => {
  console.log(JSON.stringify({ id: 'C-17', tried: Object.keys(stopTimes).length, secondsToStop: stopTimes }))
  assert.ok(Object.keys(stopTimes).length >= 6)
})
