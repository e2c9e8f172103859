import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { once } from 'node:events'
import { scratchDirectory } from '../support/scratch.ts'

// The package as somebody else sees it: installed, imported by its name, checked by their compiler.

const root = join(import.meta.dirname, '..', '..')

const PROGRAM = `
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

const TYPED = `
import { nodeTransport } from 'twinfold/node'
import { Client, fetchTransport, type OperationOptions, type Reply, type Routes } from 'twinfold'
const client = new Client({ transport: fetchTransport(''), apiKey: '' })
const files: number = (await client.call('GET /rest/db/status', { query: { folder: 'x' } })).globalFiles
const names: readonly string[] = (await client.call('GET /rest/db/need', { query: { folder: 'x', page: 2 } })).queued.map((file) => file.name)
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
nodeTransport('https://nas.example:8384', { trust: 'nobody' })
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

/** A directory in which the package is installed as `npm pack` would leave it. */
function installed(directory: string): void {
  const home = join(directory, 'node_modules', 'twinfold')
  mkdirSync(home, { recursive: true })
  cpSync(join(root, 'package.json'), join(home, 'package.json'))
  const built = spawnSync(process.execPath, [join(root, 'tools', 'build.ts'), join(home, 'dist')], { encoding: 'utf8' })
  assert.ok(existsSync(join(home, 'dist', 'client', 'public.js')), built.stdout + built.stderr)
  writeFileSync(join(directory, 'program.mjs'), PROGRAM)
  writeFileSync(join(directory, 'typed.mts'), TYPED)
}

test('the package can be imported by its name, in Node and by a compiler, and needs nothing of Node itself', async () => {
  using directory = scratchDirectory()
  installed(directory.path)
  assert.deepEqual(await runProgram(directory.path), ['idle', true, 404, 'no such folder'])

  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024']
  const checked = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), [...flags, '--lib', 'es2024,dom', '--types', '', 'typed.mts'], {
    cwd: directory.path,
    encoding: 'utf8',
  })
  assert.equal(checked.stdout + checked.stderr, '')

  const shipped = ['client', 'rest'].flatMap((folder) => globSync(`node_modules/twinfold/dist/${folder}/*.js`, { cwd: directory.path }))
  assert.ok(shipped.length > 15)
  for (const file of shipped.filter((each) => !each.endsWith('/client/node.js'))) {
    assert.doesNotMatch(readFileSync(join(directory.path, file), 'utf8'), /from 'node:|\bBuffer\b|\bprocess\.[a-z]/, `${file} runs in a browser too`)
  }
})

/** Runs the program against a server that knows one folder, and gives what it printed. */
async function runProgram(directory: string): Promise<unknown> {
  const server = createServer((request, response) => {
    if (request.url === '/rest/db/status?folder=a+b' && request.headers['x-api-key'] === 'k') {
      response.setHeader('Content-Type', 'application/json')
      response.end('{"state":"idle"}')
      return
    }
    response.statusCode = 404
    response.end('no such folder\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const child = spawn(process.execPath, ['program.mjs', `http://127.0.0.1:${port}`], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await once(child, 'close')
    return JSON.parse(text)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
