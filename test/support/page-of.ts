import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

/** What a page asks the program for; all other paths are files of the page. */
const INTERFACE = /^\/(?:rest\/|qr\/|meta\.js|themes\.json|metrics)/

export interface PageSockets {
  /** The socket of the program whose page is served. */
  readonly page: string
  /** The socket of the program that replies to the page. */
  readonly replies: string
}

/** The page of one program on the interface of another: an address for a browser, which forwards to both. */
export async function pageOf({ page, replies }: PageSockets): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    const done = path === '/' ? root({ page, replies }, incoming, outgoing) : undefined
    const socketPath = INTERFACE.test(path) ? replies : page
    ;(done ?? forward(socketPath, incoming, outgoing, {})).catch(() => outgoing.destroy())
  })
  return {
    ...(await listening(server)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The text of one page with the cookie of the other program, which its requests have to prove. */
async function root(
  { page, replies }: PageSockets,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const other = await reply(replies, incoming)
  other.resume()
  await forward(page, incoming, outgoing, { 'set-cookie': other.headers['set-cookie'] })
}

async function forward(
  socketPath: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  more: IncomingHttpHeaders,
): Promise<void> {
  const found = await reply(socketPath, incoming)
  const headers = Object.entries({ ...found.headers, ...more }).filter(([, value]) => value !== undefined)
  outgoing.writeHead(found.statusCode ?? 502, Object.fromEntries(headers))
  found.pipe(outgoing)
}

async function reply(socketPath: string, incoming: IncomingMessage): Promise<IncomingMessage> {
  const asked = request({ socketPath, path: incoming.url, method: incoming.method, headers: incoming.headers })
  incoming.pipe(asked)
  incoming.on('close', () => incoming.complete || asked.destroy())
  const [found] = (await once(asked, 'response')) as [IncomingMessage]
  return found
}
