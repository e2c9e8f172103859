import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, isIPv4, type AddressInfo, type Server } from 'node:net'
import { test } from 'node:test'
import { bindListener } from '../../../src/platform/node/http/http-bind.ts'

const { BoundSocket } = process.getBuiltinModule('node:net')

/** What `listen` was called with. */
async function bind(server: Server, address: string): Promise<{ readonly bound: string; readonly given: unknown }> {
  const listen = server.listen.bind(server)
  let given: unknown
  server.listen = (options: unknown) => listen((given = options) as object)
  return { bound: await bindListener(server, { address }), given }
}

test(
  'an IPv4 address is bound before listening, for which Node has nothing to look up',
  { skip: BoundSocket === undefined && 'this Node has no such sockets' },
  async () => {
    await using server = createServer((socket) => socket.end())
    const { bound, given } = await bind(server, '127.0.0.1:0')
    assert.ok(given instanceof BoundSocket)
    const { address, port } = server.address() as AddressInfo
    assert.ok(isIPv4(address))
    assert.equal(bound, `127.0.0.1:${port}`)
    await once(connect(port, '127.0.0.1').resume(), 'close')
  },
)

for (const address of ['localhost:0', ':0']) {
  test(`${address} is left to listen`, async () => {
    await using server = createServer()
    const { given } = await bind(server, address)
    assert.ok(!(BoundSocket !== undefined && given instanceof BoundSocket))
  })
}

test('an address in use has the error of listen', async () => {
  await using first = createServer()
  const { bound } = await bind(first, '127.0.0.1:0')
  await using second = createServer()
  await assert.rejects(bind(second, bound), { code: 'EADDRINUSE', syscall: 'listen' })
})
