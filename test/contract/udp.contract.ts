import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Udp, UdpAddress, UdpSocket } from '../../src/platform/udp.ts'

interface Received {
  readonly data: string
  readonly from: UdpAddress
}

/** A socket on any port, and a promise for each datagram in turn. */
async function listen(
  udp: Udp,
  port = 0,
  host?: string,
): Promise<{ socket: UdpSocket; next: () => Promise<Received> }> {
  const received: Received[] = []
  const waiting: ((one: Received) => void)[] = []
  const socket = await udp.open(
    { family: 4, port, ...(host !== undefined && { host }) },
    {
      onDatagram: (data, from) => {
        const one = { data: Buffer.from(data).toString(), from }
        const first = waiting.shift()
        if (first === undefined) received.push(one)
        else first(one)
      },
      onError: (error) => assert.fail(error),
    },
  )
  const next = async (): Promise<Received> => {
    const first = received.shift()
    return first ?? (await new Promise((resolve) => waiting.push(resolve)))
  }
  return { socket, next }
}

/** What every Udp owes its callers. */
export function udpContract(name: string, make: () => Udp): void {
  test(`${name}: a datagram arrives whole, with the address of its sender`, async () => {
    const udp = make()
    const [a, b] = [await listen(udp), await listen(udp)]
    await using _sockets = { [Symbol.asyncDispose]: () => closeBoth(a.socket, b.socket) }
    await a.socket.send(Buffer.from('first'), { host: '127.0.0.1', port: b.socket.port })
    const { data, from } = await b.next()
    assert.deepEqual([data, from.port], ['first', a.socket.port])
    await b.socket.send(Buffer.from('reply'), from)
    assert.equal((await a.next()).data, 'reply')
  })

  test(`${name}: the sender may reuse its memory`, async () => {
    const udp = make()
    const [a, b] = [await listen(udp), await listen(udp)]
    await using _sockets = { [Symbol.asyncDispose]: () => closeBoth(a.socket, b.socket) }
    const data = Buffer.from('one')
    await a.socket.send(data, { host: '127.0.0.1', port: b.socket.port })
    data.write('two')
    assert.equal((await b.next()).data, 'one')
  })

  test(`${name}: two sockets may share a port`, async () => {
    const udp = make()
    const a = await listen(udp)
    const b = await listen(udp, a.socket.port)
    await using _sockets = { [Symbol.asyncDispose]: () => closeBoth(a.socket, b.socket) }
    assert.equal(a.socket.port, b.socket.port)
  })

  test(`${name}: a socket on one address of the machine`, async () => {
    const udp = make()
    const [a, b] = [await listen(udp, 0, '127.0.0.1'), await listen(udp)]
    await using _sockets = { [Symbol.asyncDispose]: () => closeBoth(a.socket, b.socket) }
    await a.socket.send(Buffer.from('first'), { host: '127.0.0.1', port: b.socket.port })
    await b.socket.send(Buffer.from('reply'), (await b.next()).from)
    assert.equal((await a.next()).data, 'reply')
  })

  test(`${name}: a closed socket sends nothing, and closes only once`, async () => {
    const { socket } = await listen(make())
    await socket[Symbol.asyncDispose]()
    await socket[Symbol.asyncDispose]()
    await assert.rejects(socket.send(Buffer.from('x'), { host: '127.0.0.1', port: 9 }))
  })
}

async function closeBoth(a: UdpSocket, b: UdpSocket): Promise<void> {
  await a[Symbol.asyncDispose]()
  await b[Symbol.asyncDispose]()
}
