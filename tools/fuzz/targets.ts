/** What is fuzzed: each target reads hostile bytes and checks what it has read. */
import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config-file.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { HTTP_TARGETS } from './http-targets.ts'
import { NAME_TARGETS } from './name-targets.ts'
import { PROTOCOL_TARGETS } from './protocol-targets.ts'
import { textOf } from './text.ts'
import { xmlOf } from '../../test/support/config.ts'
import { decodeLocalAnnouncement, encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'
import { parseLookupReply } from '../../src/core/network/discovery-reply.ts'
import { receivedAddresses } from '../../src/core/network/announced-address.ts'
import { parseAddress } from '../../src/core/network/address.ts'

export interface Target {
  readonly name: string
  /** Words of the format. */
  readonly words?: readonly (string | Uint8Array)[]
  /** Memory that may be kept for each byte of the input. */
  readonly keptPerByteMax: number
  /** Reads the input and checks the result. Returns what a caller would keep. */
  run(input: Uint8Array): unknown
}

/** Errors that callers handle; everything else is a fault. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || error instanceof TwinfoldError
}

const LISTED_ADDRESSES_MAX = 128

const OTHER_TARGETS: readonly Target[] = [
  {
    name: 'local-discovery',
    words: [Buffer.from('2ea7d90b', 'hex'), Buffer.from('7d79bc40', 'hex'), 'tcp://0.0.0.0:22000', 'quic://[::]:1'],
    keptPerByteMax: 96,
    run(input) {
      const packet = decodeLocalAnnouncement(input)
      if (packet === undefined || packet === 'old') return packet
      assert.ok(packet.addresses.length <= LISTED_ADDRESSES_MAX)
      assert.deepEqual(decodeLocalAnnouncement(encodeLocalAnnouncement(packet)), packet)
      return [packet, receivedAddresses(packet.addresses, '192.0.2.7')]
    },
  },
  {
    name: 'discovery-reply',
    words: ['{"addresses":[', '"tcp://192.0.2.1:22000"', '"relay://', 'null', ']}', '"addresses"', '\\ud800'],
    keptPerByteMax: 64,
    run(input) {
      const addresses = parseLookupReply(input)
      if (addresses === undefined) return undefined
      assert.ok(addresses.length <= LISTED_ADDRESSES_MAX)
      return [addresses, receivedAddresses(addresses, 'fe80::1%eth0')]
    },
  },
  {
    name: 'address',
    words: ['tcp://', 'tcp4://', 'quic6://', 'relay://', '[::1]', ':22000', 'dynamic', '?id=', '%25', '@', '127.0.0.1'],
    keptPerByteMax: 64,
    run: (input) => parseAddress(textOf(input)),
  },
  {
    name: 'config-xml',
    words: [
      '<configuration version="37">',
      '</configuration>',
      '<folder id="a" path="b">',
      '</folder>',
      '<device id="',
    ],
    keptPerByteMax: 2_048,
    run(input) {
      const { document } = readConfig(input, false)
      const written = xmlOf(document)
      const again = readConfig(Buffer.from(written), false)
      assert.deepEqual(again.document.config, document.config)
      assert.equal(xmlOf(again.document), written)
      return undefined
    },
  },
]

export const TARGETS: readonly Target[] = [...PROTOCOL_TARGETS, ...OTHER_TARGETS, ...HTTP_TARGETS, ...NAME_TARGETS]
