/** Logins at a real slapd, in a network with nothing but loopback. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { LdapConfig } from '../../src/core/config/config.ts'
import { Daemon } from '../support/daemon.ts'
import { loopbackOnly } from '../support/loopback.ts'
import { rest, type Reply } from '../support/rest.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { ADMIN, BASE, missingSlapd, Slapd } from '../support/slapd.ts'
import { insideNamespaceOf } from '../support/syncthing.ts'

const skip = missingSlapd() ?? false
const scratch = scratchDirectory()
let keeper: ChildProcess
let slapd: Slapd
let daemon: Daemon

before(async () => {
  if (skip !== false) return
  const [program, ...args] = [...loopbackOnly(), 'sh', '-c', 'echo up && exec cat']
  keeper = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(keeper.stdout!, 'data', { signal: AbortSignal.timeout(60_000) })
  const users = [
    { uid: 'alice', password: 'wonder land', description: 'allowed' },
    { uid: 'bob', password: 'builder', description: 'none' },
  ]
  slapd = await Slapd.start(join(scratch.path, 'slapd'), users, { before: insideNamespaceOf(keeper), port: 3389 })
  daemon = new Daemon({
    home: scratch.path,
    before: insideNamespaceOf(keeper),
    guiAddress: `unix://${join(scratch.path, 'gui.sock')}`,
    env: { NODE_EXTRA_CA_CERTS: slapd.authorityFile },
  })
  await eventually('the daemon', async () => (await request('GET', '/rest/system/ping')).status === 200 || undefined)
  await request('PATCH', '/rest/config/gui', { authMode: 'ldap' })
})

after(async () => {
  await daemon?.[Symbol.asyncDispose]()
  await slapd?.[Symbol.asyncDispose]()
  keeper?.stdin?.end()
  scratch[Symbol.dispose]()
})

function request(method: string, path: string, body?: unknown, apiKey?: string): Promise<Reply> {
  const address = { socketPath: join(scratch.path, 'gui.sock') }
  return rest({ address, apiKey: apiKey ?? daemon.apiKey }, method, path, body)
}

async function login(username: string, password: string): Promise<number> {
  return (await request('POST', '/rest/noauth/auth/password', { username, password }, 'none')).status
}

async function configure(ldap: Partial<LdapConfig>): Promise<void> {
  const whole = { address: slapd.plain, bindDN: `uid=%s,ou=people,${BASE}`, transport: 'plain', ...ldap }
  assert.equal((await request('PUT', '/rest/config/ldap', whole)).status, 200)
}

const ALICE = ['alice', 'wonder land'] as const

test('whoever the server accepts is logged in, and no one with an empty or wrong password', { skip }, async () => {
  await configure({})
  assert.equal((await request('GET', '/rest/system/version', undefined, 'none')).status, 403)
  assert.equal(await login(...ALICE), 204)
  for (const [username, password] of [
    ['alice', 'builder'],
    ['alice', ''],
    ['', 'wonder land'],
    ['', ''],
    ['carol', 'wonder land'],
    ['alice+cn=alice', 'wonder land'],
  ])
    assert.equal(await login(username!, password!), 403, JSON.stringify([username, password]))
})

test('a search must find exactly one entry', { skip }, async () => {
  await configure({ searchBaseDN: BASE, searchFilter: '(&(uid=%s)(description=allowed))' })
  assert.deepEqual([await login(...ALICE), await login('bob', 'builder')], [204, 403])
  await configure({ searchBaseDN: BASE, searchFilter: '(|(uid=%s)(objectClass=inetOrgPerson))' })
  assert.equal(await login(...ALICE), 403)
  await configure({ searchBaseDN: `ou=none,${BASE}`, searchFilter: '(uid=%s)' })
  assert.equal(await login(...ALICE), 403)
})

test('a user name adds no part to the name of the bind and no condition to the filter', { skip }, async () => {
  await configure({ bindDN: `uid=%s,${BASE}` })
  assert.equal(await login('alice,ou=people', 'wonder land'), 403)
  const asAdmin = { bindDN: ADMIN.name, searchBaseDN: BASE, searchFilter: '(uid=%s)' }
  await configure(asAdmin)
  assert.equal(await login('alice', ADMIN.password), 204)
  for (const name of ['ali*', 'alice)(uid=alice', '*)(uid=alice', '\\61lice'])
    assert.equal(await login(name, ADMIN.password), 403, name)
})

test('TLS and StartTLS are used, and the certificate of the server is checked', { skip }, async () => {
  await configure({ transport: 'tls', address: slapd.tls })
  assert.equal(await login(...ALICE), 204)
  await configure({ transport: 'starttls' })
  assert.equal(await login(...ALICE), 204)
  const byNumber = { transport: 'tls', address: slapd.tls.replace('localhost', '127.0.0.1') } as const
  await configure(byNumber)
  assert.equal(await login(...ALICE), 503)
  await configure({ ...byNumber, insecureSkipVerify: true })
  assert.equal(await login(...ALICE), 204)
})

test('a server that is away is no wrong password', { skip }, async () => {
  await configure({})
  assert.equal(await login('bob', 'builder'), 204)
  await slapd[Symbol.asyncDispose]()
  const { status, text } = await request(
    'POST',
    '/rest/noauth/auth/password',
    { username: ALICE[0], password: ALICE[1] },
    'none',
  )
  assert.equal(status, 503)
  assert.match(text, /the LDAP server localhost:3389 cannot check logins: connect ECONNREFUSED/)
})
