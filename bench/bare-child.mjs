/**
 * One end of the least that two Node processes can do to bring files from one directory to another: TLS 1.3, requests
 * and replies, SHA-256, a temporary file, fsync, rename. No index, no database, no rules, nothing that can be asked.
 *   bare-child.mjs source CERT KEY DIRECTORY       prints its ports: for TLS, and for `POST /NAME`, which announces
 *   bare-child.mjs sink CERT KEY DIRECTORY PORT    connects at the first line of standard input, a list of files as
 *                                                  JSON, and pulls them; then files as they are announced
 */
import { hash, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect, createServer } from 'node:tls'

const HEAD_BYTES = 9
const KIND = { announcement: 0, request: 1, reply: 2 }
const BLOCK_BYTES = 512 * 1_024
const WINDOW_BLOCKS = 64
const FILES_AT_ONCE = 96

const [job, certificate, key, directory, port] = process.argv.slice(2)

const tlsOptions = {
  cert: readFileSync(certificate),
  key: readFileSync(key),
  ca: [],
  requestCert: true,
  rejectUnauthorized: false,
  minVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
}

function send(socket, kind, id, payload) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(kind, 0)
  head.writeUInt32BE(id, 1)
  head.writeUInt32BE(payload.length, 5)
  socket.cork()
  socket.write(head)
  socket.write(payload)
  process.nextTick(() => socket.uncork())
}

/** Calls `onMessage(kind, id, payload)` for each message. */
function readMessages(socket, onMessage) {
  const head = Buffer.alloc(HEAD_BYTES)
  let headBytes = 0
  let payload
  let bytes = 0
  socket.on('data', (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (payload === undefined) {
        const count = chunk.copy(head, headBytes, at, at + HEAD_BYTES - headBytes)
        at += count
        headBytes += count
        if (headBytes < HEAD_BYTES) return
        payload = Buffer.allocUnsafe(head.readUInt32BE(5))
        bytes = 0
      }
      const count = chunk.copy(payload, bytes, at)
      at += count
      bytes += count
      if (bytes < payload.length) continue
      const whole = payload
      payload = undefined
      headBytes = 0
      onMessage(head.readUInt8(0), head.readUInt32BE(1), whole)
    }
  })
}

function figures(startedMs, cpuBefore) {
  const { user, system } = process.cpuUsage(cpuBefore)
  return { elapsedMs: performance.now() - startedMs, cpuS: (user + system) / 1e6 }
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

async function runSource() {
  const files = new Map()
  let sink
  const server = createServer(tlsOptions, (socket) => {
    sink = socket
    const startedMs = performance.now()
    const cpuBefore = process.cpuUsage()
    socket.setNoDelay(true)
    socket.on('error', () => {})
    readMessages(socket, (kind, id, payload) => {
      const { path, position, sizeBytes, isLast } = JSON.parse(payload.toString())
      if (isLast) return print(figures(startedMs, cpuBefore))
      void reply(socket, id, path, position, sizeBytes)
    })
  })
  const reply = async (socket, id, path, position, sizeBytes) => {
    if (position === undefined) return send(socket, KIND.reply, id, await readFile(join(directory, path)))
    if (!files.has(path)) files.set(path, open(join(directory, path)))
    const block = Buffer.allocUnsafe(sizeBytes)
    await (await files.get(path)).read(block, 0, sizeBytes, position)
    send(socket, KIND.reply, id, block)
  }
  const http = createHttpServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1))
    hash('sha256', await readFile(join(directory, path)))
    send(sink, KIND.announcement, 0, Buffer.from(path))
    response.end()
  })
  server.listen(0, '127.0.0.1')
  http.listen(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(http, 'listening')])
  print({ port: server.address().port, http: http.address().port })
}

/** Resolves with the reply. */
function requester(socket) {
  const waiting = new Map()
  let last = 0
  readMessages(socket, (kind, id, payload) => {
    if (kind === KIND.announcement) return void pullSmall(request, payload.toString())
    waiting.get(id)(payload)
    waiting.delete(id)
  })
  const request = (wanted) => {
    const { promise, resolve } = Promise.withResolvers()
    waiting.set(++last, resolve)
    send(socket, KIND.request, last, Buffer.from(JSON.stringify(wanted)))
    return promise
  }
  return request
}

async function pullSmall(request, path) {
  const data = await request({ path })
  hash('sha256', data)
  const target = join(directory, path)
  const file = await open(`${target}.tmp`, 'wx')
  await file.write(data, 0, data.length, 0)
  await file.utimes(1, 1)
  await file.sync()
  await file.close()
  await rename(`${target}.tmp`, target)
}

async function pullLarge(request, path, sizeBytes) {
  const target = join(directory, path)
  const file = await open(`${target}.tmp`, 'wx')
  let next = 0
  const worker = async () => {
    while (next < sizeBytes) {
      const position = next
      next += BLOCK_BYTES
      const data = await request({ path, position, sizeBytes: Math.min(BLOCK_BYTES, sizeBytes - position) })
      await webcrypto.subtle.digest('SHA-256', data)
      await file.write(data, 0, data.length, position)
    }
  }
  await Promise.all(Array.from({ length: WINDOW_BLOCKS }, worker))
  await file.sync()
  await file.close()
  await rename(`${target}.tmp`, target)
}

async function runSink() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const { files } = JSON.parse((await lines.next()).value)
  const dialedMs = performance.now()
  const socket = connect({ ...tlsOptions, host: '127.0.0.1', port: Number(port) })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  const request = requester(socket)
  await request({ path: files[0].path, position: 0, sizeBytes: 1 })
  const connectedMs = performance.now() - dialedMs
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  for (const each of new Set(files.map(({ path }) => dirname(path))))
    mkdirSync(join(directory, each), { recursive: true })
  let next = 0
  const worker = async () => {
    while (next < files.length) {
      const { path, sizeBytes } = files[next++]
      await (sizeBytes > BLOCK_BYTES ? pullLarge(request, path, sizeBytes) : pullSmall(request, path))
    }
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker))
  print({ ...figures(startedMs, cpuBefore), connectedMs })
  send(socket, KIND.request, 0, Buffer.from(JSON.stringify({ isLast: true })))
}

if (job === 'source') await runSource()
else if (job === 'sink') await runSink()
else throw new Error(`unknown end "${job}"`)
