import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { createServer as createPlainServer } from 'node:net'
import { test } from 'node:test'
import { nodeTransport } from '../../src/cli/node-transport.ts'
import { Client } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import { makeCertificate } from '../../src/main/certificate.ts'

const serial = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
const certificate = () => makeCertificate({ commonName: 'localhost', keyType: 'P-256', lifetimeDays: 2, nowMs: Date.now(), serial })

/** A daemon that speaks TLS on a port which also notes what comes in without it. */
async function withTls(work: (port: number, certificatePem: string, seen: { keys: unknown[]; plain: string }) => Promise<void>): Promise<void> {
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

test('over TLS the key goes to the known certificate, and never in plain', async () => {
  await withTls(async (port, certificatePem, seen) => {
    const endpoint = { secure: true, host: '127.0.0.1', port, certificatePem }
    await new Client({ transport: nodeTransport(endpoint), apiKey: 'key' }).ping()
    await new Client({ transport: nodeTransport({ secure: true, host: '127.0.0.1', port }), apiKey: 'key' }).ping()
    assert.deepEqual(seen, { keys: ['key', 'key'], plain: '' })
  })
})

test('another certificate than the known one gets nothing', async () => {
  await withTls(async (port, _, seen) => {
    const { certificatePem } = await certificate()
    const client = new Client({ transport: nodeTransport({ secure: true, host: '127.0.0.1', port, certificatePem }), apiKey: 'key' })
    await assert.rejects(client.ping(), (error) => error instanceof ClientError && error.failure === 'impostor')
    assert.deepEqual(seen, { keys: [], plain: '' })
  })
})

test('a server that does not speak TLS is unreachable, and gets no key', async () => {
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
  const client = new Client({ transport: nodeTransport({ secure: true, host: '127.0.0.1', port }), apiKey: 'secret-key' })
  await assert.rejects(client.ping(), (error) => error instanceof ClientError && error.failure === 'unreachable')
  assert.ok(!seen.includes('secret-key'))
  await new Promise((resolve) => server.close(resolve))
})
