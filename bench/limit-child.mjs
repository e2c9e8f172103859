/**
 * The maximum of one Node thread with this tree, without other load. Run as a separate process:
 *   limit-child.mjs hash-large|walk|hash-small DIRECTORY   prints one line of JSON when done
 *   limit-child.mjs http PORT                              a bare node:http server, until killed
 */
import { hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { createServer } from 'node:http'

const BLOCK_BYTES = 128 * 1024
const READ_BYTES = 1024 * 1024
const buffer = Buffer.allocUnsafe(READ_BYTES)
const [job = '', argument = ''] = process.argv.slice(2)
/** A scan needs the state of directories too: their modes are part of what is synchronised. */
const statDirectories = job === 'walk'

function walk(directory, visit) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    // No path.join: normalising must not count in a limit.
    const path = `${directory}/${entry.name}`
    if (entry.isDirectory()) {
      if (statDirectories) lstatSync(path)
      walk(path, visit)
    } else visit(path)
  }
}

function hashFile(path) {
  const descriptor = openSync(path, 'r')
  for (;;) {
    const length = readSync(descriptor, buffer, 0, READ_BYTES, null)
    if (length === 0) break
    for (let at = 0; at < length; at += BLOCK_BYTES) {
      hash('sha256', buffer.subarray(at, Math.min(at + BLOCK_BYTES, length)), 'buffer')
    }
    if (length < READ_BYTES) break
  }
  closeSync(descriptor)
}

function serve(port) {
  const body = '{\n  "ping": "pong"\n}\n'
  createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length })
    response.end(body)
  }).listen(port, '127.0.0.1')
}

const WORK = {
  'hash-large': hashFile,
  'hash-small': hashFile,
  walk: (path) => void lstatSync(path),
}

const work = WORK[job]
if (job === 'http') serve(Number(argument))
else if (work === undefined) throw new Error(`unknown limit "${job}"`)
else {
  let files = 0
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  walk(argument, (path) => {
    work(path)
    files++
  })
  const elapsedMs = performance.now() - startedMs
  const cpu = process.cpuUsage(cpuBefore)
  // Not from getrusage: that figure survives exec and may be the parent's.
  const peakRssMib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024
  console.log(JSON.stringify({ files, elapsedMs, cpuS: (cpu.user + cpu.system) / 1e6, peakRssMib }))
}
