import { connect, createServer } from 'node:net'
import { listening } from './listening.ts'

/** The page of a device without a network to the outside, which a browser cannot reach: a UNIX socket connects them. */
export async function socketProxy(socketPath: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((outside) => {
    const inside = connect(socketPath)
    for (const [from, to] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  return {
    ...(await listening(server)),
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
