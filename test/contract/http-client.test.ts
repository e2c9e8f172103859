import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimHttpClient } from '../../src/platform/sim/http-client.ts'
import { httpClientContract } from './http-client.contract.ts'

httpClientContract('real http client', () => ({
  client: nodeHttpClient,
  server: createNodeHttpServer(),
  pass: async () => {},
}))

httpClientContract('sim http client', () => {
  const clock = new SimClock()
  const web = new SimHttpClient(clock)
  return { client: web, server: web, pass: async () => void (await setImmediate(), clock.step()) }
})

test('real http client: through a proxy, which receives the host and not the request', async () => {
  const seen: string[] = []
  const proxy = createServer((socket) => {
    socket.once('data', (head) => {
      seen.push(head.toString('latin1').split('\r\n')[0] ?? '')
      const target = connect({ host: '127.0.0.1', port: Number(/:(\d+) /.exec(seen[0] ?? '')?.[1]) })
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(target).pipe(socket)
      for (const each of [socket, target]) each.on('error', () => socket.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await using site = await createNodeHttpServer().listen({ address: '127.0.0.1:0' }, () => ({
    status: 200,
    headers: {},
    body: 'hello',
  }))
  const way = { kind: 'http', host: '127.0.0.1', port, user: '', password: '' } as const
  const request = { url: `http://${site.address}/secret`, responseBytesMax: 10, timeoutMs: 20_000, proxy: way }
  const { body } = await nodeHttpClient.send(request, new AbortController().signal)
  proxy.close()
  assert.deepEqual([new TextDecoder().decode(body), seen], ['hello', [`CONNECT ${site.address} HTTP/1.1`]])
})
