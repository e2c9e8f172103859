/** What discovery, relays and routers send. */
import assert from 'node:assert/strict'
import { parseAddress } from '../../src/core/network/address.ts'
import { receivedAddresses } from '../../src/core/network/announced-address.ts'
import { parseLookupReply } from '../../src/core/network/discovery-reply.ts'
import { parseIgdDescription, parseSoapReply } from '../../src/core/network/igd.ts'
import { decodeLocalAnnouncement, encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'
import { decodeAddressReply, decodeTcpMapping } from '../../src/core/network/nat-pmp.ts'
import { decodePcpMapping, isPcpReply } from '../../src/core/network/pcp.ts'
import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  type RelayMessage,
} from '../../src/core/network/relay-message.ts'
import { parseRelayPool } from '../../src/core/network/relay-pool.ts'
import { sessionHost } from '../../src/core/network/session-host.ts'
import { parseSsdpReply } from '../../src/core/network/ssdp.ts'
import type { Target } from './targets.ts'
import { textOf } from './text.ts'

const LISTED_ADDRESSES_MAX = 128
const RELAY_PAYLOAD_BYTES_MAX = 1_024
const LISTED_RELAYS_MAX = 2_000
const RELAY_HOST = '192.0.2.9'
const LOCATION = 'http://192.168.1.1:5000/dir/root.xml'
const PCP_REQUEST = {
  localHost: '192.168.1.10',
  nonce: Buffer.alloc(12),
  internalPort: 22_000,
  externalPort: 0,
  lifetimeS: 3_600,
}

/** All messages of a connection, as a device reads them: a wrong one ends it. */
function readRelayMessages(input: Uint8Array): readonly RelayMessage[] {
  const messages: RelayMessage[] = []
  for (let at = 0; at + RELAY_HEADER_BYTES <= input.length;) {
    const { kind, payloadBytes } = decodeRelayHeader(input.subarray(at, at + RELAY_HEADER_BYTES))
    assert.ok(payloadBytes <= RELAY_PAYLOAD_BYTES_MAX)
    at += RELAY_HEADER_BYTES + payloadBytes
    if (at <= input.length) messages.push(decodeRelayPayload(kind, input.subarray(at - payloadBytes, at)))
  }
  return messages
}

export const NETWORK_TARGETS: readonly Target[] = [
  {
    name: 'local-discovery',
    words: [Buffer.from('2ea7d90b', 'hex'), Buffer.from('7d79bc40', 'hex'), 'tcp://0.0.0.0:22000', 'quic://[::]:1'],
    keptPerByteMax: 96,
    // A packet.
    grownBytesMax: 64 * 1024,
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
    grownBytesMax: 64 * 1024,
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
    name: 'relay-frame',
    words: [
      Buffer.from('9e79bc40', 'hex'),
      ...Array.from({ length: 8 }, (_, kind) => Buffer.from([0x9e, 0x79, 0xbc, 0x40, 0, 0, 0, kind])),
      ...['00000000', '00000004', '00000020', '00000400', '00000401', '7fffffff', 'ffffffff', '7f000001'].map((hex) =>
        Buffer.from(hex, 'hex'),
      ),
    ],
    keptPerByteMax: 96,
    run: readRelayMessages,
    check(messages: ReturnType<typeof readRelayMessages>) {
      for (const message of messages) {
        const bytes = encodeRelayMessage(message)
        assert.deepEqual(decodeRelayPayload(message.kind, bytes.subarray(RELAY_HEADER_BYTES)), message)
        if (message.kind !== 'invitation') continue
        assert.doesNotMatch(
          sessionHost(message.address, RELAY_HOST),
          /^(0|10|127|169\.254|192\.168)\.|^$|^(::1|fe80|fd)/,
        )
      }
    },
  },
  {
    name: 'relay-pool',
    words: ['{"relays":[', '{"url":"relay://192.0.2.1:443/?id=', '"}', ']}', ',', 'null', '"URL":', '\\ud800'],
    keptPerByteMax: 128,
    run(input) {
      const relays = parseRelayPool(input)
      assert.ok((relays ?? []).length <= LISTED_RELAYS_MAX)
      return relays
    },
  },
  {
    name: 'router-document',
    words: [
      '<root><device><deviceType>urn:x:InternetGatewayDevice:1</deviceType>',
      '<serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType>',
      '<controlURL>',
      '<service>',
      '<u:DoResponse>',
      '<UPnPError><errorCode>',
      '<![CDATA[',
      '<!DOCTYPE a [<!ENTITY b "c">]>',
      'HTTP/1.1 200 OK\r\nST: urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\nLOCATION: http://192.168.1.1/',
    ],
    keptPerByteMax: 128,
    grownBytesMax: 128 * 1024,
    run(input) {
      const reply = parseSsdpReply(input)
      if (reply !== undefined) return reply
      const text = textOf(input)
      return text.includes('Response') || text.includes('Error')
        ? parseSoapReply(text, 'Do')
        : parseIgdDescription(text, LOCATION)
    },
  },
  {
    name: 'port-control',
    words: ['00800000', '00820000', '02810000', '02810001', '55f0', '0000000000000000'].map((hex) =>
      Buffer.from(hex, 'hex'),
    ),
    keptPerByteMax: 64,
    run(input) {
      const replies = [decodeTcpMapping(input, PCP_REQUEST.internalPort), decodePcpMapping(input, PCP_REQUEST)]
      for (const reply of replies)
        if (reply?.kind === 'mapped') assert.ok(reply.externalPort >= 0 && reply.externalPort <= 65_535)
      return [...replies, isPcpReply(input), decodeAddressReply(input)]
    },
  },
]
