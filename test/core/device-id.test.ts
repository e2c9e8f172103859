import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  checkCharacter,
  compareDeviceIds,
  deviceIdBytes,
  deviceIdFromBytes,
  deviceIdFromCertificate,
  parseDeviceId,
  parseDeviceIdOrEmpty,
  shortIdOf,
  shortIdText,
} from '../../src/core/device-id.ts'
import { TwinfoldError } from '../../src/core/errors.ts'

interface Vectors {
  certificates: {
    label: string
    cert_pem: string
    device_id: string
    short_id_uint64: string
    short_id_string: string
  }[]
  parse_cases: {
    input: string
    note: string
    valid: boolean
    canonical?: string
    sha256_hex?: string
    reference_1_29_5: { error?: string }
  }[]
  luhn_mod32_groups: { input13: string; check: string }[]
  special: Record<'local_device' | 'global_device', { bytes: string; id: string }>
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../vectors/device-id.json', import.meta.url), 'utf8'))

for (const one of vectors.certificates) {
  test(`device id of the certificate of ${one.label}`, () => {
    const id = deviceIdFromCertificate(new X509Certificate(one.cert_pem).raw)
    assert.equal(id, one.device_id)
    assert.equal(shortIdOf(id), BigInt(one.short_id_uint64))
    assert.equal(shortIdText(shortIdOf(id)), one.short_id_string)
  })
}

for (const one of vectors.parse_cases) {
  test(`parse a device id: ${one.note}`, () => {
    if (!one.valid) {
      const refused = (error: unknown) =>
        error instanceof TwinfoldError && error.code === 'bad-request' && error.message === one.reference_1_29_5.error
      assert.throws(() => parseDeviceIdOrEmpty(one.input), refused)
      return
    }
    const id = parseDeviceIdOrEmpty(one.input)
    assert.equal(id, one.canonical)
    if (id !== '') assert.equal(Buffer.from(deviceIdBytes(id)).toString('hex'), one.sha256_hex)
  })
}

test('check characters of single groups', () => {
  for (const { input13, check } of vectors.luhn_mod32_groups) assert.equal(checkCharacter(input13), check)
})

test('the two reserved ids', () => {
  assert.equal(deviceIdFromBytes(new Uint8Array(32).fill(0xff)), vectors.special.local_device.id)
  assert.equal(deviceIdFromBytes(new Uint8Array(32).fill(0xf8)), vectors.special.global_device.id)
})

test('the empty id is allowed where it means no device, and nowhere else', () => {
  assert.equal(parseDeviceIdOrEmpty(''), '')
  assert.throws(() => parseDeviceId(''), TwinfoldError)
})

test('an overlong text is refused without being parsed', () => {
  assert.throws(() => parseDeviceId('A'.repeat(10_000_000)), /incorrect length/)
})

test('bytes to text and back is the identity; text order is byte order', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [idA, idB] = [deviceIdFromBytes(a), deviceIdFromBytes(b)]
      assert.deepEqual(deviceIdBytes(idA), a)
      assert.equal(parseDeviceId(idA.toLowerCase().replaceAll('-', ' ')), idA)
      assert.equal(Math.sign(compareDeviceIds(idA, idB)), Buffer.compare(a, b))
    }),
  )
})

test('one wrong character is always detected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(55), fc.nat(30), (bytes, at, shift) => {
      const plain = deviceIdFromBytes(bytes).replaceAll('-', '')
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
      const wrong = alphabet[(alphabet.indexOf(plain[at] ?? '') + 1 + shift) % 32] ?? ''
      assert.throws(() => parseDeviceId(plain.slice(0, at) + wrong + plain.slice(at + 1)), /check digit incorrect/)
    }),
  )
})
