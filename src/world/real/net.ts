import { constants } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type ConnectionOptions, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import { NetError } from '../net-error.ts'
import type { Identity, Net } from '../net.ts'
import { RealTlsStream } from './tls-stream.ts'

const PROTOCOL = 'bep/1.0'
const HANDSHAKE_MS_MAX = 10_000
/** Strangers can open connections too; beyond this they are turned away. */
const CONNECTION_COUNT_MAX = 1_024

export const realNet: Net = {
  async listenTls({ host, port, identity }, onStream) {
    let open = true
    const server = createServer({ ...tlsOptions(identity), handshakeTimeout: HANDSHAKE_MS_MAX }, (socket) => {
      const stream = open ? streamOver(socket) : undefined
      if (stream === undefined) socket.destroy()
      else onStream(stream)
    })
    server.maxConnections = CONNECTION_COUNT_MAX
    server.on('tlsClientError', (_error, socket) => socket.destroy()) // not one of us, or somebody who scans ports
    server.listen({ host, port })
    await once(server, 'listening')
    server.on('error', () => {}) // a failed accept concerns one caller, who will call again
    const stop = async (): Promise<void> => {
      open = false
      server.close() // what is connected stays connected: streams belong to whoever got them
    }
    return { port: portOf(server), [Symbol.asyncDispose]: stop }
  },

  async dialTls({ host, port, identity }, signal) {
    signal.throwIfAborted()
    const socket = connect({ ...tlsOptions(identity), host, port, servername: '' })
    const onAbort = (): void => void socket.destroy(new NetError('ECONNABORTED', 'given up'))
    signal.addEventListener('abort', onAbort)
    socket.setTimeout(HANDSHAKE_MS_MAX, () => socket.destroy(new NetError('ETIMEDOUT', 'no answer')))
    try {
      await once(socket, 'secureConnect')
      socket.setTimeout(0)
      const stream = streamOver(socket)
      if (stream === undefined) throw new NetError('EPROTO', 'the peer showed no certificate')
      return stream
    } catch (error) {
      socket.destroy()
      signal.throwIfAborted() // the contract promises the caller's reason
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  },
}

/** Certificates are self-signed: who the peer is follows from the certificate itself, and our caller decides. */
function tlsOptions(identity: Identity): TlsOptions & ConnectionOptions {
  return {
    cert: identity.certificatePem,
    key: identity.keyPem,
    minVersion: 'TLSv1.2',
    ALPNProtocols: [PROTOCOL],
    requestCert: true,
    rejectUnauthorized: false,
    // A resumed session would carry a peer's identity over from another handshake.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }
}

/** Undefined for a peer without a certificate: nobody to talk to. */
function streamOver(socket: TLSSocket): RealTlsStream | undefined {
  socket.on('error', () => {}) // the stream hears it too; without anybody listening it would end the process
  const certificate: Buffer | undefined = socket.getPeerCertificate().raw
  return certificate === undefined ? undefined : new RealTlsStream(socket, new Uint8Array(certificate))
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new NetError('EINVAL', 'not listening on a port')
  return address.port
}
