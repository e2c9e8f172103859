import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Identity, Net, PlainStream } from '../../src/platform/net.ts'

const NEVER = new AbortController().signal
const HOST = '127.0.0.1'

interface Listener extends AsyncDisposable {
  readonly net: Net
  readonly port: number
  /** The other end of the next dial, itself a stream. */
  readonly accepted: Promise<PlainStream>
}

const [near, far] = await Promise.all([1, 2].map((serial) => makeIdentity(serial)))

/** What every Net owes callers that dial without TLS. */
export function plainContract(name: string, listen: () => Promise<Listener>): void {
  const spec = (text: string, check: (a: PlainStream, b: PlainStream) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      await using listener = await listen()
      await using a = await listener.net.dialTcp({ host: HOST, port: listener.port }, NEVER)
      await using b = await listener.accepted
      await check(a, b)
    })
  }

  spec('a plain stream gives exactly the bytes that are asked for', async (a, b) => {
    await a.write(Buffer.from('one,two,'))
    await a.write(Buffer.from('three'))
    for (const [count, expected] of [
      [4, 'one,'],
      [0, ''],
      [6, 'two,th'],
      [3, 'ree'],
    ] as const) {
      assert.equal(Buffer.from(await b.take(count, NEVER)).toString(), expected)
    }
  })

  spec('a plain stream that ends too early rejects', async (a, b) => {
    await a.write(Buffer.from('half'))
    assert.equal(Buffer.from(await b.take(2, NEVER)).toString(), 'ha')
    await a[Symbol.asyncDispose]()
    await assert.rejects(b.take(3, NEVER))
  })

  spec('an abort ends a take with its reason and leaves no listener', async (a) => {
    const reason = new Error('stopping')
    const stop = new AbortController()
    const taking = a.take(1, stop.signal)
    stop.abort(reason)
    await assert.rejects(taking, (error) => error === reason)
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
  })

  spec('TLS runs over a plain stream, whose early bytes are not lost', async (a, b) => {
    await a.write(Buffer.from('head'))
    const client = a.secure('client', { identity: near! }, NEVER) // its first bytes follow the head at once
    assert.equal(Buffer.from(await b.take(4, NEVER)).toString(), 'head')
    const [one, two] = await Promise.all([client, b.secure('server', { identity: far! }, NEVER)])
    assert.equal(deviceIdFromCertificate(one.peerCertificate), idOf(far!))
    assert.equal(deviceIdFromCertificate(two.peerCertificate), idOf(near!))
    await Promise.all([one.write(Buffer.from('hello')), two.write(Buffer.from('world'))])
    assert.deepEqual([String(await two.read()), String(await one.read())].map(textOf), ['hello', 'world'])
    await one[Symbol.asyncDispose]()
    assert.equal(await two.read(), undefined)
    await two[Symbol.asyncDispose]()
  })

  for (const role of ['client', 'server'] as const) {
    spec(`an abort ends a TLS handshake of the ${role} with its reason, and the stream`, async (a) => {
      const reason = new Error('stopping')
      const stop = new AbortController()
      const securing = a.secure(role, { identity: near! }, stop.signal)
      stop.abort(reason)
      await assert.rejects(securing, (error) => error === reason)
      await assert.rejects(a.secure(role, { identity: near! }, NEVER))
    })
  }
}

function textOf(text: string): string {
  return /^[\d,]+$/.test(text) ? Buffer.from(text.split(',').map(Number)).toString() : text
}

function idOf({ certificatePem }: Identity): string {
  const body = certificatePem.replace(/-----[^-]*-----/g, '').replace(/\s/g, '')
  return deviceIdFromCertificate(Buffer.from(body, 'base64'))
}

function makeIdentity(serial: number): Promise<Identity> {
  return makeCertificate({
    commonName: 'syncthing',
    keyType: 'Ed25519',
    lifetimeDays: 365,
    nowMs: Date.now(),
    serial: new Uint8Array(8).fill(serial),
  })
}
