/**
 * What one Node process (or two, joined by TLS) can do at most of what synchronizing consists of:
 *   sync-limit-child.mjs receive CERT KEY            listens, prints its port, discards one stream, prints JSON
 *   sync-limit-child.mjs send CERT KEY PORT BYTES    sends that many bytes and closes, prints JSON
 *   sync-limit-child.mjs copy FILE COPY              reads, hashes with SHA-256, writes, calls fsync, prints JSON
 *   sync-limit-child.mjs fsync DIRECTORY FILES       4 KiB each: temporary file, fsync, rename, 16 at a time
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { connect, createServer } from 'node:tls'

const CHUNK_BYTES = 256 * 1024
const BLOCK_BYTES = 128 * 1024
const FILE_BYTES = 4 * 1024
const AT_ONCE = 16
const FILES_PER_DIRECTORY = 25

const [job, ...args] = process.argv.slice(2)

/** The cipher that Go and Twinfold prefer. */
function tlsOptions(certificate, key) {
  return {
    cert: readFileSync(certificate),
    key: readFileSync(key),
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_128_GCM_SHA256',
  }
}

function printResult(startedMs, cpuBefore) {
  const elapsedMs = performance.now() - startedMs
  const cpu = process.cpuUsage(cpuBefore)
  console.log(JSON.stringify({ elapsedMs, cpuS: (cpu.user + cpu.system) / 1e6 }))
}

function receive(certificate, key) {
  const server = createServer(tlsOptions(certificate, key), (socket) => {
    const startedMs = performance.now()
    const cpuBefore = process.cpuUsage()
    socket.on('data', () => {})
    socket.on('end', () => {
      printResult(startedMs, cpuBefore)
      socket.end()
      server.close()
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
}

async function send(certificate, key, port, bytes) {
  const socket = connect({ ...tlsOptions(certificate, key), host: '127.0.0.1', port: Number(port) })
  await once(socket, 'secureConnect')
  socket.resume()
  const chunk = randomBytes(CHUNK_BYTES)
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  for (let sent = 0; sent < Number(bytes); sent += CHUNK_BYTES) if (!socket.write(chunk)) await once(socket, 'drain')
  socket.end()
  await once(socket, 'close')
  printResult(startedMs, cpuBefore)
}

/** What both ends do with a file besides TLS, each once: in one thread, with one buffer. */
function copy(path, copyPath) {
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  const from = openSync(path)
  const to = openSync(copyPath, 'wx')
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let bytes = readSync(from, block); bytes > 0; bytes = readSync(from, block)) {
    createHash('sha256').update(block.subarray(0, bytes)).digest()
    writeSync(to, block, 0, bytes)
  }
  fsyncSync(to)
  closeSync(to)
  closeSync(from)
  printResult(startedMs, cpuBefore)
}

async function writeFiles(directory, files) {
  const data = randomBytes(FILE_BYTES)
  const directories = Array.from(
    { length: Math.ceil(files / FILES_PER_DIRECTORY) },
    (_, number) => `${directory}/${number}`,
  )
  for (const each of directories) mkdirSync(each, { recursive: true })
  let next = 0
  const worker = async () => {
    while (next < files) {
      const number = next++
      const path = `${directories[Math.floor(number / FILES_PER_DIRECTORY)]}/file-${number}`
      const file = await open(`${path}.tmp`, 'wx')
      await file.write(data, 0, FILE_BYTES, 0)
      await file.sync()
      await file.close()
      await rename(`${path}.tmp`, path)
    }
  }
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  printResult(startedMs, cpuBefore)
}

if (job === 'receive') receive(args[0], args[1])
else if (job === 'send') await send(args[0], args[1], args[2], args[3])
else if (job === 'copy') copy(args[0], args[1])
else if (job === 'fsync') await writeFiles(args[0], Number(args[1]))
else throw new Error(`unknown limit "${job}"`)
