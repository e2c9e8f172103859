import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { SOURCES, startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

// Logins of a real daemon: passwords in no log, hashes that cost too much, and an installation without bcrypt.

/** The error of Node in an installation that lost the package; threads run it, too. */
const WITHOUT_BCRYPT = `import { registerHooks } from 'node:module'
registerHooks({ resolve(name, context, next) {
  if (name !== 'bcryptjs') return next(name, context)
  const error = new Error("Cannot find package 'bcryptjs' imported from /lost/place")
  throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' })
} })`
const NODE_ARGS = ['--import', `data:text/javascript,${encodeURIComponent(WITHOUT_BCRYPT)}`]
const MISSING = 'passwords cannot be checked or set: the package bcryptjs is missing; reinstall Twinfold'

async function login(
  daemon: Daemon,
  password: string,
  more: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ username: 'alice', password })
  const reply = await fetch(`${daemon.url}/rest/noauth/auth/password`, { method: 'POST', body, ...more })
  return { status: reply.status, text: await reply.text() }
}

function setPassword(daemon: Daemon, password: string): Promise<Response> {
  return daemon.request('PATCH', '/rest/config/gui', { user: 'alice', password })
}

test('passwords are in no log line, in no event and not in the home, whatever is switched on', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  await using daemon = await startDaemon({ home, env: { STTRACE: 'all' }, args: ['--audit'] })
  assert.equal((await setPassword(daemon, 'planted-right-ä')).status, 200)
  assert.equal((await login(daemon, 'planted-right-ä')).status, 204)
  assert.equal((await login(daemon, 'planted-wrong')).status, 403)
  const basic = { Authorization: `Basic ${Buffer.from('alice:planted-basic').toString('base64')}` }
  assert.equal((await fetch(`${daemon.url}/meta.js`, { headers: basic })).status, 403)
  const events = JSON.stringify(await daemon.get('/rest/events?events=LoginAttempt,ConfigSaved&timeout=0'))
  const files = readdirSync(home).filter((name) => statSync(join(home, name)).isFile())
  assert.ok(files.includes('config.xml') && files.some((name) => name.startsWith('audit-')), files.join())
  const texts = files.map((name) => readFileSync(join(home, name), 'utf8'))
  for (const text of [daemon.output, events, ...texts]) assert.ok(!text.includes('planted-'))
})

test('a configured hash of cost 31 blocks no request: warning at the start, 503 at a login', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const made = await runCommand([
    'generate',
    '--home',
    home,
    '--gui-user',
    'alice',
    '--gui-password',
    'secret',
    '--no-port-probing',
  ])
  assert.equal(made.code, 0, made.err)
  const file = join(home, 'config.xml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('<password>$2a$10$', '<password>$2a$31$'), { mode: 0o600 })
  await using daemon = await startDaemon({ home })
  assert.match(
    daemon.output,
    /WRN config: .*cost 31, and at most 14 is accepted, so logging in is impossible; .*twinfold generate/,
  )
  const answers = await Promise.all(Array.from({ length: 5 }, () => login(daemon, 'secret')))
  for (const { status, text } of answers) {
    assert.equal(status, 503)
    assert.match(text, /cost 31.*set a new one with "twinfold generate --gui-user=NAME --gui-password=-"\n$/)
  }
  assert.equal((await fetch(`${daemon.url}/meta.js`)).status, 403, 'the page stays closed')
  assert.equal((await setPassword(daemon, 'other')).status, 200)
  assert.equal((await login(daemon, 'other')).status, 204)
})

test('without bcrypt no login reports wrong credentials, and no password is set', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const open = join(scratch.path, 'open')
  const generate = ['generate', '--gui-user', 'alice', '--gui-password', 'secret', '--no-port-probing']
  const made = await runCommand([...generate, '--home', home])
  assert.equal(made.code, 0, made.err)

  const options = { nodeArgs: NODE_ARGS, entry: SOURCES } // the bundle contains the package
  const refused = await runCommand([...generate, '--home', open], options)
  assert.notEqual(refused.code, 0)
  assert.ok(refused.err.includes(MISSING), refused.err)
  assert.ok(!existsSync(open), 'no home without the password that was asked for')

  await using daemon = await startDaemon({ home, ...options })
  assert.deepEqual(await login(daemon, 'secret'), { status: 503, text: `${MISSING}\n` })
  const change = await setPassword(daemon, 'other')
  assert.deepEqual([change.status, await change.text()], [503, `${MISSING}\n`])
  assert.ok(
    daemon.output.includes(`ERR config: ${MISSING} (Cannot find package 'bcryptjs' imported from /lost/place)`),
    daemon.output,
  )
  assert.doesNotMatch(daemon.output, /Wrong credentials/)
  assert.equal((await fetch(`${daemon.url}/meta.js`)).status, 403, 'the page stays closed')
  assert.deepEqual(await daemon.get('/rest/events?events=LoginAttempt&timeout=0'), [])
})

interface Attempt {
  readonly data: { readonly remoteAddress: string; readonly proxy?: string; readonly success: boolean }
}

async function attempts(daemon: Daemon): Promise<readonly Attempt['data'][]> {
  const events = (await daemon.get('/rest/events?events=LoginAttempt&timeout=0')) as readonly Attempt[]
  return events.map(({ data }) => data)
}

function from(address: string): RequestInit {
  return { headers: { 'X-Forwarded-For': address } }
}

test('W-09: a program of this machine is one client, whatever it claims', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home') })
  assert.equal((await setPassword(daemon, 'right')).status, 200)
  for (let i = 0; i < 2; i++) assert.equal((await login(daemon, 'right', from('203.0.113.5'))).status, 204)
  const expected = { success: true, username: 'alice', remoteAddress: '127.0.0.1' }
  assert.deepEqual(await attempts(daemon), [expected, expected])
  assert.equal(daemon.output.match(/the proxy at 127\.0\.0\.1 .*--trusted-proxies=127\.0\.0\.1/g)?.length, 1)
  const [warning] = (await daemon.get('/rest/twinfold/warnings')) as readonly { readonly code: string }[]
  assert.equal(warning?.code, 'proxy-not-trusted')

  const stop = new AbortController()
  let refused = 0
  const guesses = Array.from({ length: 60 }, async (_, i) => {
    const { status } = await login(daemon, `wrong ${i}`, { ...from(`192.0.2.${i}`), signal: stop.signal })
    if (status === 429) refused++
  })
  const all = Promise.allSettled(guesses)
  await eventually('most guesses to be refused', () => refused >= 40 || undefined)
  stop.abort()
  await all
})

test('W-09: behind a listed proxy every client counts for itself', async () => {
  using scratch = scratchDirectory()
  const args = ['--trusted-proxies=127.0.0.1']
  await using daemon = await startDaemon({ home: join(scratch.path, 'home'), args })
  assert.equal((await setPassword(daemon, 'right')).status, 200)
  assert.equal((await login(daemon, 'right', from('192.0.2.1, 203.0.113.5'))).status, 204)
  const expected = { success: true, username: 'alice', remoteAddress: '203.0.113.5', proxy: '127.0.0.1' }
  assert.deepEqual(await attempts(daemon), [expected])
  assert.deepEqual(await daemon.get('/rest/twinfold/warnings'), [])
  const { system } = (await daemon.get('/rest/twinfold/summary')) as { readonly system: object }
  assert.deepEqual(Reflect.get(system, 'trustedProxies'), ['127.0.0.1'])
})
