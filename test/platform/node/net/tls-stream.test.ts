import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../../../src/main/home/certificate.ts'
import { NodeTlsStream } from '../../../../src/platform/node/net/tls-stream.ts'

const { certificatePem } = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'Ed25519',
  lifetimeDays: 365,
  nowMs: Date.now(),
  serial: new Uint8Array(8),
})

/** A stream over a socket that keeps what it passes to the system, write by write. */
function recordedStream() {
  const writes: string[] = []
  const duplex = new Duplex({
    read() {},
    write(data: Buffer, _, done) {
      writes.push(data.toString())
      done()
    },
    writev(parts, done) {
      writes.push(parts.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  const facts = { setNoDelay: () => {}, getProtocol: () => 'TLSv1.3', getCipher: () => ({ standardName: 'X' }) }
  const socket = Object.assign(duplex, facts) as unknown as TLSSocket
  const clock = { nowMs: 1_000 }
  return { clock, writes, stream: new NodeTlsStream(socket, new X509Certificate(certificatePem), () => clock.nowMs) }
}

test('a small message after a pause is sent at once, those that follow it at the end of the turn', async () => {
  const { writes, stream } = recordedStream()
  const first = [stream.write(Buffer.from('request ')), stream.write(Buffer.from('a')), stream.write(Buffer.from('b'))]
  assert.deepEqual(writes, ['request '])
  await Promise.all(first)
  await nextTurn()
  await nextTurn()
  assert.deepEqual(writes, ['request ', 'ab'])
})

test('a large message takes the small ones before it along', async () => {
  const { writes, stream } = recordedStream()
  const large = 'x'.repeat(16 * 1024)
  const all = [stream.write(Buffer.from('1')), stream.write(Buffer.from('2')), stream.write(Buffer.from(large))]
  assert.deepEqual(writes, ['1', '2', large])
  await Promise.all(all)
})

test('messages in quick succession are sent together, turn by turn', async () => {
  const { clock, writes, stream } = recordedStream()
  for (let turn = 0; turn < 3; turn++) {
    for (const text of ['a', 'b', 'c']) await stream.write(Buffer.from(text))
    await nextTurn()
    await nextTurn()
    clock.nowMs += 20
  }
  assert.deepEqual(writes, ['a', 'bc', 'abc', 'abc'])
  clock.nowMs += 20
  const later = stream.write(Buffer.from('later'))
  assert.equal(writes.at(-1), 'later')
  await later
})
