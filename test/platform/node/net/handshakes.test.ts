import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { Handshakes } from '../../../../src/platform/node/net/handshakes.ts'

class Waiting extends EventEmitter {
  readonly remoteAddress: string
  isDestroyed = false

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }
}

function begin(handshakes: Handshakes, address: string): Waiting {
  const socket = new Waiting(address)
  handshakes.begin(socket as unknown as Socket)
  return socket
}

function open(sockets: readonly Waiting[]): number {
  return sockets.filter(({ isDestroyed }) => !isDestroyed).length
}

test('B-01: of a network that fills all its places the oldest handshake is dropped, and a new one begins', () => {
  const handshakes = new Handshakes()
  const other = begin(handshakes, '192.0.2.1')
  const sockets = Array.from({ length: 400 }, () => begin(handshakes, '192.0.2.9'))
  assert.deepEqual([open(sockets), handshakes.count, other.isDestroyed], [64, 65, false])
  const newest = begin(handshakes, '192.0.2.9')
  assert.deepEqual([newest.isDestroyed, open(sockets), open(sockets.slice(-63))], [false, 63, 63])
  handshakes.dropAll()
  assert.deepEqual([handshakes.count, newest.isDestroyed, other.isDestroyed], [0, true, true])
})

test('B-01: a handshake that ends releases its place', () => {
  const handshakes = new Handshakes()
  const sockets = Array.from({ length: 64 }, () => begin(handshakes, '192.0.2.9'))
  handshakes.finish(sockets[5] as unknown as Socket)
  sockets[6]?.emit('close')
  const more = [begin(handshakes, '192.0.2.9'), begin(handshakes, '192.0.2.9')]
  assert.deepEqual([handshakes.count, open(sockets), open(more)], [64, 64, 2])
  handshakes.dropAll()
})

test('B-01: the addresses of one /64 of IPv6 count as one network, those of IPv4 each', () => {
  const handshakes = new Handshakes()
  const sockets = Array.from({ length: 100 }, (_, i) => begin(handshakes, `2001:db8:0:7::${(i + 1).toString(16)}`))
  const mapped = Array.from({ length: 100 }, (_, i) => begin(handshakes, `::ffff:192.0.2.${i}`))
  const next = begin(handshakes, '2001:db8:0:8::1')
  assert.deepEqual([open(sockets), open(mapped), open([next])], [64, 100, 1])
  handshakes.dropAll()
})

test('B-01: with all places taken the fullest network loses its oldest handshake', () => {
  const handshakes = new Handshakes()
  const full = Array.from({ length: 40 }, () => begin(handshakes, '192.0.2.9'))
  const single = Array.from({ length: 984 }, (_, i) => begin(handshakes, `198.51.${i >> 8}.${i & 255}`))
  assert.equal(handshakes.count, 1_024)
  begin(handshakes, '203.0.113.1')
  assert.deepEqual([handshakes.count, open(full), full[0]?.isDestroyed, open(single)], [1_024, 39, true, 984])
  handshakes.dropAll()
})
