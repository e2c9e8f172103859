import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpReply } from '../../http.ts'

/** Limit of an unread body that is discarded before closing; about the size of the network buffers. */
const DRAIN_BYTES_MAX = 256 * 1024
const DRAIN_MS_MAX = 500

/** Sends a reply. Resolves when it is sent or the client has disconnected; never rejects because of a client. */
export function sendReply(incoming: IncomingMessage, response: ServerResponse, reply: HttpReply): void | Promise<void> {
  if (response.destroyed) return
  const { body, status } = reply
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    return sendStream(response, reply, body)
  }
  const bodiless = status === 204 || status === 304
  const sizeBytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  // A reply to HEAD has the length of the body that it does not have.
  const hasLength = bodiless || (body === undefined && reply.headers['Content-Length'] !== undefined)
  const headers = hasLength ? reply.headers : withLength(reply.headers, sizeBytes)

  if (incoming.complete || hasNoBody(incoming)) {
    response.writeHead(status, outgoing(headers))
    response.end(bodiless ? undefined : body)
    return
  }
  return sendThenDrain(incoming, response, { status, headers, ...(body === undefined || bodiless ? {} : { body }) })
}

/** One object for writeHead, made in one step: this runs for every request. */
function withLength(headers: HttpReply['headers'], sizeBytes: number): HttpReply['headers'] {
  return { ...headers, 'Content-Length': String(sizeBytes) }
}

/** node:http requires mutable lists. */
function outgoing(headers: HttpReply['headers']): Record<string, string | string[]> {
  return headers as Record<string, string | string[]>
}

function hasNoBody(incoming: IncomingMessage): boolean {
  const length = incoming.headers['content-length']
  return incoming.headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
}

/**
 * The client is still sending a body that is not read. Closing at once would reset the connection and the client could
 * lose the reply, so the reply is sent first, some data discarded, and then the connection closed.
 */
async function sendThenDrain(
  incoming: IncomingMessage,
  response: ServerResponse,
  reply: { readonly status: number; readonly headers: HttpReply['headers']; readonly body?: string | Uint8Array },
): Promise<void> {
  const lengthBytes = Number(incoming.headers['content-length'] ?? Infinity)
  // With `Expect`, the client may send a body or not, which is indistinguishable from the next request.
  if (lengthBytes <= DRAIN_BYTES_MAX && incoming.headers.expect === undefined) {
    response.writeHead(reply.status, outgoing(reply.headers))
    response.end(reply.body)
    return
  }
  response.writeHead(reply.status, outgoing({ ...reply.headers, Connection: 'close' }))
  response.flushHeaders()
  if (reply.body !== undefined) response.write(reply.body)

  let drainedBytes = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  incoming.on('data', (piece: Buffer) => {
    drainedBytes += piece.length
    if (drainedBytes > DRAIN_BYTES_MAX) resolve()
  })
  incoming.once('end', resolve).once('close', resolve)
  incoming.resume()
  const timer = new AbortController()
  await Promise.race([promise, sleep(DRAIN_MS_MAX, undefined, { signal: timer.signal, ref: false }).catch(() => {})])
  timer.abort()
  response.end(() => incoming.socket.destroy())
}

/** Sends headers immediately, so that a long poll receives its status; applies backpressure to the source. */
async function sendStream(
  response: ServerResponse,
  reply: HttpReply,
  body: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  response.writeHead(reply.status, outgoing(reply.headers))
  response.flushHeaders()
  const gone = new AbortController()
  const onClose = () => gone.abort()
  response.once('close', onClose)
  try {
    for await (const piece of body) {
      if (response.destroyed) return
      if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal }).catch(() => {})
      if (response.destroyed) return
    }
    response.end()
  } catch {
    // The source failed after the headers were sent: only a closed connection can signal that.
    response.destroy()
  } finally {
    response.off('close', onClose)
  }
}
