import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { missingProgram } from '../support/debian.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { unreachableClone } from '../support/readable-clone.ts'
import { HOSTILE, missingSystemd, Systemd, TEST_USER } from '../support/systemd.ts'

const EXPOSURE_MAX = 3
const noAnalyze = missingProgram('systemd-analyze', 'systemd')
const noSystemd = missingSystemd() ?? unreachableClone()

async function printedUnit(...words: string[]): Promise<string> {
  const { out, code } = await runCommand(['service', 'install', '--print', '--json', '--platform', 'systemd', ...words])
  assert.equal(code, 0)
  return JSON.parse(out).write.content
}

function analyze(directory: string, ...words: string[]) {
  const env = { ...process.env, XDG_RUNTIME_DIR: directory }
  return spawnSync('systemd-analyze', ['--no-pager', ...words], { encoding: 'utf8', env, timeout: 60_000 })
}

for (const [title, scope, words] of [
  ['a user', '--user', []],
  ['the machine', '--system', ['--system', '--user', 'daemon']],
  ['the machine, confined', '--system', ['--system', '--user', 'daemon', '--writable', '/srv']],
] as const) {
  test(`systemd-analyze accepts the unit of ${title}`, { skip: noAnalyze }, async (context) => {
    using scratch = scratchDirectory()
    const path = join(scratch.path, 'twinfold.service')
    writeFileSync(path, await printedUnit(...words))
    const verified = analyze(scratch.path, scope, 'verify', path)
    assert.deepEqual([verified.status, verified.stderr.trim()], [0, ''])
    const { stdout } = analyze(scratch.path, 'security', '--offline=true', path)
    const exposure = Number(/exposure level for \S+ (\d+\.\d)/.exec(stdout)?.[1])
    context.diagnostic(`systemd-analyze security, unit of ${title}: exposure ${exposure}`)
    if (scope === '--system') assert.ok(exposure <= EXPOSURE_MAX, `exposure ${exposure}`)
    assert.match(stdout, /✓ (NoNewPrivileges|SystemCallArchitectures)/)
  })
}

const HOSTILE_HOME = `${TEST_USER.home}/h o%m $HOME "q" \\\\s\\\n'r'\\`
const ADDRESS = '127.0.0.1:8384'

/** Without those characters that the list of writable places has no way to write. */
const CONFINED_HOME = `${TEST_USER.home}/h o%m $HOME`

/** What the daemon in there answers; undefined while it does not. */
function send(systemd: Systemd, method: string, path: string, body?: unknown): unknown {
  const script = `const [, url, method, key, body] = process.argv
    const init = { method, headers: { 'X-API-Key': key }, ...(body && { body }) }
    const print = async (reply) => (reply.ok ? console.log(await reply.text()) : process.exit(2))
    fetch(url, init).then(print, () => process.exit(1))`
  const config = systemd.run(['cat', `${HOSTILE_HOME}/config.xml`]).out
  const key = /<apikey>([^<]+)</.exec(config)?.[1] ?? ''
  const words = [`http://${ADDRESS}${path}`, method, key, body === undefined ? '' : JSON.stringify(body)]
  const { code, out } = systemd.run([HOSTILE.node, '-e', script, ...words])
  return code === 0 ? out.trim() : undefined
}

function answers(systemd: Systemd): Promise<unknown> {
  return eventually('the daemon', () => send(systemd, 'GET', '/rest/noauth/health'), 60_000)
}

function property(systemd: Systemd, name: string, as: 'root' | 'user' = 'root'): string {
  const scope = as === 'user' ? ['--user'] : []
  return systemd.run(['systemctl', ...scope, 'show', 'twinfold', `--property=${name}`, '--value'], as).out.trim()
}

/** Everything a service goes through; `as` is the owner of the service. */
async function liveThroughService(systemd: Systemd, as: 'root' | 'user', flags: readonly string[]): Promise<void> {
  const service = (...words: string[]) => systemd.twinfold(['service', ...words], as)
  const installed = service('install', ...flags, '--home', HOSTILE_HOME, '--gui-address', ADDRESS, '--log-file=default')
  assert.equal(installed.code, 0, installed.err)
  await answers(systemd)
  const scope = flags.includes('--system') ? ['--system'] : []
  const status = service('status', '--json', ...scope)
  const { enabled, running, script, problems } = JSON.parse(status.out)
  assert.deepEqual({ enabled, running, problems }, { enabled: true, running: true, problems: [] })
  assert.equal(script, `${HOSTILE.repository}/src/main/bin.ts`)

  const firstId = property(systemd, 'MainPID', as)
  assert.notEqual(send(systemd, 'POST', '/rest/system/restart'), undefined)
  await eventually('a restart', () => property(systemd, 'NRestarts', as) === '1' || undefined)
  await answers(systemd)
  assert.notEqual(property(systemd, 'MainPID', as), firstId)

  const control = as === 'user' ? ['systemctl', '--user'] : ['systemctl']
  assert.equal(systemd.run([...control, 'stop', 'twinfold'], as).code, 0)
  const ends = ['ActiveState', 'Result', 'ExecMainStatus'].map((name) => property(systemd, name, as))
  assert.deepEqual(ends, ['inactive', 'success', '0'])
  assert.equal(service('status', ...scope).code, 3)
  assert.equal(
    service('install', ...flags, '--home', HOSTILE_HOME, '--gui-address', ADDRESS, '--log-file=default').code,
    0,
  )
  await answers(systemd)
}

function remove(systemd: Systemd, as: 'root' | 'user', scope: readonly string[]): void {
  const service = (...words: string[]) => systemd.twinfold(['service', ...words, ...scope], as)
  const removed = service('uninstall')
  assert.equal(removed.code, 0, removed.err)
  assert.equal(service('status').code, 4)
  assert.equal(property(systemd, 'ActiveState', as), 'inactive')
}

async function addFolder(systemd: Systemd, id: string, path: string): Promise<string> {
  systemd.run(['sh', '-c', 'mkdir -p "$0" && echo hello > "$0/file" && chown -R "$1" "$0"', path, String(TEST_USER.id)])
  assert.notEqual(send(systemd, 'POST', '/rest/config/folders', { id, path, fsWatcherEnabled: false }), undefined)
  return eventually('the folder', () => {
    const text = send(systemd, 'GET', `/rest/db/status?folder=${id}`)
    const { state, localFiles, error } = typeof text === 'string' ? JSON.parse(text) : {}
    if (state === 'error') return `error: ${error}`
    return state === 'idle' && localFiles === 1 ? 'idle' : undefined
  })
}

test(
  'systemd runs the system unit from hostile paths: start, restart by exit code, stop',
  { skip: noSystemd },
  async () => {
    await using systemd = await new Systemd().ready()
    const flags = ['--system', '--user', TEST_USER.name]
    await liveThroughService(systemd, 'root', flags)
    const [userId] = systemd.run(['stat', '-c', '%u', HOSTILE_HOME]).out.split('\n')
    assert.equal(userId, String(TEST_USER.id))
    assert.equal(await addFolder(systemd, 'anywhere', '/opt/data/folder'), 'idle')

    systemd.run(['install', '-d', '-o', String(TEST_USER.id), '/opt/allowed'])
    systemd.run(['cp', '-a', HOSTILE_HOME, CONFINED_HOME]) // the same key
    const words = [
      'service',
      'install',
      ...flags,
      '--home',
      CONFINED_HOME,
      '--gui-address',
      ADDRESS,
      '--log-file=default',
    ]
    const confined = systemd.twinfold([...words, '--writable', '/opt/allowed'])
    assert.equal(confined.code, 0, confined.err)
    await answers(systemd)
    assert.equal(await addFolder(systemd, 'inside', '/opt/allowed/folder'), 'idle')
    assert.match(await addFolder(systemd, 'outside', '/opt/data/other'), /^error: /)
    assert.equal(systemd.run(['ls', '-A', '/opt/data/other']).out, 'file\n', 'no marker could be written')
    remove(systemd, 'root', ['--system'])
  },
)

test('systemd runs the unit of a user in its own service manager', { skip: noSystemd }, async () => {
  await using systemd = await new Systemd().ready()
  systemd.run(['systemctl', 'start', 'login'])
  await eventually(
    'the login',
    () => systemd.run(['systemctl', '--user', 'is-system-running'], 'user').out.trim() === 'running' || undefined,
  )
  await liveThroughService(systemd, 'user', [])
  assert.equal(await addFolder(systemd, 'anywhere', '/opt/data/folder'), 'idle')
  remove(systemd, 'user', [])
})
