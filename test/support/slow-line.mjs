/**
 * A line that takes its time, for a network namespace of its own:
 *   slow-line.mjs DELAY_MS FROM_PORT TO_PORT…    forwards FROM_PORT of loopback to TO_PORT so much later
 * Says "up" when all are open.
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const [delayMs, ...ports] = process.argv.slice(2).map(Number)

for (let index = 0; index < ports.length; index += 2) {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: ports[index + 1], allowHalfOpen: true })
    late(near, far)
    late(far, near)
  })
  server.listen(ports[index], '127.0.0.1')
  await once(server, 'listening')
}
console.log('up')

/** Everything in its order, the end too. */
function late(from, to) {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => to.destroy())
}
