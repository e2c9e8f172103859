import type { Socket } from 'node:net'
import { connect, createServer, type ConnectionOptions, type TLSSocket, type TlsOptions } from 'node:tls'
import { closedHereError, NetError } from '../../net-error.ts'
import type { Identity, PlainStream, TlsRole, TlsStream } from '../../net.ts'
import { runDialogue } from './tcp.ts'

/** What TLS needs from its caller, so that direct and relayed connections have the same settings. */
export interface TlsSetup {
  clientOptions(settings: { readonly identity: Identity; readonly allowTls12?: boolean }): ConnectionOptions
  serverOptions(settings: { readonly identity: Identity; readonly allowTls12?: boolean }): TlsOptions
  stream(socket: TLSSocket): TlsStream
}

/** A TCP socket before TLS runs over it. */
export class NodePlainStream implements PlainStream {
  readonly remoteAddress: string
  readonly #socket: Socket
  readonly #setup: TlsSetup

  constructor(socket: Socket, remoteAddress: string, setup: TlsSetup) {
    this.#socket = socket
    this.remoteAddress = remoteAddress
    this.#setup = setup
  }

  async take(count: number, signal: AbortSignal): Promise<Uint8Array> {
    let taken: Uint8Array | undefined
    await runDialogue(this.#socket, signal, async (events) => {
      taken = await events.take(count)
    })
    return taken ?? new Uint8Array()
  }

  async write(data: Uint8Array): Promise<void> {
    if (!this.#socket.writable) throw new NetError('EPIPE', 'the peer takes no more')
    this.#socket.write(data)
  }

  async secure(
    role: TlsRole,
    settings: { readonly identity: Identity; readonly allowTls12?: boolean },
    signal: AbortSignal,
  ): Promise<TlsStream> {
    const { clientOptions, serverOptions } = this.#setup
    const onAbort = (): void => void this.#socket.destroy()
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      if (this.#socket.destroyed) throw closedHereError()
      const socket =
        role === 'client'
          ? await asClient(this.#socket, clientOptions(settings))
          : await asServer(this.#socket, serverOptions(settings))
      return this.#setup.stream(socket)
    } catch (error) {
      this.#socket.destroy()
      signal.throwIfAborted() // the contract requires the caller's reason
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }
}

async function asClient(raw: Socket, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ ...options, socket: raw, servername: '' })
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  socket.once('secureConnect', () => resolve(socket))
  socket.on('error', reject) // has no effect after the handshake
  raw.once('close', () => reject(new NetError('ECONNRESET', 'connection lost'))) // the same
  return await promise
}

async function asServer(raw: Socket, options: TlsOptions): Promise<TLSSocket> {
  const server = createServer(options)
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  server.once('secureConnection', resolve)
  server.once('tlsClientError', (error, socket) => {
    socket.destroy()
    reject(error)
  })
  raw.once('close', () => reject(new NetError('ECONNRESET', 'connection lost'))) // has no effect after the handshake
  server.emit('connection', raw)
  return await promise
}
