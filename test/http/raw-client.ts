import { connect, type Socket } from 'node:net'
import type { HttpHandler } from '../../src/platform/http.ts'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import { fakeRest, KEY } from './fakes.ts'

const WAIT_MS = 20_000

/** Sends bytes, reads until the peer closes or the condition holds. */
export async function exchange(
  address: string,
  bytes: string | Uint8Array,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  const socket = open(address)
  const { promise, resolve } = Promise.withResolvers<void>()
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    if (enough(text)) resolve()
  })
  socket.on('close', () => resolve())
  socket.on('error', () => resolve())
  socket.write(bytes)
  const timer = setTimeout(resolve, WAIT_MS)
  await promise
  clearTimeout(timer)
  socket.destroy()
  return text
}

export function open(address: string): Socket {
  if (address.startsWith('/')) return connect({ path: address })
  const [host = '', port = ''] = address.split(':')
  return connect({ host, port: Number(port) })
}

/** The whole pipeline behind a real socket. */
export async function served(fake: Parameters<typeof fakeRest>[0] = {}) {
  const rest = fakeRest(fake)
  const seen: string[] = []
  const handler: HttpHandler = (request) => {
    seen.push(`${request.method} ${request.target.slice(0, 60)}`)
    return rest.server.handler(request)
  }
  const listener = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, handler)
  return {
    ...rest,
    seen,
    address: listener.address,
    [Symbol.asyncDispose]: async () => await listener[Symbol.asyncDispose](),
  }
}

export const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
export const head = (target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n${more}`
export const isComplete = (text: string) => /\r\n\r\n[^]*\n$/.test(text)
