import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Proxy, TlsStream } from '../../src/platform/net.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { missingProgram } from '../support/debian.ts'

// Tests against a real SOCKS server from Debian, independent of our own implementation of the protocol.
const skip = missingProgram('microsocks', 'microsocks') ?? false
const HOST = '127.0.0.1'
const NEVER = new AbortController().signal
const identity = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'Ed25519',
  lifetimeDays: 365,
  nowMs: Date.now(),
  serial: new Uint8Array(8),
})

async function unusedPort(): Promise<number> {
  const server = createServer().listen({ host: HOST, port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function microsocks(...login: string[]): Promise<AsyncDisposable & { readonly port: number }> {
  const port = await unusedPort()
  const server = spawn('microsocks', ['-i', HOST, '-p', String(port), ...login], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  for (let attempt = 0; ; attempt++) {
    const socket = connect({ host: HOST, port })
    try {
      await once(socket, 'connect')
      break
    } catch (error) {
      if (attempt === 200 || server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 25))
    } finally {
      socket.destroy()
    }
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.kill()
      await ended
    },
  }
}

/** Exchanges a message with a device through the proxy. */
async function exchange(
  proxyPort: number,
  { listenOn = HOST, host = HOST, user = '', password = '' } = {},
): Promise<void> {
  const proxy: Proxy = { kind: 'socks5', host: HOST, port: proxyPort, user, password }
  const arrived = Promise.withResolvers<TlsStream>()
  await using listener = await nodeNet.listenTls({ host: listenOn, port: 0, identity }, arrived.resolve)
  await using stream = await nodeNet.dialTls({ host, port: listener.port, identity, proxy }, NEVER)
  await stream.write(Buffer.from('hello'))
  await using far = await arrived.promise
  assert.equal(Buffer.from((await far.read()) ?? []).toString(), 'hello')
  await far.write(Buffer.from('there'))
  assert.equal(Buffer.from((await stream.read()) ?? []).toString(), 'there')
}

test('a real SOCKS server: addresses of both families, and names resolved by the server', { skip }, async () => {
  await using server = await microsocks()
  await exchange(server.port)
  await exchange(server.port, { host: 'localhost' })
  await exchange(server.port, { listenOn: '::1', host: '::1' })
})

test('a real SOCKS server with a password', { skip }, async () => {
  await using server = await microsocks('-u', 'me', '-P', 's3cret')
  await exchange(server.port, { user: 'me', password: 's3cret' })
  await assert.rejects(exchange(server.port, { user: 'me', password: 'wrong' }), { code: 'EACCES' })
  await assert.rejects(exchange(server.port), { code: 'EACCES' })
})

test('a real SOCKS server reports why it cannot reach the device', { skip }, async () => {
  await using server = await microsocks()
  const proxy: Proxy = { kind: 'socks5', host: HOST, port: server.port, user: '', password: '' }
  const dialing = nodeNet.dialTls({ host: HOST, port: await unusedPort(), identity, proxy }, NEVER)
  await assert.rejects(dialing, { code: 'ECONNREFUSED', message: /connection refused/ })
})
