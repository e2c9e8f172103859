import { TwinfoldError } from '../../core/errors.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { Reply } from './reply.ts'

/** A request that ends with the grant of its sender, too. */
export function limitRequest(request: HttpRequest, ended: AbortSignal): HttpRequest {
  const { method, target, headers, remoteAddress, remotePort, secure, unixSocket } = request
  let signal: AbortSignal | undefined
  return {
    method,
    target,
    headers,
    remoteAddress,
    remotePort,
    secure,
    unixSocket,
    get signal() {
      signal ??= AbortSignal.any([request.signal, ended])
      return signal
    },
    body: (limitBytes) => request.body(limitBytes),
  }
}

/** A reply that is cut off when the grant of its receiver ends: a stream, a long poll, a download. */
export function limitReply(reply: Reply, isValid: () => boolean, ended: AbortSignal): Reply {
  const { body } = reply
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return reply
  return { ...reply, body: untilEnded(body, isValid, ended) }
}

async function* untilEnded<T>(body: AsyncIterable<T>, isValid: () => boolean, ended: AbortSignal): AsyncGenerator<T> {
  const pieces = body[Symbol.asyncIterator]()
  const { promise, resolve } = Promise.withResolvers<'ended'>()
  const end = () => resolve('ended')
  ended.addEventListener('abort', end)
  try {
    for (;;) {
      const next = pieces.next()
      const piece = await Promise.race([next, promise])
      if (piece === 'ended' || !isValid()) {
        next.catch(() => {}) // it ends with the request
        throw new TwinfoldError('stopped', 'the key was revoked or has expired')
      }
      if (piece.done === true) return
      yield piece.value
    }
  } finally {
    ended.removeEventListener('abort', end)
    const closed = Promise.resolve(pieces.return?.()).catch(() => {}) // its failure has no reader any more
    if (!ended.aborted) await closed
  }
}
