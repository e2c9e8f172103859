import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passwords } from '../../src/config/password.ts'
import { openConfig } from '../../src/config/store.ts'
import { patchGui, patchOptions } from '../../src/core/config/config-edit.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { PasswordHasher } from '../../src/platform/passwords.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { LOCAL_ID, newConfig, prepared, xmlOf } from '../support/config.ts'
import { quietLogger } from '../support/logger.ts'

// Passwords that cannot be hashed, and unusable hashes.

const PATH = '/home/config.xml'
const COSTLY = '$2a$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
const BROKEN: PasswordHasher = {
  hash: () => Promise.reject(new TwinfoldError('password-unavailable', 'no bcrypt')),
  verify: () => Promise.reject(new TwinfoldError('password-unavailable', 'no bcrypt')),
}

function setup(password: string, hasher = simPasswords) {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  const config = prepared(newConfig())
  disk.put(
    PATH,
    xmlOf({ config: { ...config, gui: { ...config.gui, user: 'me', password } }, unknowns: new Map() }),
    0o600,
  )
  const random = new SimRandom(1)
  const log = quietLogger('config')
  const passwords = new Passwords({ hasher, random, clock, log })
  const options = { path: PATH, ownDevice: LOCAL_ID, hostName: 'host', allowNewer: false }
  return { log, read: () => textOf(disk), open: () => openConfig({ disk, clock, random, passwords, log }, options) }
}

function textOf(disk: SimDisk): string {
  const into = Buffer.alloc(200_000)
  return into.toString('utf8', 0, disk.sync.read(PATH, into, 0))
}

test('a hash of cost 31 gives a warning with the remedy, and other settings can be changed', async () => {
  const { log, open } = setup(COSTLY)
  const store = await open()
  const [line = ''] = log.lines.filter((each) => each.includes('cost'))
  assert.match(
    line,
    /^WARN \/home\/config\.xml: the GUI password is a bcrypt hash of cost 31, and at most 14 is accepted/,
  )
  assert.match(line, /twinfold generate --gui-user=NAME --gui-password=-/)
  await store.change((config) => patchOptions(config, { maxSendKbps: 7 }))
  assert.equal(store.current.gui.password, COSTLY)
  await store.change((config) => patchGui(config, { password: 'a new one' }))
  assert.match(store.current.gui.password, /^\$2a\$10\$/)
})

test('an unusable hash is not accepted as a new password', async () => {
  const { open, read } = setup('')
  const store = await open()
  const before = read()
  for (const password of [COSTLY, `$2a$10$${'!'.repeat(53)}`]) {
    await assert.rejects(
      store.change((config) => patchGui(config, { password })),
      { code: 'config-invalid', message: /^the GUI password is / },
    )
  }
  assert.equal(read(), before)
})

test('a password that cannot be hashed is refused, and nothing is changed', async () => {
  const { open, read, log } = setup('', BROKEN)
  const store = await open()
  const before = [read(), store.current]
  const change = store.change((config) => patchGui(config, { user: 'other', password: 'planted-secret' }))
  await assert.rejects(change, { code: 'password-unavailable', message: 'no bcrypt' })
  assert.deepEqual([read(), store.current], before)
  assert.ok(log.lines.includes('ERROR no bcrypt') && !log.lines.join().includes('planted-secret'))
})

test('a plain password in the file that cannot be hashed prevents the start, and the file is unchanged', async () => {
  const { open, read } = setup('planted-secret', BROKEN)
  const before = read()
  await assert.rejects(open(), { code: 'password-unavailable' })
  assert.equal(read(), before)
})
