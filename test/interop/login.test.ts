import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { startDaemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { generateSyncthingHome, missingSyncthing, quietConfig, startSyncthing } from '../support/syncthing.ts'

// Passwords that one program hashed and the other checks.

const skip = missingSyncthing() ?? false
/** bcrypt looks at 72 bytes; both programs refuse to set a longer one. */
const LONGEST = 'pä'.repeat(24)
const PASSWORDS = ['secret', 'Grüße, 漢字 & 🔑 "x"', LONGEST]

type Place = { readonly socketPath: string } | { readonly host: string; readonly port: string }

/** A change of its interface, such as that of a start, makes Syncthing remove its socket for a moment. */
function answerOf<T>(ask: () => Promise<T>): Promise<T> {
  return eventually('the interface is there', ask)
}

/** A login by UNIX socket or by TCP; the API key is not sent. */
function login(where: Place, password: string): Promise<number> {
  return answerOf(() => loginOnce(where, password))
}

function loginOnce(where: Place, password: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' }
  const outgoing = request({ ...where, method: 'POST', path: '/rest/noauth/auth/password', headers }, (incoming) => {
    incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0))
  })
  outgoing.on('error', reject).end(JSON.stringify({ username: 'me', password, stayLoggedIn: false }))
  return promise
}

function placeOf(url: string): { host: string; port: string } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port }
}

function hashIn(home: string): string {
  return /<password>([^<]+)</.exec(readFileSync(join(home, 'config.xml'), 'utf8'))?.[1] ?? ''
}

/** Both must accept a password and refuse similar ones. */
async function checkLogins(where: Place, password: string): Promise<void> {
  assert.equal(await login(where, password), 204)
  assert.equal(await login(where, `${password.slice(0, -1)}?`), 403)
  const longer = await login(where, `${password}x`)
  assert.equal(longer, Buffer.byteLength(password) === 72 ? 204 : 403, 'what follows 72 bytes does not count')
}

test(
  'a password that Syncthing hashed opens Twinfold, and one that Twinfold hashed opens Syncthing',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    const home = join(scratch.path, 'home')
    generateSyncthingHome(home)
    quietConfig(home)
    for (const password of PASSWORDS) {
      {
        await using syncthing = await startSyncthing({ home, args: ['--allow-newer-config'] })
        const body = { user: 'me', password }
        const reply = await answerOf(() => syncthing.request('PATCH', '/rest/config/gui', body))
        assert.equal(reply.status, 200, reply.text)
      }
      const theirs = hashIn(home)
      assert.match(theirs, /^\$2a\$10\$/)
      {
        await using daemon = await startDaemon({ home })
        await checkLogins(placeOf(daemon.url), password)
        assert.equal(hashIn(home), theirs, 'a hash stays as it is')
        const reply = await daemon.request('PATCH', '/rest/config/gui', { password: `x${password.slice(1)}` })
        assert.equal(reply.status, 200)
        const long = await daemon.request('PATCH', '/rest/config/gui', { password: `${LONGEST}x` })
        assert.deepEqual([long.status, await long.text()], [500, 'the password is longer than 72 bytes\n'])
      }
      const ours = hashIn(home)
      assert.match(ours, /^\$2a\$10\$/)
      assert.notEqual(ours, theirs)
      await using syncthing = await startSyncthing({ home, args: ['--allow-newer-config'] })
      await checkLogins({ socketPath: join(home, 'gui.sock') }, `x${password.slice(1)}`)
      const tooLong = { password: `${LONGEST}x` }
      const long = await answerOf(() => syncthing.request('PATCH', '/rest/config/gui', tooLong))
      assert.notEqual(long.status, 200, 'Syncthing refuses it, too')
      assert.equal(hashIn(home), ours)
    }
  },
)

test('hashes of both other versions, and one of generate, are read by both', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const made = await runCommand([
    'generate',
    '--home',
    home,
    '--gui-user',
    'me',
    '--gui-password',
    'grün',
    '--no-port-probing',
  ])
  assert.equal(made.code, 0, made.err)
  const hash = hashIn(home)
  assert.match(hash, /^\$2a\$10\$/)
  // Two bits of the last character of the salt count; programs that draw characters leave the others as they fall.
  const loose = `${hash.slice(0, 28)}${{ '.': '/', O: 'P', e: 'f', u: 'v' }[hash[28]!]}${hash.slice(29)}`
  for (const stored of [hash, hash.replace('$2a$', '$2b$'), hash.replace('$2a$', '$2y$'), loose]) {
    const file = join(home, 'config.xml')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(hashIn(home), () => stored),
      { mode: 0o600 },
    )
    {
      await using daemon = await startDaemon({ home })
      await checkLogins(placeOf(daemon.url), 'grün')
    }
    await using _syncthing = await startSyncthing({ home, args: ['--allow-newer-config'] })
    await checkLogins({ socketPath: join(home, 'gui.sock') }, 'grün')
    assert.equal(hashIn(home), stored)
  }
})
