import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'

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

async function login(daemon: Daemon, password: string): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ username: 'alice', password })
  const reply = await fetch(`${daemon.url}/rest/noauth/auth/password`, { method: 'POST', body })
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

  const refused = await runCommand([...generate, '--home', open], { nodeArgs: NODE_ARGS })
  assert.notEqual(refused.code, 0)
  assert.ok(refused.err.includes(MISSING), refused.err)
  assert.ok(!existsSync(open), 'no home without the password that was asked for')

  await using daemon = await startDaemon({ home, nodeArgs: NODE_ARGS })
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
