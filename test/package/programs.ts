/** Programs of others that use the package: one that runs, and one that a compiler checks. */

export const PROGRAM = `
import { Client, ClientError, fetchTransport } from 'twinfold'
import { Client as Same } from 'twinfold/client'
import { nodeTransport } from 'twinfold/node'
if (Same !== Client) throw new Error('two clients')
const client = new Client({ transport: fetchTransport(process.argv[2]), apiKey: 'k' })
const status = await client.call('GET /rest/db/status', { query: { folder: 'a b' } })
const refused = await client.call('GET /rest/db/need', { query: { folder: 'x' } }).catch((error) => error)
const inNode = new Client({ transport: nodeTransport(process.argv[2]), apiKey: 'k' })
const again = await inNode.call('GET /rest/db/status', { query: { folder: 'a b' } })
if (again.state !== status.state) throw new Error('another answer in Node')
console.log(JSON.stringify([status.state, refused instanceof ClientError, refused.status, refused.text]))
`

export const TYPED = `
import { nodeTransport } from 'twinfold/node'
import { Client, fetchTransport, type OperationOptions, type Reply, type Routes } from 'twinfold'
const client = new Client({ transport: fetchTransport(''), apiKey: '' })
const files: number = (await client.call('GET /rest/db/status', { query: { folder: 'x' } })).globalFiles
const need = await client.call('GET /rest/db/need', { query: { folder: 'x', page: 2 } })
const names: readonly string[] = need.queued.map((file) => file.name)
const nothing: undefined = await client.call('POST /rest/db/scan', { query: { folder: 'x', sub: ['a', 'b'] } })
const log: string = await client.call('GET /rest/system/log.txt')
const label: string = (await client.call('GET /rest/config/folders/:id', { id: 'x' })).label
await client.call('PATCH /rest/config/folders/:id', { id: 'x', body: { paused: true, devices: [{ deviceID: 'y' }] } })
const tree: Reply<Routes['GET /rest/db/browse']> = []
const transport = nodeTransport('https://nas.example:8384', { trust: { fingerprint: 'ab:cd' } })
for await (const event of new Client({ transport, apiKey: '' }).events({}, AbortSignal.timeout(1))) {
  if (event.type === 'FolderSummary') { const need: number = event.data.summary.needBytes; void need }
  // @ts-expect-error only some events have a summary
  void event.data.summary
}
// @ts-expect-error there is no such way to trust
nodeTransport('https://nas.example:8384', { trust: 'unknown' })
const options: OperationOptions<'GET /rest/db/file'> = { query: { folder: 'x', file: 'y' } }
// @ts-expect-error the folder is needed
await client.call('GET /rest/db/status')
// @ts-expect-error there is no such parameter
await client.call('GET /rest/db/status', { query: { folder: 'x', fodler: 'y' } })
// @ts-expect-error there is no such route
await client.call('GET /rest/db/statistics')
// @ts-expect-error the id is needed
await client.call('DELETE /rest/config/folders/:id')
// @ts-expect-error a wrong type
await client.call('PATCH /rest/config/folders/:id', { id: 'x', body: { paused: 'yes' } })
// @ts-expect-error pictures are no text
await client.call('GET /qr/', { query: { text: 'x' } })
export { files, names, nothing, log, label, tree, options }
`
