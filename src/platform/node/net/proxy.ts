import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { parseIp } from '../../../core/network/ip.ts'
import { proxyError } from '../../net-error.ts'
import type { Proxy } from '../../net.ts'
import { connectTcp, runDialogue, type SocketEvents, type TcpTarget } from './tcp.ts'

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

/** A connection to the target through a proxy, which can read the data. */
export async function connectThrough(proxy: Proxy, target: TcpTarget, signal: AbortSignal): Promise<Socket> {
  const plain = await connectTcp({ host: proxy.host, port: proxy.port }, signal)
  const socket = proxy.kind === 'https' ? await secured(plain, proxy.host, signal) : plain
  return await runDialogue(socket, signal, (events) =>
    proxy.kind === 'socks5'
      ? handshakeSocks(socket, events, proxy, target)
      : handshakeHttp(socket, events, proxy, target),
  )
}

/** The certificate of the proxy is checked as that of any web server. */
async function secured(plain: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const socket = connectTls({ socket: plain, ...(isIP(host) === 0 && { servername: host }) })
  return await runDialogue(socket, signal, (events) => events.until('secureConnect'))
}

async function handshakeSocks(socket: Socket, events: SocketEvents, proxy: Proxy, target: TcpTarget): Promise<void> {
  const methods = proxy.user === '' ? [SOCKS_NO_AUTHENTICATION] : [SOCKS_NO_AUTHENTICATION, SOCKS_PASSWORD]
  socket.write(Uint8Array.of(SOCKS_VERSION, methods.length, ...methods)) // at most two
  const [version, method] = await events.take(2)
  if (version !== SOCKS_VERSION) throw proxyError('EPROTO', 'the proxy does not support SOCKS 5')
  if (method === SOCKS_PASSWORD && proxy.user !== '') {
    socket.write(Buffer.concat([Uint8Array.of(1), lengthAndText(proxy.user), lengthAndText(proxy.password)]))
    if ((await events.take(2))[1] !== 0) throw proxyError('EACCES', 'the proxy does not know the user or password')
  } else if (method !== SOCKS_NO_AUTHENTICATION) {
    throw proxyError('EACCES', 'the proxy wants a user and a password')
  }
  const port = Buffer.alloc(2)
  port.writeUInt16BE(target.port)
  socket.write(Buffer.concat([Uint8Array.of(SOCKS_VERSION, 1, 0), socksHost(target.host), port]))
  const [, reply = 1, , addressType] = await events.take(4)
  if (reply !== 0)
    throw proxyError('ECONNREFUSED', `the proxy refused the connection: ${SOCKS_REFUSALS[reply] ?? `error ${reply}`}`)
  const boundLength = addressType === 1 ? 4 : addressType === 4 ? 16 : ((await events.take(1))[0] ?? 0)
  await events.take(boundLength + 2)
  // The target sends after us, so extra bytes come from the proxy.
  if (socket.readableLength > 0) throw proxyError('EPROTO', 'the reply of the proxy is too long')
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
  if (bytes.length > 255) throw proxyError('EINVAL', 'too long for a SOCKS proxy')
  return Buffer.concat([Uint8Array.of(bytes.length), bytes])
}

async function handshakeHttp(socket: Socket, events: SocketEvents, proxy: Proxy, target: TcpTarget): Promise<void> {
  const authority = target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`
  const secret = Buffer.from(`${proxy.user}:${proxy.password}`).toString('base64')
  const authorization = proxy.user === '' ? '' : `Proxy-Authorization: Basic ${secret}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`)
  let reply = Buffer.alloc(0)
  while (!reply.includes('\r\n\r\n')) {
    if (reply.length > REPLY_BYTES_MAX) throw proxyError('EPROTO', 'the reply of the proxy is too long')
    reply = Buffer.concat([reply, await events.read()])
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(reply.toString('latin1', 0, 64))?.[1]
  if (status === undefined) throw proxyError('EPROTO', 'the proxy does not support HTTP')
  if (!status.startsWith('2')) throw proxyError('ECONNREFUSED', `the proxy answers ${status}`)
  if (reply.indexOf('\r\n\r\n') + 4 !== reply.length) throw proxyError('EPROTO', 'the reply of the proxy is too long')
}
