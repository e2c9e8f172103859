import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:net'

/** Starts a server on a free port of loopback; the address is one for a browser. */
export async function listening(server: Server): Promise<{ readonly url: string }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { url: `http://127.0.0.1:${address.port}` }
}
