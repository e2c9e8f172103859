import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates } from 'node:tls'
import type { DialDirectory, DirectoryOptions, DirectoryStream } from '../../directory.ts'
import { NetError } from '../../net-error.ts'

export const dialDirectory: DialDirectory = async (options, signal) => {
  const { host, port, isTls } = options
  const socket = connectTcp({ host, port })
  const stream = new NodeDirectoryStream(socket, options)
  try {
    await settled(socket, 'connect', signal)
    if (isTls) await stream.startTls(signal)
    return stream
  } catch (error) {
    await stream[Symbol.asyncDispose]()
    throw error
  }
}

/** Reads only what is asked for: what a server sends beyond it stays in the bounded buffer of the socket. */
class NodeDirectoryStream implements DirectoryStream {
  #socket: Socket
  readonly #options: DirectoryOptions

  constructor(socket: Socket, options: DirectoryOptions) {
    this.#socket = socket.on('error', () => {}) // reads and writes report it
    this.#options = options
  }

  async take(count: number, signal: AbortSignal): Promise<Uint8Array> {
    const pieces: Buffer[] = []
    for (let missing = count; missing > 0;) {
      if (this.#socket.errored !== null) throw this.#socket.errored
      const piece = this.#socket.read(Math.min(missing, this.#socket.readableLength || missing)) as Buffer | null
      if (piece !== null) {
        pieces.push(piece)
        missing -= piece.length
      } else if (this.#socket.readableEnded || this.#socket.destroyed) {
        throw new NetError('ECONNRESET', 'the directory server closed the connection')
      } else await this.#readable(signal)
    }
    return Buffer.concat(pieces)
  }

  async #readable(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const events = ['readable', 'end', 'close'].map((name) => once(this.#socket, name, { signal: either }))
    try {
      await Promise.race(events)
    } finally {
      over.abort()
      await Promise.allSettled(events)
    }
  }

  async write(data: Uint8Array): Promise<void> {
    if (!this.#socket.writable) throw new NetError('EPIPE', 'the directory server takes no more')
    this.#socket.write(data)
  }

  async startTls(signal: AbortSignal): Promise<void> {
    if (this.#socket.readableLength > 0) throw new NetError('EPROTO', 'the directory server sent data before TLS')
    const { host, isVerified } = this.#options
    const socket = connectTls({
      socket: this.#socket,
      // Authorities of an organisation are those of the system.
      ca: [...getCACertificates('default'), ...getCACertificates('system')],
      rejectUnauthorized: isVerified,
      host,
      ...(isIP(host) === 0 && { servername: host }),
    })
    this.#socket = socket.on('error', () => {}) // `settled` and reads report it
    await settled(socket, 'secureConnect', signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }
}

/** Resolves with the event; rejects on an error, a close, or the abort, which ends the socket. */
async function settled(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onClose = () =>
    reject(socket.errored ?? new NetError('ECONNRESET', 'the directory server closed the connection'))
  socket.once('close', onClose)
  try {
    await Promise.race([once(socket, event, { signal }), promise])
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    socket.off('close', onClose)
  }
}
