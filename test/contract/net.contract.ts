import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Identity, Net, TlsStream } from '../../src/platform/net.ts'

const HOST = '127.0.0.1'
const NEVER = new AbortController().signal

const serverIdentity = await makeIdentity(1)
const clientIdentity = await makeIdentity(2)

/** What every Net owes its callers. */
export function netContract(name: string, make: () => Net): void {
  const spec = (text: string, check: (net: Net) => Promise<void>): void => {
    test(`${name}: ${text}`, () => check(make()))
  }

  spec('each side gets the certificate of the other, as DER', async (net) => {
    await using pair = await connect(net)
    assert.equal(fingerprint(pair.client.peerCertificate), fingerprintOf(serverIdentity))
    assert.equal(fingerprint(pair.server.peerCertificate), fingerprintOf(clientIdentity))
    assert.match(pair.client.remoteAddress, /:\d+$/)
    assert.match(pair.server.remoteAddress, /:\d+$/)
  })

  spec(
    'both ends of a connection export the same keying material, another one for each label and connection',
    async (net) => {
      await using pair = await connect(net)
      await using other = await connect(net)
      const exported = [pair.client, pair.server].map((stream) => Buffer.from(stream.exportKey!('EXPORTER-a')!))
      assert.equal(exported[0]!.length, 32)
      assert.deepEqual(exported[0], exported[1])
      assert.notDeepEqual(Buffer.from(pair.client.exportKey!('EXPORTER-b')!), exported[0])
      assert.notDeepEqual(Buffer.from(other.client.exportKey!('EXPORTER-a')!), exported[0])
    },
  )

  spec('bytes arrive in order, both ways at once', async (net) => {
    await using pair = await connect(net)
    const [up, down] = [noise(300_000, 1), noise(200_000, 2)]
    await Promise.all([
      sendInPieces(pair.client, up),
      sendInPieces(pair.server, down),
      receive(pair.server, up.length).then((got) => assert.ok(got.equals(up))),
      receive(pair.client, down.length).then((got) => assert.ok(got.equals(down))),
    ])
  })

  spec('a writer waits for a reader, and nothing is lost', async (net) => {
    await using pair = await connect(net)
    const total = 16 * 1024 * 1024
    const data = noise(total, 3)
    let sent = 0
    const sending = (async () => {
      for (let at = 0; at < total; at += 65_536) {
        await pair.client.write(data.subarray(at, at + 65_536))
        sent = at
      }
    })()
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(sent < total - 65_536, 'sixteen MiB went out while the peer did not read')
    const got = await receive(pair.server, total)
    await sending
    assert.ok(got.equals(data))
  })

  spec('consumed memory may be reused, and the peer reads the original data', async (net) => {
    await using pair = await connect(net)
    const sizes = [7, 4_096, 20_000, 262_144, 1, 262_144, 90]
    const expected = Buffer.concat(sizes.map((size, index) => noise(size, index + 10)))
    const received = receive(pair.server, expected.length)
    for (const [index, size] of sizes.entries()) {
      const memory = Buffer.from(noise(size, index + 10))
      await pair.client.write(memory)
      if (pair.client.consumed === undefined) continue
      await pair.client.consumed()
      memory.fill(0)
    }
    assert.ok((await received).equals(expected))
  })

  spec('waiting for consumption rejects when the connection is lost', async (net) => {
    await using pair = await connect(net)
    for (let piece = 0; piece < 64; piece++) pair.client.write(Buffer.alloc(262_144))?.catch(() => {})
    const consumed = pair.client.consumed?.()
    const rejected = consumed && assert.rejects(consumed)
    await pair.server[Symbol.asyncDispose]()
    await pair.client[Symbol.asyncDispose]()
    await rejected
  })

  spec('readInto fills memory between reads, and reports each chunk', async (net) => {
    await using pair = await connect(net)
    const data = noise(900_000, 5)
    const sending = sendInPieces(pair.client, data)
    const parts: Uint8Array[] = []
    let at = 0
    for (let turn = 0; at < data.length; turn++) {
      const target = new Uint8Array(Math.min([70_000, 1, 200_000, 16_384][turn % 4] ?? 1, data.length - at))
      let toldBytes = 0
      if (pair.server.readInto === undefined) break
      assert.equal(await pair.server.readInto(target, (count) => (toldBytes += count)), true)
      assert.equal(toldBytes, target.length)
      parts.push(target)
      at += target.length
      if (turn % 3 !== 0 || at === data.length) continue
      const piece = await pair.server.read()
      assert.ok(piece !== undefined)
      parts.push(Buffer.from(piece)) // its memory may go with the rest
      at += piece.length
    }
    if (parts.length > 0) assert.ok(Buffer.concat(parts).equals(data))
    else await receive(pair.server, data.length)
    await sending
  })

  spec('readInto ends when either side has closed', async (net) => {
    for (const who of ['client', 'server'] as const) {
      await using pair = await connect(net)
      if (pair.server.readInto === undefined) return
      await pair.client.write(Buffer.from('half'))
      const filled = pair.server.readInto(new Uint8Array(8), () => {}).then(String, (error) => error.code)
      await pair[who][Symbol.asyncDispose]()
      assert.equal(await filled, who === 'client' ? 'false' : 'ECONNABORTED')
    }
  })

  spec('the end of one side is the end of reading for the other, after the last byte', async (net) => {
    await using pair = await connect(net)
    await pair.client.write(Buffer.from('last words'))
    await pair.client[Symbol.asyncDispose]()
    assert.equal((await receive(pair.server, 10)).toString(), 'last words')
    assert.equal(await pair.server.read(), undefined)
    assert.equal(await pair.server.read(), undefined)
  })

  spec('reads and writes after a local close reject and do not hang', async (net) => {
    await using pair = await connect(net)
    const reading = pair.client.read().then(
      () => 'read',
      (error) => error.code,
    )
    await pair.client[Symbol.asyncDispose]()
    await pair.client[Symbol.asyncDispose]()
    assert.equal(await reading, 'ECONNABORTED')
    await assert.rejects(pair.client.read(), { code: 'ECONNABORTED' })
    await assert.rejects(async () => await pair.client.write(Buffer.from('x')), { code: 'ECONNABORTED' })
  })

  spec('writing to a peer that has closed fails soon', async (net) => {
    await using pair = await connect(net)
    await pair.server[Symbol.asyncDispose]()
    await assert.rejects(async () => {
      for (let i = 0; i < 10_000; i++) {
        await pair.client.write(Buffer.alloc(65_536))
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
  })

  spec('without a listener the dial is refused', async (net) => {
    const listener = await net.listenTls({ host: HOST, port: 0, identity: serverIdentity }, () => {})
    await listener[Symbol.asyncDispose]()
    await assert.rejects(dial(net, listener.port), { code: 'ECONNREFUSED' })
  })

  spec('a port is bound once, and free again after', async (net) => {
    const first = await net.listenTls({ host: HOST, port: 0, identity: serverIdentity }, () => {})
    assert.ok(first.port > 0)
    const again = { host: HOST, port: first.port, identity: serverIdentity }
    await assert.rejects(
      net.listenTls(again, () => {}),
      { code: 'EADDRINUSE' },
    )
    await first[Symbol.asyncDispose]()
    const second = await net.listenTls(again, () => {})
    await second[Symbol.asyncDispose]()
  })

  spec('closing a listener keeps its streams', async (net) => {
    await using pair = await connect(net)
    await pair.listener[Symbol.asyncDispose]()
    await pair.client.write(Buffer.from('still here'))
    assert.equal((await receive(pair.server, 10)).toString(), 'still here')
  })

  spec('an abort ends a dial with its reason and leaves no listener on the signal', async (net) => {
    const reason = new Error('stopping')
    await assert.rejects(dial(net, 1, AbortSignal.abort(reason)), (error) => error === reason)
    const stop = new AbortController()
    await using pair = await connect(net, stop.signal)
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
    stop.abort() // too late: the stream belongs to the caller
    await pair.client.write(Buffer.from('x'))
    assert.equal((await receive(pair.server, 1)).toString(), 'x')
  })
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

interface Pair extends AsyncDisposable {
  readonly client: TlsStream
  readonly server: TlsStream
  readonly listener: AsyncDisposable
}

async function connect(net: Net, signal: AbortSignal = NEVER): Promise<Pair> {
  const arrived = Promise.withResolvers<TlsStream>()
  const options = { host: HOST, port: 0, identity: serverIdentity }
  const listener = await net.listenTls(options, (stream) => arrived.resolve(stream))
  const client = await dial(net, listener.port, signal)
  const server = await arrived.promise
  return {
    client,
    server,
    listener,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await listener[Symbol.asyncDispose]()
    },
  }
}

function dial(net: Net, port: number, signal: AbortSignal = NEVER): Promise<TlsStream> {
  return net.dialTls({ host: HOST, port, identity: clientIdentity }, signal)
}

async function sendInPieces(stream: TlsStream, data: Buffer): Promise<void> {
  for (let at = 0, size = 1; at < data.length; at += size, size = size * 3 + 1) {
    await stream.write(data.subarray(at, at + size))
  }
}

async function receive(stream: TlsStream, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let got = 0; got < count;) {
    const chunk = await stream.read()
    assert.ok(chunk !== undefined, `ended after ${got} of ${count} bytes`)
    chunks.push(chunk)
    got += chunk.length
  }
  return Buffer.concat(chunks)
}

function noise(count: number, seed: number): Buffer {
  const data = Buffer.alloc(count)
  for (let i = 0, state = seed; i < count; i++) {
    state = Math.imul(state, 1_103_515_245) + 12_345
    data[i] = state >>> 16
  }
  return data
}

function fingerprint(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('hex')
}

function fingerprintOf(identity: Identity): string {
  return fingerprint(new X509Certificate(identity.certificatePem).raw)
}
