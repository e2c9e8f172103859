/** A pool of relays on loopback: `node pool-server.ts DIRECTORY PORT RELAY…`, with `cert.pem` and `key.pem` there. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'

const [directory = '', port = '', ...relays] = process.argv.slice(2)
const identity = {
  cert: readFileSync(join(directory, 'cert.pem')),
  key: readFileSync(join(directory, 'key.pem')),
}
const server = createServer(identity, (_request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ relays: relays.map((url) => ({ url })) }))
})
server.listen(Number(port), 'localhost', () => console.log('ready'))
