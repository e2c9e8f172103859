import { createServer } from 'node:net'

/** Below the ephemeral port range, so that the system does not assign this port. */
const FIRST_PORT = 20_000
const PORT_COUNT = 10_000

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
