import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SALT_BYTES, type PasswordHasher } from '../../src/platform/passwords.ts'

/** Of "U*U" and its like, as published with the first implementations of bcrypt; cost 5. */
const VECTORS: readonly (readonly [password: string, hash: string])[] = [
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
]

/** What every PasswordHasher owes its callers. */
export function passwordsContract(name: string, make: () => PasswordHasher): void {
  test(`${name}: a hash has cost 10 and verifies its password only`, async () => {
    const hasher = make()
    for (const password of ['secret', 'grüße 漢字 🔑', ' ', 'a\0b']) {
      const hash = await hasher.hash(password, randomBytes(SALT_BYTES))
      assert.match(hash, /^\$2a\$10\$[./A-Za-z0-9]{53}$/)
      assert.equal(await hasher.verify(password, hash), true)
      assert.equal(await hasher.verify(`${password}x`, hash), false)
    }
  })

  test(`${name}: the salt given is the salt used`, async () => {
    const hasher = make()
    const salt = new Uint8Array(SALT_BYTES).fill(7)
    assert.equal(await hasher.hash('secret', salt), await hasher.hash('secret', salt))
    assert.notEqual(await hasher.hash('secret', salt), await hasher.hash('secret', new Uint8Array(SALT_BYTES)))
  })

  test(`${name}: published vectors, under each version that is read`, async () => {
    const hasher = make()
    for (const [password, hash] of VECTORS) {
      for (const version of ['$2a$', '$2b$', '$2y$']) {
        const stored = hash.replace('$2a$', version)
        assert.equal(await hasher.verify(password, stored), true, stored)
        assert.equal(await hasher.verify(`${password} `, stored), false, stored)
      }
    }
  })

  test(`${name}: unused bits of the salt are not compared`, async () => {
    const [, hash = ''] = VECTORS[0]!
    assert.equal(await make().verify('U*U', hash.replace('CCC.E5', 'CCC/E5')), true)
  })

  test(`${name}: 72 bytes count, and half a surrogate pair is the replacement character`, async () => {
    const hasher = make()
    const hash = await hasher.hash(`${'ä'.repeat(36)}x`, randomBytes(SALT_BYTES))
    assert.equal(await hasher.verify('ä'.repeat(36), hash), true)
    assert.equal(await hasher.verify('ä'.repeat(35), hash), false)
    assert.equal(await hasher.verify('\ufffd', await hasher.hash('\ud800', randomBytes(SALT_BYTES))), true)
  })
}
