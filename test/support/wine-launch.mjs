// Runs a program of Windows in Wine: FILE COMMAND…. Its output goes through a file, because a pipe as standard output
// fails there, and from there to our own. Ends with its exit code; a stop request kills it, as Wine has no other.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'

const POLL_MS = 30
const [file, program, ...args] = process.argv.slice(2)
const output = openSync(file, 'w')
const input = openSync(file, 'r')
const child = spawn(program, args, { stdio: ['ignore', output, output] })
closeSync(output)
const chunk = Buffer.alloc(65_536)

function forward() {
  for (let count = readSync(input, chunk); count > 0; count = readSync(input, chunk))
    process.stdout.write(Buffer.from(chunk.subarray(0, count)))
}

const timer = setInterval(forward, POLL_MS)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill('SIGKILL'))
child.on('exit', (code, signal) => {
  clearInterval(timer)
  forward()
  process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1)
})
