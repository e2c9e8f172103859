import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { PlainStream } from '../../src/platform/net.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { netContract } from './net.contract.ts'
import { plainContract } from './plain-stream.contract.ts'

netContract('real net', () => nodeNet)
netContract('sim net', () => new SimNetwork(new SimClock()).host('machine'))

plainContract('real net', async () => {
  const { stream, port, [Symbol.asyncDispose]: dispose } = await realListener()
  return { net: nodeNet, port, accepted: stream, [Symbol.asyncDispose]: dispose }
})
plainContract('sim net', async () => {
  const network = new SimNetwork(new SimClock())
  const accepted = Promise.withResolvers<PlainStream>()
  const listener = network.listenPlain('machine', 7, (stream) => accepted.resolve(stream))
  const net = network.host('machine')
  return { net, port: 7, accepted: accepted.promise, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
})

/** Accepts one connection, and takes the other end as a stream by dialling back through a pipe. */
async function realListener() {
  const accepted = Promise.withResolvers<PlainStream>()
  const sockets: Socket[] = []
  // The accepted socket is joined with a second dialled one, so that both ends are streams of the port.
  const second = createServer((far) => {
    sockets.push(far)
    first.once('connection', (near: Socket) => {
      sockets.push(near)
      near.pipe(far).pipe(near)
      for (const socket of [near, far]) {
        socket.on('error', () => {})
        socket.on('close', () => sockets.forEach((one) => one.destroy()))
      }
    })
    ready.resolve()
  })
  const ready = Promise.withResolvers<void>()
  const first = createServer()
  const portOf = async (server: Server) => {
    server.listen({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const [port, secondPort] = [await portOf(first), await portOf(second)]
  accepted.resolve(await nodeNet.dialTcp({ host: '127.0.0.1', port: secondPort }, new AbortController().signal))
  await ready.promise
  return {
    stream: accepted.promise,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      first.close()
      second.close()
    },
  }
}
