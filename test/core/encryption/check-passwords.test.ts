import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPasswords } from '../../../src/core/encryption/check-passwords.ts'
import { REFUSALS, refusalIn } from '../../../src/core/refusals.ts'

const NONE = new Uint8Array(0)
const TOKEN = Buffer.from('token')
const OTHER = Buffer.from('other')

/** The letters of a case: L, R tokens on our entry and on the peer's, P a password, E encrypted here, U untrusted. */
function check(letters: string, token: Uint8Array = TOKEN, stored: Uint8Array | undefined = TOKEN): string {
  const has = (letter: string): boolean => letters.includes(letter)
  const verdict = checkPasswords({
    tokenBytes: TOKEN.length,
    isUntrusted: has('U'),
    forUs: has('L') ? token : NONE,
    ofPeer: has('R') ? token : NONE,
    own: has('P') ? TOKEN : undefined,
    isEncryptedHere: has('E'),
    stored: has('E') ? stored : undefined,
  })
  return verdict.kind === 'refused' ? REFUSALS[verdict.code].reason : verdict.kind
}

const PLAIN_TO_UNTRUSTED = 'device is untrusted, but configured to receive plain data'
const BOTH = "can't encrypt outgoing data because local data is encrypted (folder-type receive-encrypted)"
const IMPOSSIBLE = 'remote has encrypted data and encrypts that data for us - this is impossible'
const NOT_PLAIN = 'remote expects to exchange plain data, but local data is encrypted (folder-type receive-encrypted)'
const NOT_ENCRYPTED = 'remote expects to exchange encrypted data, but is configured for plain data'

const CASES: readonly (readonly [letters: string, expected: string])[] = [
  ['', 'agreed'],
  ['U', PLAIN_TO_UNTRUSTED],
  ['UL', PLAIN_TO_UNTRUSTED],
  ['PE', BOTH],
  ['LRPE', BOTH],
  ['LRP', IMPOSSIBLE],
  ['LRE', IMPOSSIBLE],
  ['LR', IMPOSSIBLE],
  ['P', NOT_PLAIN],
  ['UP', NOT_PLAIN],
  ['E', 'remote expects to exchange plain data, but is configured to be encrypted'],
  ['L', NOT_ENCRYPTED],
  ['R', NOT_ENCRYPTED],
  ['RP', 'agreed'],
  ['URP', 'agreed'],
  ['LP', 'agreed'],
  ['LE', 'agreed'],
  ['RE', 'agreed'],
]
for (const [letters, expected] of CASES) {
  test(`passwords of both ends: ${letters === '' ? 'none' : letters}`, () => assert.equal(check(letters), expected))
}

test('passwords of both ends: another token, one of another length, a first contact', () => {
  for (const letters of ['RP', 'LP', 'LE', 'RE']) {
    assert.equal(check(letters, OTHER), 'different encryption passwords used')
    for (const bytes of [TOKEN.subarray(1), Buffer.from('token and more'), Buffer.alloc(20_000)])
      assert.equal(check(letters, bytes), REFUSALS['malformed-token'].reason, `${letters} with ${bytes.length} bytes`)
  }
  assert.deepEqual(
    checkPasswords({
      tokenBytes: TOKEN.length,
      isUntrusted: false,
      forUs: TOKEN,
      ofPeer: NONE,
      own: undefined,
      isEncryptedHere: true,
      stored: undefined,
    }),
    { kind: 'store', token: TOKEN },
  )
})

test('a reason that the other device gave is mirrored for this one', () => {
  const closed = (text: string) => refusalIn(`closed by the device: handling cluster-config: ${text}`)
  assert.equal(closed('different encryption passwords used'), 'other-password')
  assert.equal(closed(PLAIN_TO_UNTRUSTED), 'untrusted-there')
  assert.equal(closed('remote expects to exchange plain data, but is configured to be encrypted'), 'encrypted-there')
  assert.equal(closed(NOT_PLAIN), 'plain-there')
  assert.equal(refusalIn('no route to host'), undefined)
})
