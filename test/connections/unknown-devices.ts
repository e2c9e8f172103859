import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { makeCertificate } from '../../src/main/home/certificate.ts'

// Unknown devices in a separate process: `count` at once, a line when they are connected, then one more every 5 ms
// until killed. A third sends nothing, a third one byte of TLS a second, a third nothing after the TLS handshake.

const [port = 0, count = 0] = process.argv.slice(2).map(Number)
const own = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'Ed25519',
  lifetimeDays: 365,
  nowMs: Date.now(),
  serial: new Uint8Array(8),
})

function connectUnknown(kind: number): Socket {
  const options = { host: '127.0.0.1', port, localAddress: `127.0.0.${1 + (kind % 2)}` }
  const isAuthenticated = kind % 3 === 2
  const tls = { cert: own.certificatePem, key: own.keyPem, rejectUnauthorized: false, ALPNProtocols: ['bep/1.0'] }
  const socket = isAuthenticated ? connectTls({ ...options, ...tls }) : connectTcp(options)
  if (kind % 3 === 1) {
    const hello = Buffer.from('16030102000100', 'hex')
    let at = 0
    const timer = setInterval(() => socket.write(Uint8Array.of(hello[at++ % hello.length] ?? 0)), 1_000)
    socket.on('close', () => clearInterval(timer))
  }
  socket.on('error', () => {})
  socket.resume()
  return socket
}

const sockets: Socket[] = []
for (let i = 0; i < count; i++) {
  sockets.push(connectUnknown(i))
  if (i % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 5))
}
await Promise.all(
  sockets.map(async (socket) => {
    if (!socket.connecting || socket.destroyed) return
    await Promise.race([once(socket, 'connect'), new Promise((resolve) => socket.once('close', resolve))]).catch(
      () => {},
    )
  }),
)
console.log('there')
// A socket that is still connecting does not count.
const open = () => sockets.filter((socket) => !socket.destroyed && !socket.connecting).length
setInterval(() => void sockets.push(connectUnknown(sockets.length)), 5)
process.stdin.on('data', () => console.log(open()))
