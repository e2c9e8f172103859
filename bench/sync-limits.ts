import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isOnPath } from '../test/support/debian.ts'
import { field } from './measure.ts'
import { cpuSeconds } from './process-tree.ts'

const CHILD = join(import.meta.dirname, 'sync-limit-child.mjs')

export interface LimitFigures {
  readonly elapsedMs: number
  readonly cpuS: number
}

/**
 * Bytes through TLS from one Node process to another over loopback, without other load, and the CPU of both. Keys are
 * those of a home.
 */
export async function tlsLimit(home: string, sizeBytes: number): Promise<LimitFigures> {
  const keys = [join(home, 'cert.pem'), join(home, 'key.pem')]
  const receiver = spawn(process.execPath, [CHILD, 'receive', ...keys], { stdio: ['ignore', 'pipe', 'inherit'] })
  const killOnExit = () => void receiver.kill('SIGKILL')
  process.once('exit', killOnExit)
  try {
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
    const port = field(JSON.parse(String((await lines.next()).value)), 'port')
    const sender = spawn(process.execPath, [CHILD, 'send', ...keys, String(port), String(sizeBytes)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const sent = createInterface({ input: sender.stdout })[Symbol.asyncIterator]()
    const [code] = await once(sender, 'exit')
    if (code !== 0) throw new Error(`the sender of the TLS limit ended with ${String(code)}`)
    const { cpuS } = parseFigures(String((await sent.next()).value))
    const received = parseFigures(String((await lines.next()).value))
    return { elapsedMs: received.elapsedMs, cpuS: received.cpuS + cpuS }
  } finally {
    receiver.kill('SIGKILL')
    process.off('exit', killOnExit)
  }
}

/** A file read, hashed, and written with fsync, each once, by one Node process that does nothing else. */
export function copyLimit(path: string, copyPath: string): LimitFigures {
  return runChild('copy', path, copyPath)
}

/**
 * Files of 4 KiB written with fsync and rename, by one Node process that does nothing else. They are not removed:
 * creating files is slower after many deletions.
 */
export function fsyncLimit(directory: string, files: number): LimitFigures {
  return runChild('fsync', directory, String(files))
}

/** A tree copied by rsync with fsync for each file, between processes on one machine; undefined without rsync. */
export function rsyncLimit(from: string, to: string): LimitFigures | undefined {
  if (!isOnPath('rsync')) return undefined
  const cpuBefore = cpuSeconds(process.pid)
  const startedMs = performance.now()
  const result = spawnSync('rsync', ['-a', '--fsync', `${from}/`, to], { encoding: 'utf8' })
  const elapsedMs = performance.now() - startedMs
  if (result.status !== 0) throw new Error(`rsync: ${result.stderr}`)
  return { elapsedMs, cpuS: cpuSeconds(process.pid) - cpuBefore }
}

function runChild(job: string, ...args: readonly string[]): LimitFigures {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
  const result = spawnSync(process.execPath, [CHILD, job, ...args], { encoding: 'utf8', env })
  if (result.status !== 0) throw new Error(`limit ${job}: ${result.stderr}`)
  return parseFigures(result.stdout)
}

function parseFigures(line: string): LimitFigures {
  const value: unknown = JSON.parse(line)
  return { elapsedMs: Number(field(value, 'elapsedMs')), cpuS: Number(field(value, 'cpuS')) }
}
