import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** The page of a device without a network to the outside, which a browser cannot reach: a UNIX socket connects them. */
export async function doorTo(socketPath: string): Promise<{ readonly url: string } & AsyncDisposable> {
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
