import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { deviceIdBytes, parseDeviceId } from '../../../src/core/device-id.ts'
import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  type RelayMessage,
} from '../../../src/core/network/relay-message.ts'
import { ProtocolError } from '../../../src/core/wire/errors.ts'

interface Frame {
  readonly dir?: string
  readonly name?: string
  readonly type?: number
  readonly hex?: string
  readonly note?: string
  readonly dec?: Readonly<Record<string, unknown>>
}

const FRAMES: readonly Frame[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'vectors', 'relay.json'), 'utf8'),
).frames
const ID = parseDeviceId('2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5')
const RUNS = { numRuns: 2_000, seed: 22_067 }

function decode(bytes: Uint8Array): RelayMessage {
  const { kind, payloadBytes } = decodeRelayHeader(bytes.subarray(0, RELAY_HEADER_BYTES))
  assert.equal(bytes.length, RELAY_HEADER_BYTES + payloadBytes)
  return decodeRelayPayload(kind, bytes.subarray(RELAY_HEADER_BYTES))
}

/** The fields of a message, named as in the recorded exchange. */
function fields(message: RelayMessage): Readonly<Record<string, unknown>> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  if (message.kind === 'response') return { code: message.code, message: message.message }
  if (message.kind !== 'invitation') return {}
  const { from, key, address, port, isServer } = message
  const [fromHex, keyHex, addressHex] = [hex(deviceIdBytes(from)), hex(key), hex(address)]
  return { from: fromHex, key: keyHex, address: addressHex, port, serverSocket: isServer ? 1 : 0 }
}

test('relay messages: the bytes of the real relay and its clients, both ways', () => {
  let tried = 0
  for (const { hex, name, note, dec } of FRAMES) {
    if (hex === undefined || name === undefined || note === 'SessionInvitation sent by client') continue
    const bytes = Buffer.from(hex, 'hex')
    const message = decode(bytes)
    if (dec !== undefined) assert.deepEqual(fields(message), dec)
    if (note?.includes('old form')) assert.deepEqual(message, { kind: 'join-relay', token: '' })
    else assert.equal(Buffer.from(encodeRelayMessage(message)).toString('hex'), hex, name)
    tried++
  }
  assert.ok(tried > 20)
})

test('a relay message with another magic, an unknown type or more than 1,024 bytes is refused by its header', () => {
  const refused = FRAMES.filter(({ note }) => note === 'bad magic' || note === 'length 1025')
  assert.equal(refused.length, 2)
  const unknownType = '9e79bc400000000800000000'
  for (const hex of [...refused.map((frame) => frame.hex!), unknownType, '9e79bc40', '9e79bc400000000200ffffff']) {
    assert.throws(() => decodeRelayHeader(Buffer.from(hex, 'hex')), ProtocolError, hex)
  }
  assert.equal(decodeRelayHeader(Buffer.from('9e79bc400000000200000400', 'hex')).payloadBytes, 1_024)
})

test('fields that are cut, too long or of a wrong size are refused', () => {
  const payload = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const id = Buffer.from(deviceIdBytes(ID)).toString('hex')
  const key = '00000004 01020304'
  const bad: [kind: RelayMessage['kind'], hex: string][] = [
    ['connect', ''],
    ['connect', `00000020 ${id.slice(2)}`],
    ['connect', `0000001f ${id.slice(2)}00`],
    ['join-session', `00000021 ${'00'.repeat(36)}`],
    ['join-session', 'ffffffff 00'],
    ['join-session', '00000001 0100ff00'],
    ['ping', '00'],
    ['response', '00000000'],
    ['response', '00000000 00000000 00'],
    ['invitation', `00000020 ${id} ${key} 00000005 0102030405000000 00000001 00000001`],
    ['invitation', `00000020 ${id} ${key} 00000000 00010000 00000001`],
  ]
  for (const [kind, hex] of bad) assert.throws(() => decodeRelayPayload(kind, payload(hex)), ProtocolError, hex)
  const good = decodeRelayPayload('invitation', payload(`00000020 ${id} ${key} 00000000 0000ffff 00000001`))
  assert.deepEqual(fields(good).port, 65_535)
})

test('any bytes are a relay message or refused with a ProtocolError', () => {
  const kinds = fc.constantFrom<RelayMessage['kind']>('join-relay', 'join-session', 'response', 'connect', 'invitation')
  const words = fc.array(
    fc.oneof(fc.constantFrom(0, 1, 4, 16, 32, 33, 0xffff_ffff), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
    { maxLength: 40 },
  )
  let accepted = 0
  fc.assert(
    fc.property(kinds, words, fc.nat(3), (kind, numbers, cut) => {
      const bytes = Buffer.alloc(numbers.length * 4)
      for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, at * 4)
      const payload = bytes.subarray(0, Math.max(0, bytes.length - cut))
      let message: RelayMessage
      try {
        message = decodeRelayPayload(kind, payload)
      } catch (error) {
        assert.ok(error instanceof ProtocolError, String(error))
        return
      }
      accepted++
      assert.deepEqual(decode(encodeRelayMessage(message)), message)
    }),
    RUNS,
  )
  assert.ok(accepted > 10, `only ${accepted} accepted`)
})
