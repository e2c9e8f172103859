import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginAtDirectory } from '../../../src/http/pipeline/ldap-login.ts'
import type { LdapConfig } from '../../../src/core/config/config.ts'
import type { DirectoryStream } from '../../../src/platform/directory.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { settle } from '../../support/sim-daemon.ts'

const LDAP: LdapConfig = {
  address: 'ldap.example:389',
  bindDN: 'uid=%s',
  transport: 'plain',
  insecureSkipVerify: false,
  searchBaseDN: 'dc=x',
  searchFilter: '(uid=%s)',
}
const ALICE = { username: 'alice', password: 'secret' }
const BOUND = '300c02010161070a010004000400'
const ENTRY = '3009020102640404003000'
const FOUND = '300c02010265070a010004000400'

interface Attempt {
  readonly dialled: unknown[]
  readonly takenBytes: () => number
  readonly end: Promise<boolean>
}

/** A login at a server that sends these bytes, over and over if wanted, and then nothing. */
function attempt(hex: string, { ldap = {}, repeated = 1, clock = new SimClock() } = {}): Attempt {
  const bytes = Buffer.from(hex, 'hex')
  const dialled: unknown[] = []
  let at = 0
  const stream: DirectoryStream = {
    take: async (count, signal) => {
      const end = bytes.length * repeated
      if (at + count > end)
        return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const taken = Uint8Array.from({ length: count }, (_byte, index) => bytes[(at + index) % bytes.length]!)
      at += count
      return taken
    },
    write: async () => {},
    startTls: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  const dial = async (options: unknown) => {
    dialled.push(options)
    return stream
  }
  const end = loginAtDirectory({ clock, dial }, { ...LDAP, ...ldap }, ALICE, new AbortController().signal)
  end.catch(() => {}) // awaited by the test
  return { dialled, takenBytes: () => at, end }
}

test('one entry is a login; none, two, and a refused bind are not', async () => {
  assert.equal(await attempt(BOUND + ENTRY + FOUND).end, true)
  assert.equal(await attempt(BOUND + FOUND).end, false)
  assert.equal(await attempt(BOUND + ENTRY + ENTRY + FOUND).end, false)
  assert.equal(await attempt('300c02010161070a013104000400').end, false)
})

/** What a hostile or broken server sends. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a message of 4 GiB': '3084ffffffff',
  'a message of 65 KiB': '3083010400',
  'an indefinite length': '3080',
  'another protocol': Buffer.from('HTTP/1.1 400').toString('hex'),
  'a reply to another request': '300c02010961070a010004000400',
  'a disconnection': '300c02010078070a013404000400',
  'success for a search that was not asked': FOUND,
  'a code that is no refusal': '300c02010161070a015204000400',
}

for (const [what, hex] of Object.entries(HOSTILE)) {
  test(`a server that sends ${what} is not believed, and is not read on`, async () => {
    const { end, takenBytes } = attempt(hex)
    await assert.rejects(end, { code: 'password-unavailable' })
    assert.ok(takenBytes() < 100)
  })
}

test('entries without end are not read to their end', async () => {
  const { end, takenBytes } = attempt(BOUND + ENTRY.repeat(200))
  await assert.rejects(end, { code: 'password-unavailable' })
  assert.ok(takenBytes() < 3_000)
})

test('a server that sends nothing is given up after ten seconds', async () => {
  const clock = new SimClock()
  const { end } = attempt('', { clock })
  await clock.advance(10_001, settle)
  await assert.rejects(end, /cannot check logins: no reply within 10 s/)
})

test('addresses have a port by their transport; incomplete settings ask no server', async () => {
  const dialled = async (ldap: Partial<LdapConfig>) => {
    const { end, dialled: list } = attempt('30', { ldap })
    void (await Promise.race([end.catch(() => {}), settle()]))
    return list
  }
  const places = await Promise.all([
    dialled({ address: 'ldap.example' }),
    dialled({ address: '[::1]', transport: 'tls', insecureSkipVerify: true }),
    dialled({ address: '[::1]:1389', transport: 'starttls' }),
  ])
  assert.deepEqual(places.flat(), [
    { host: 'ldap.example', port: 389, isTls: false, isVerified: true },
    { host: '::1', port: 636, isTls: true, isVerified: false },
    { host: '::1', port: 1389, isTls: false, isVerified: true },
  ])
  for (const ldap of [
    { bindDN: '' },
    { searchBaseDN: '' },
    { searchFilter: '' },
    { address: 'a:b:c' },
    { address: '' },
  ]) {
    const { end, dialled: none } = attempt('', { ldap })
    await assert.rejects(end, { code: 'password-unavailable' })
    assert.deepEqual(none, [])
  }
})
