import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ARM64_NODE, missingArm64 } from '../support/arm64.ts'
import { someBytes } from '../support/bytes.ts'
import { addPeer, connect, differencesOf, inSync, startMember, statusOf, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

// The other architecture, emulated: native packages load, and a device does what people expect of it.

const skip = missingArm64() ?? false
const root = join(import.meta.dirname, '..', '..')
const COMPILE_CACHE = join(root, 'node_modules', '.cache', 'twinfold')
/** An emulated Node takes its time on a busy machine. */
const EMULATED_MS_MAX = 180_000
const MIB = 1_024 * 1_024
const LOGIN = { username: 'alice', password: 'correct horse' }

/** Runs a script of the repository to its end. */
function emulate(...words: readonly string[]): string {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE }
  const result = spawnSync(ARM64_NODE, words, { cwd: root, encoding: 'utf8', timeout: EMULATED_MS_MAX, env })
  assert.equal(result.status, 0, `${result.error?.message ?? ''}${result.stderr}`)
  return result.stdout
}

/** Builds the page with Vite's native code and returns the directory it is in. */
function buildPage(directory: string): string {
  const output = join(directory, 'page')
  const script = `const { buildGui } = await import(process.argv[1]); await buildGui(process.argv[2])`
  emulate('--input-type=module', '--eval', script, join(root, 'tools', 'gui-build.ts'), output)
  return output
}

test('arm64: a device serves the page, logs in, scans and synchronizes', { skip }, async (t) => {
  using scratch = scratchDirectory()
  const page = buildPage(scratch.path)
  const options = { node: ARM64_NODE, env: { STGUIASSETS: page } }
  await using running = new AsyncDisposableStack()
  const start = async (name: string, more = {}) => running.use(await startMember(scratch.path, name, more))
  const starts = [start('a', options), start('b', options), start('c')] as const
  await Promise.allSettled(starts) // so that a failure of one leaves no other running
  const [a, b, c] = await Promise.all(starts)

  await t.test('the version names the architecture', async () => {
    for (const { daemon } of [a, b]) {
      const { arch, os } = (await daemon.get('/rest/system/version')) as { arch: string; os: string }
      assert.deepEqual([os, arch], ['linux', 'arm64'])
    }
  })
  await t.test('the page and its script are served', () => servesPage(a))
  await t.test('folders are scanned and synchronized in both directions', () => synchronizes(a, b))
  await t.test('a device on x64 and one on arm64 synchronize', () => joins(c, a, b))
  await t.test('messages are compressed by the native code of arm64', () => {
    for (const { daemon } of [a, b]) {
      assert.match(readFileSync(`/proc/${daemon.child.pid}/maps`, 'utf8'), /lz4-napi\.linux-arm64-gnu\.node/)
    }
  })
  await t.test('system calls that Node lacks are made by the native code of arm64', () => {
    for (const { daemon } of [a, b]) {
      assert.match(
        readFileSync(`/proc/${daemon.child.pid}/maps`, 'utf8'),
        /koffi-linux-arm64\/linux_arm64\/koffi\.node/,
      )
    }
  })
  await t.test('the password is asked for, and only the right one is accepted', () => logsIn(a))
})

async function servesPage({ daemon }: Member): Promise<void> {
  const reply = await fetch(`${daemon.url}/`)
  const html = await reply.text()
  assert.equal(reply.status, 200)
  const script = /src="([^"]+\.js)"/.exec(html)?.[1]
  assert.ok(script !== undefined, html)
  const { status, headers } = await fetch(new URL(script, `${daemon.url}/`))
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /javascript/)
}

async function synchronizes(a: Member, b: Member): Promise<void> {
  for (const member of [a, b]) mkdirSync(member.root)
  writeFileSync(join(a.root, 'text'), 'to be compressed '.repeat(20_000))
  writeFileSync(join(a.root, 'random'), someBytes(3 * MIB, 1))
  writeFileSync(join(b.root, 'other way'), someBytes(MIB, 2))
  await connect(a, b, {}, { compression: 'always' })
  await a.daemon.post('/rest/db/scan?folder=docs')
  assert.ok((await statusOf(a)).globalBytes >= 3 * MIB, 'what lies in the folder is known after a scan')
  await haveFiles([a, b], 3)
}

/** Resolves when all need nothing, have so many files, and have equal trees. */
async function haveFiles(members: readonly Member[], count: number): Promise<void> {
  await eventually(
    `${count} files everywhere`,
    async () => {
      await inSync(members, EMULATED_MS_MAX)
      return (await statusOf(members[0]!)).globalTotalItems === count || undefined
    },
    EMULATED_MS_MAX,
  )
  for (const other of members.slice(1)) assert.deepEqual(differencesOf(members[0]!.root, other.root), [])
}

/** A third device shares the folder with the first, and has a file that no other device has. */
async function joins(c: Member, a: Member, b: Member): Promise<void> {
  mkdirSync(c.root)
  writeFileSync(join(c.root, 'of x64'), 'compressed elsewhere '.repeat(20_000))
  await addPeer(a, c, { compression: 'always' })
  await addPeer(c, a, { compression: 'always' })
  await c.daemon.addFolder('docs', c.root, { devices: [{ deviceID: a.id }] })
  const devices = [b, c].map(({ id }) => ({ deviceID: id }))
  assert.equal((await a.daemon.request('PATCH', '/rest/config/folders/docs', { devices })).status, 200)
  await haveFiles([a, b, c], 4)
}

async function logsIn({ daemon }: Member): Promise<void> {
  const changed = await daemon.request('PATCH', '/rest/config/gui', { user: LOGIN.username, password: LOGIN.password })
  assert.equal(changed.status, 200)
  assert.match(readFileSync(join(daemon.home, 'config.xml'), 'utf8'), /<password>\$2[aby]\$/)
  const login = (password: string) => {
    const body = JSON.stringify({ ...LOGIN, password })
    return fetch(`${daemon.url}/rest/noauth/auth/password`, { method: 'POST', body })
  }
  const refused = await login('wrong horse')
  assert.deepEqual([refused.status, cookiesOf(refused)], [403, []])
  assert.equal((await fetch(`${daemon.url}/rest/system/status`)).status, 403)
  const accepted = await login(LOGIN.password)
  assert.equal(accepted.status, 204)
  const session = cookiesOf(accepted)
  const page = await fetch(`${daemon.url}/`, { headers: { cookie: session.join('; ') } })
  const cookies = [...session, ...cookiesOf(page)]
  const [name = '', token = ''] = cookies.find((cookie) => cookie.startsWith('CSRF-Token'))?.split('=') ?? []
  const headers = { cookie: cookies.join('; '), [`X-${name}`]: token }
  assert.equal((await fetch(`${daemon.url}/rest/system/status`, { headers })).status, 200)
}

function cookiesOf(reply: Response): string[] {
  return reply.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
}
