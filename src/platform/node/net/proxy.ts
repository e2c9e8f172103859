import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { parseIp } from '../../../core/network/ip.ts'
import { NetError } from '../../net-error.ts'
import type { Proxy } from '../../net.ts'

/** Limit of the reply of a proxy before the connection is established. */
const REPLY_BYTES_MAX = 16 * 1024
const SOCKS_VERSION = 5
const SOCKS_NO_AUTHENTICATION = 0
const SOCKS_PASSWORD = 2
const SOCKS_REFUSALS: readonly string[] = [
  '',
  'general failure',
  'not allowed',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'time to live expired',
  'command not supported',
  'address type not supported',
]

export interface TcpTarget {
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
}

/** Both reject as soon as the signal aborts, and leave no socket behind. */
export async function connectTcp(
  { host, port, family, localHost }: TcpTarget & { readonly localHost?: string },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectSocket({
    host,
    port,
    ...(family !== undefined && { family }),
    ...(localHost !== undefined && { localAddress: localHost }),
  })
  return await guarded(socket, signal, (events) => events.until('connect'))
}

/** A connection to the target through a proxy, which can read the data. */
export async function connectThrough(proxy: Proxy, target: TcpTarget, signal: AbortSignal): Promise<Socket> {
  const plain = await connectTcp({ host: proxy.host, port: proxy.port }, signal)
  const socket = proxy.kind === 'https' ? await secured(plain, proxy.host, signal) : plain
  return await guarded(socket, signal, (events) =>
    proxy.kind === 'socks5'
      ? handshakeSocks(socket, events, proxy, target)
      : handshakeHttp(socket, events, proxy, target),
  )
}

/** The certificate of the proxy is checked as that of any web server. */
async function secured(plain: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const socket = connectTls({ socket: plain, ...(isIP(host) === 0 && { servername: host }) })
  return await guarded(socket, signal, (events) => events.until('secureConnect'))
}

/** Events and data of a socket, awaited sequentially. */
interface SocketEvents {
  until(event: string): Promise<void>
  /** At least one byte, which is consumed. */
  read(): Promise<Buffer>
}

async function guarded(
  socket: Socket,
  signal: AbortSignal,
  act: (events: SocketEvents) => Promise<void>,
): Promise<Socket> {
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {}) // there may be no pending wait
  const onAbort = (): void => ended.reject(signal.reason)
  const onError = (error: Error): void => ended.reject(error)
  const onClose = (): void => ended.reject(new NetError('ECONNRESET', 'connection lost'))
  const until = (event: string): Promise<void> => {
    const happened = Promise.withResolvers<void>()
    socket.once(event, happened.resolve)
    return Promise.race([happened.promise, ended.promise]).finally(() => socket.removeListener(event, happened.resolve))
  }
  const read = async (): Promise<Buffer> => {
    for (;;) {
      const chunk: unknown = socket.read()
      if (Buffer.isBuffer(chunk)) return chunk
      if (socket.readableEnded) throw new NetError('ECONNRESET', 'the proxy hung up')
      await until('readable')
    }
  }
  signal.addEventListener('abort', onAbort)
  socket.on('error', onError)
  socket.on('close', onClose)
  try {
    signal.throwIfAborted()
    await act({ until, read })
    socket.on('error', () => {}) // until the receiver of the socket adds its own listener
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.removeListener('error', onError)
    socket.removeListener('close', onClose)
  }
}

async function handshakeSocks(socket: Socket, events: SocketEvents, proxy: Proxy, target: TcpTarget): Promise<void> {
  const reader = new Reader(events)
  const methods = proxy.user === '' ? [SOCKS_NO_AUTHENTICATION] : [SOCKS_NO_AUTHENTICATION, SOCKS_PASSWORD]
  socket.write(Uint8Array.of(SOCKS_VERSION, methods.length, ...methods))
  const [version, method] = await reader.take(2)
  if (version !== SOCKS_VERSION) throw new NetError('EPROTO', 'the proxy does not support SOCKS 5')
  if (method === SOCKS_PASSWORD && proxy.user !== '') {
    socket.write(Buffer.concat([Uint8Array.of(1), lengthAndText(proxy.user), lengthAndText(proxy.password)]))
    if ((await reader.take(2))[1] !== 0) throw new NetError('EACCES', 'the proxy does not know the user or password')
  } else if (method !== SOCKS_NO_AUTHENTICATION) {
    throw new NetError('EACCES', 'the proxy wants a user and a password')
  }
  const port = Buffer.alloc(2)
  port.writeUInt16BE(target.port)
  socket.write(Buffer.concat([Uint8Array.of(SOCKS_VERSION, 1, 0), socksHost(target.host), port]))
  const [, reply = 1, , addressType] = await reader.take(4)
  if (reply !== 0)
    throw new NetError('ECONNREFUSED', `the proxy refused the connection: ${SOCKS_REFUSALS[reply] ?? `error ${reply}`}`)
  const boundLength = addressType === 1 ? 4 : addressType === 4 ? 16 : ((await reader.take(1))[0] ?? 0)
  await reader.take(boundLength + 2)
  reader.expectNothing()
}

/** Names are resolved by the proxy. */
function socksHost(host: string): Buffer {
  const address = parseIp(host)
  if (address === undefined) return Buffer.concat([Uint8Array.of(3), lengthAndText(host)])
  const [type, digits] = address.family === 4 ? (['01', 8] as const) : (['04', 32] as const)
  return Buffer.from(type + address.value.toString(16).padStart(digits, '0'), 'hex')
}

function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) throw new NetError('EINVAL', 'too long for a SOCKS proxy')
  return Buffer.concat([Uint8Array.of(bytes.length), bytes])
}

async function handshakeHttp(socket: Socket, events: SocketEvents, proxy: Proxy, target: TcpTarget): Promise<void> {
  const authority = target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`
  const secret = Buffer.from(`${proxy.user}:${proxy.password}`).toString('base64')
  const authorization = proxy.user === '' ? '' : `Proxy-Authorization: Basic ${secret}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`)
  let reply = Buffer.alloc(0)
  while (!reply.includes('\r\n\r\n')) {
    if (reply.length > REPLY_BYTES_MAX) throw new NetError('EPROTO', 'the reply of the proxy is too long')
    reply = Buffer.concat([reply, await events.read()])
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(reply.toString('latin1', 0, 64))?.[1]
  if (status === undefined) throw new NetError('EPROTO', 'the proxy does not support HTTP')
  if (!status.startsWith('2')) throw new NetError('ECONNREFUSED', `the proxy answers ${status}`)
  if (reply.indexOf('\r\n\r\n') + 4 !== reply.length) throw new NetError('EPROTO', 'the reply of the proxy is too long')
}

/** Reads exactly the requested number of bytes. */
class Reader {
  readonly #events: SocketEvents
  #held = Buffer.alloc(0)

  constructor(events: SocketEvents) {
    this.#events = events
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) this.#held = Buffer.concat([this.#held, await this.#events.read()])
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  /** The target sends after us, so extra bytes come from the proxy. */
  expectNothing(): void {
    if (this.#held.length > 0) throw new NetError('EPROTO', 'the reply of the proxy is too long')
  }
}
