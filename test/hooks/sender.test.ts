/** One delivery with a real server and a real program. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Hook, UrlTarget } from '../../src/core/hooks/hook.ts'
import { deliver } from '../../src/hooks/sender.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { nodePrograms } from '../../src/platform/node/programs.ts'
import { scratchDirectory } from '../support/scratch.ts'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const DEPS = { clock: nodeClock, http: nodeHttpClient, programs: nodePrograms }
const NEVER = new AbortController().signal
const received: Received[] = []
let answer: (reply: ServerResponse) => void
let origin: string

const server = createServer((request, reply) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: Buffer.concat(pieces).toString() })
    answer(reply)
  })
})

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  received.length = 0
  answer = (reply) => reply.writeHead(204).end()
})
after(() => server.close())

const SENT = {
  id: '5a1f0d52-0000-4000-8000-000000000001',
  hookId: 'h',
  on: 'error',
  timeMs: 1_700_000_000_000,
  folder: { id: 'photos', label: 'Fotos ü' },
  device: undefined,
  text: 'Folder "Fotos ü" has an error: full',
  details: { error: 'full' },
  paths: undefined,
  isPathsComplete: true,
  pathsFile: undefined,
} as const

function hookTo(target: Hook['target'], on: Hook['on'] = 'error'): Hook {
  return { id: 'h', name: 'phone', on, folder: undefined, device: undefined, afterMs: 0, createdMs: 0, target }
}

function urlTo(path: string, more: Partial<UrlTarget> = {}): UrlTarget {
  return { kind: 'url', url: `${origin}${path}`, format: 'json', secret: undefined, allowPrivate: true, ...more }
}

test('a webhook gets the body with its id and a signature over it', async () => {
  const secret = 'secret of 16 and more characters'
  const result = await deliver(DEPS, hookTo(urlTo('/hook?a=b', { secret })), SENT, NEVER)
  assert.deepEqual(result, { ok: true, detail: 'HTTP 204' })
  const [{ method, path, headers, body }] = received as [Received]
  assert.deepEqual([method, path, headers['webhook-id']], ['POST', '/hook?a=b', SENT.id])
  assert.equal((JSON.parse(body) as typeof SENT).text, SENT.text)
  const signed = `${SENT.id}.${String(headers['webhook-timestamp'])}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000) < 60)
})

test('ntfy and Healthchecks get the text in UTF-8', async () => {
  await deliver(DEPS, hookTo(urlTo('/topic', { format: 'ntfy' })), SENT, NEVER)
  await deliver(DEPS, hookTo(urlTo('/check', { format: 'healthchecks' })), SENT, NEVER)
  await deliver(DEPS, hookTo(urlTo('/check', { format: 'healthchecks' }), 'all-in-sync'), SENT, NEVER)
  assert.deepEqual(
    received.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/topic', SENT.text],
      ['POST', '/check/fail', SENT.text],
      ['GET', '/check', ''],
    ],
  )
})

test('a redirect is not followed', async () => {
  answer = (reply) => reply.writeHead(307, { Location: `${origin}/elsewhere` }).end()
  const { ok, detail } = await deliver(DEPS, hookTo(urlTo('/')), SENT, NEVER)
  assert.equal(ok, false)
  assert.match(detail, /^HTTP 307: redirects are not followed/)
  assert.equal(received.length, 1)
})

test('private addresses are refused before anything is sent, also behind a name', async () => {
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '127.1']) {
    const target = { ...urlTo('/'), url: `http://${host}:${port}/`, allowPrivate: false }
    const { ok, detail } = await deliver(DEPS, hookTo(target), SENT, NEVER)
    assert.equal(ok, false)
    assert.match(detail, /^EACCES: .* is not public$/, host)
  }
  assert.equal(received.length, 0)
})

test('a name is resolved once: the addresses that were checked are those that are connected to', async () => {
  const asked: string[] = []
  const { port } = server.address() as AddressInfo
  const request = { url: `http://localhost:${port}/`, responseBytesMax: 1_024, timeoutMs: 10_000 }
  const isAddressAllowed = (address: string) => {
    asked.push(address)
    return address === '127.0.0.1'
  }
  assert.equal((await nodeHttpClient.send({ ...request, isAddressAllowed }, NEVER)).status, 204)
  assert.ok(asked.includes('127.0.0.1') && asked.every((address) => /^[\d.:]+$/.test(address)), asked.join())
})

test('a response without an end, and a server that fails', async () => {
  answer = (reply) => {
    reply.writeHead(200)
    const flood = () => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
    }
    reply.on('drain', flood)
    flood()
  }
  assert.match((await deliver(DEPS, hookTo(urlTo('/')), SENT, NEVER)).detail, /^EMSGSIZE/)
  answer = (reply) => reply.writeHead(500).end('no')
  assert.deepEqual(await deliver(DEPS, hookTo(urlTo('/')), SENT, NEVER), { ok: false, detail: 'HTTP 500' })
})

test('a stop rejects: the delivery has to be repeated', async () => {
  const stop = new AbortController()
  answer = () => stop.abort(new Error('stopped'))
  await assert.rejects(deliver(DEPS, hookTo(urlTo('/')), SENT, stop.signal), /stopped/)
})

test('a program gets its arguments as they are, the environment, and the name of the file of paths', async () => {
  using scratch = scratchDirectory()
  const pathsFile = join(scratch.path, 'x.paths')
  const script = join(scratch.path, 'script.mjs')
  const output = join(scratch.path, 'out.json')
  writeFileSync(pathsFile, 'a\0b\nc\0')
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs'
     const { TWINFOLD_PATHS_FILE, TWINFOLD_HOOK_ON, TWINFOLD_HOOK_ID, STGUIAPIKEY } = process.env
     const paths = readFileSync(TWINFOLD_PATHS_FILE, 'utf8').split('\\0')
     const seen = { args: process.argv.slice(3), paths, TWINFOLD_HOOK_ON, TWINFOLD_HOOK_ID, STGUIAPIKEY }
     writeFileSync(process.argv[2], JSON.stringify(seen))`,
  )
  process.env['STGUIAPIKEY'] = 'a secret'
  const args = [script, output, 'two words', '$(touch x)', '*']
  const target = { kind: 'program', program: process.execPath, args } as const
  const result = await deliver(DEPS, hookTo(target), { ...SENT, pathsFile, paths: 2 }, NEVER)
  delete process.env['STGUIAPIKEY']
  assert.deepEqual(result, { ok: true, detail: 'exit code 0' })
  assert.deepEqual(JSON.parse(readFileSync(output, 'utf8')), {
    args: ['two words', '$(touch x)', '*'],
    paths: ['a', 'b\nc', ''],
    TWINFOLD_HOOK_ON: 'error',
    TWINFOLD_HOOK_ID: SENT.id,
  })
})

test('a program that fails or is missing says why', async () => {
  const program = (...args: readonly string[]) => hookTo({ kind: 'program', program: process.execPath, args })
  const failed = await deliver(DEPS, program('-e', 'console.log("no space"); process.exit(3)'), SENT, NEVER)
  assert.deepEqual(failed, { ok: false, detail: 'exit code 3: no space' })
  const missing = await deliver(DEPS, hookTo({ kind: 'program', program: '/no/such', args: [] }), SENT, NEVER)
  assert.match(missing.detail, /^the program could not be started: .*ENOENT/)
})
