/**
 * Lines that can be cut, for a network namespace of its own: `lines.mjs FROM_PORT TO_PORT…` forwards FROM_PORT of
 * loopback to TO_PORT. Commands on standard input, one per line: `cut` ends every connection, `off` ends them and
 * refuses new ones, `on` accepts them again. Prints "up" when all ports are open.
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'

const ports = process.argv.slice(2).map(Number)
const sockets = new Set()
let isOn = true

for (let index = 0; index < ports.length; index += 2) {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (!isOn) return near.destroy()
    const far = connect({ host: '127.0.0.1', port: ports[index + 1], allowHalfOpen: true })
    join(near, far)
    join(far, near)
  })
  server.listen(ports[index], '127.0.0.1')
  await once(server, 'listening')
}
console.log('up')

for await (const command of createInterface({ input: process.stdin })) {
  isOn = command === 'off' ? false : command === 'on' ? true : isOn
  if (command !== 'on') for (const socket of sockets) socket.destroy()
}
process.exit(0)

function join(from, to) {
  sockets.add(from)
  from.on('error', () => to.destroy())
  from.on('close', () => {
    sockets.delete(from)
    to.destroy()
  })
  from.pipe(to)
}
