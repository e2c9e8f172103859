import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createPlainServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import { nodeTransport, type Trust } from '../../src/client/node.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { scratchDirectory } from '../support/scratch.ts'

const serial = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
const certificate = () =>
  makeCertificate({ commonName: 'localhost', keyType: 'P-256', lifetimeDays: 2, nowMs: Date.now(), serial })

/** A TLS daemon on a port that also records plain bytes. */
async function withTls(
  work: (port: number, certificatePem: string, seen: { keys: unknown[]; plain: string }) => Promise<void>,
): Promise<void> {
  const { certificatePem, keyPem } = await certificate()
  const seen = { keys: [] as unknown[], plain: '' }
  const secure = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    seen.keys.push(request.headers['x-api-key'])
    response.end('{"ping":"pong"}')
  })
  const entry = createPlainServer((socket) => {
    socket.once('data', (first) => {
      if (first[0] !== 22) {
        seen.plain += first.toString('latin1')
        socket.destroy()
        return
      }
      socket.pause()
      socket.unshift(first)
      secure.emit('connection', socket)
    })
  })
  await new Promise<void>((resolve) => entry.listen(0, '127.0.0.1', resolve))
  const address = entry.address()
  try {
    await work(typeof address === 'object' && address !== null ? address.port : 0, certificatePem, seen)
  } finally {
    secure.closeAllConnections()
    await new Promise((resolve) => entry.close(resolve))
  }
}

const clientOf = (address: string, trust?: Trust) =>
  new Client({ transport: nodeTransport(address, trust === undefined ? {} : { trust }), apiKey: 'key' })
const isImpostor = (error: unknown) => error instanceof ClientError && error.failure === 'impostor'
const isUsage = (error: unknown) => error instanceof TwinfoldError && error.code === 'usage'

test('over TLS the key is sent only to the pinned certificate, by PEM or fingerprint', async () => {
  await withTls(async (port, certificatePem, seen) => {
    const { fingerprint256 } = new X509Certificate(certificatePem)
    const spellings = [
      fingerprint256,
      fingerprint256.toLowerCase(),
      fingerprint256.replaceAll(':', ''),
      ` ${fingerprint256} `,
    ]
    const trusted: readonly Trust[] = [{ certificatePem }, ...spellings.map((fingerprint) => ({ fingerprint })), 'any']
    for (const trust of trusted) await clientOf(`https://127.0.0.1:${port}`, trust).ping()
    assert.deepEqual(seen, { keys: trusted.map(() => 'key'), plain: '' })
  })
})

test('nothing is sent to another certificate than the pinned one, nor to an untrusted one', async () => {
  await withTls(async (port, _, seen) => {
    const { certificatePem } = await certificate()
    const { fingerprint256: fingerprint } = new X509Certificate(certificatePem)
    for (const trust of [{ certificatePem }, { fingerprint }, 'authorities', undefined] as const) {
      await assert.rejects(clientOf(`https://127.0.0.1:${port}`, trust).ping(), isImpostor)
    }
    assert.deepEqual(seen, { keys: [], plain: '' })
  })
})

test('an invalid pin is refused before any request', () => {
  for (const trust of [
    { certificatePem: 'x' },
    { fingerprint: '' },
    { fingerprint: 'ab'.repeat(20) },
    { fingerprint: 'x'.repeat(64) },
  ]) {
    assert.throws(() => nodeTransport('https://127.0.0.1:1', { trust }), isUsage)
  }
})

test('over a UNIX socket, plain and with TLS; the pin is checked there, too', async () => {
  using scratch = scratchDirectory()
  const { certificatePem, keyPem } = await certificate()
  const keys: unknown[] = []
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    keys.push(request.headers['x-api-key'])
    response.end('{"ping":"pong"}')
  }
  const plain = join(scratch.path, 'plain')
  const secure = join(scratch.path, 'secure')
  await using _plain = await listening(createHttpServer(handler), plain)
  await using _secure = await listening(createServer({ cert: certificatePem, key: keyPem }, handler), secure)
  await clientOf(`unix://${plain}`).ping()
  await clientOf(`unixs://${secure}`, { certificatePem }).ping()
  const other = (await certificate()).certificatePem
  await assert.rejects(clientOf(`unixs://${secure}`, { certificatePem: other }).ping(), isImpostor)
  assert.deepEqual(keys, ['key', 'key'])
})

async function listening(server: Server, path: string): Promise<AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())) }
}

test('a request aborted during the TLS handshake rejects with the reason of the signal', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const server = createPlainServer((socket) => {
    socket.on('error', () => {})
    stop.abort(reason)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const pending = clientOf(`https://127.0.0.1:${port}`, 'any').call('GET /rest/system/ping', { signal: stop.signal })
  await assert.rejects(pending, (error) => error === reason)
  await new Promise((resolve) => server.close(resolve))
})

test('a server without TLS is unreachable, and no key is sent to it', async () => {
  let seen = ''
  const server = createPlainServer((socket) => {
    socket.on('data', (data) => {
      seen += data.toString('latin1')
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = new Client({
    transport: nodeTransport(`https://127.0.0.1:${port}`, { trust: 'any' }),
    apiKey: 'secret-key',
  })
  await assert.rejects(client.ping(), (error) => error instanceof ClientError && error.failure === 'unreachable')
  assert.ok(!seen.includes('secret-key'))
  await new Promise((resolve) => server.close(resolve))
})
