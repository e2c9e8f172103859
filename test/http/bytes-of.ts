import { simRequest } from '../../src/platform/sim/http.ts'
import { KEY, type fakeRest } from './fakes.ts'

/** The raw body of a reply, for replies that are not text. */
export async function bytesOf(rest: ReturnType<typeof fakeRest>, target: string): Promise<Buffer> {
  const reply = await rest.server.handler(
    simRequest(
      { method: 'GET', target, headers: { 'X-API-Key': KEY } },
      { signal: new AbortController().signal, unixSocket: false, host: '127.0.0.1:8384' },
    ),
  )
  const pieces: Buffer[] = []
  const body = reply.body ?? ''
  if (typeof body === 'string' || body instanceof Uint8Array) pieces.push(Buffer.from(body))
  else for await (const piece of body) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
