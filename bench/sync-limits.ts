import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { field } from './measure.ts'

const CHILD = join(import.meta.dirname, 'sync-limit-child.mjs')

export interface LimitFigures {
  readonly elapsedMs: number
  readonly cpuS: number
}

/** Bytes through TLS from one Node process to another over loopback, without other load. Keys are those of a home. */
export async function tlsLimit(home: string, sizeBytes: number): Promise<LimitFigures> {
  const keys = [join(home, 'cert.pem'), join(home, 'key.pem')]
  const receiver = spawn(process.execPath, [CHILD, 'receive', ...keys], { stdio: ['ignore', 'pipe', 'inherit'] })
  const killOnExit = () => void receiver.kill('SIGKILL')
  process.once('exit', killOnExit)
  try {
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
    const port = field(JSON.parse(String((await lines.next()).value)), 'port')
    const sender = spawn(process.execPath, [CHILD, 'send', ...keys, String(port), String(sizeBytes)], {
      stdio: 'inherit',
    })
    const [code] = await once(sender, 'exit')
    if (code !== 0) throw new Error(`the sender of the TLS limit ended with ${String(code)}`)
    return parseFigures(String((await lines.next()).value))
  } finally {
    receiver.kill('SIGKILL')
    process.off('exit', killOnExit)
  }
}

/**
 * Files of 4 KiB written with fsync and rename, by one Node process that does nothing else. They are not removed:
 * creating files is slower after many deletions.
 */
export function fsyncLimit(directory: string, files: number): LimitFigures {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
  const result = spawnSync(process.execPath, [CHILD, 'fsync', directory, String(files)], { encoding: 'utf8', env })
  if (result.status !== 0) throw new Error(`limit fsync: ${result.stderr}`)
  return parseFigures(result.stdout)
}

function parseFigures(line: string): LimitFigures {
  const value: unknown = JSON.parse(line)
  return { elapsedMs: Number(field(value, 'elapsedMs')), cpuS: Number(field(value, 'cpuS')) }
}
