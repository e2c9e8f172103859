import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decodeRelayHeader, decodeRelayPayload, RELAY_HEADER_BYTES } from '../../../src/core/network/relay-message.ts'
import { parseRelayPool } from '../../../src/core/network/relay-pool.ts'
import { ProtocolError } from '../../../src/core/wire/errors.ts'
import { effort, reportRow } from '../../support/effort.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('R-01 frames of any content are read, or refused before more than 1,024 bytes are awaited', () => {
  const runs = effort(20_000)
  const number = fc.oneof(fc.constantFrom(0, 1, 6, 7, 8, 1_024, 1_025, 0x7fff_ffff, 0xffff_ffff), fc.nat(2_000))
  const magic = fc.oneof({ weight: 9, arbitrary: fc.constant(0x9e79_bc40) }, { weight: 1, arbitrary: number })
  let refused = 0
  fc.assert(
    fc.property(magic, number, number, fc.uint8Array({ maxLength: 64 }), (first, kind, length, payload) => {
      const header = Buffer.alloc(RELAY_HEADER_BYTES)
      for (const [i, value] of [first, kind, length].entries()) header.writeUInt32BE(value, 4 * i)
      try {
        const read = decodeRelayHeader(header)
        assert.ok(read.payloadBytes <= 1_024)
        decodeRelayPayload(read.kind, payload)
      } catch (error) {
        assert.ok(error instanceof ProtocolError, String(error))
        refused++
      }
    }),
    { numRuns: runs },
  )
  reportRow({ id: 'R-01', tried: runs, refused })
})

test('R-04 lists of relays: bounded in number, wrong types and addresses are left out', () => {
  const many = { relays: Array.from({ length: 10_000 }, (_, i) => ({ url: `relay://192.0.2.1:${1 + (i % 60_000)}/` })) }
  const kept = parseRelayPool(bytes(JSON.stringify(many)))?.length
  const hostile = [
    '',
    'null',
    '[]',
    '{}',
    '{"relays":{}}',
    '{"relays":"relay://a:1"}',
    `${'['.repeat(100_000)}`,
    `{"relays":${'[['.repeat(5_000)}${']]'.repeat(5_000)}}`,
  ]
  for (const text of hostile) assert.deepEqual(parseRelayPool(bytes(text)) ?? [], [], text.slice(0, 40))
  const mixed = [
    null,
    5,
    'relay://a:1',
    { url: 5 },
    { url: 'tcp://a:1' },
    { url: 'relay://a:99999' },
    { URL: 'relay://b:2' },
  ]
  const read = parseRelayPool(bytes(JSON.stringify({ relays: mixed })))
  assert.deepEqual(
    read?.map(({ text }) => text.replace(/\/$/, '')),
    ['relay://b:2'],
  )
  reportRow({ id: 'R-04', tried: 10_000 + hostile.length + mixed.length, kept })
  assert.equal(kept, 2_000)
})
