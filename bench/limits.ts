import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { rest } from '../test/support/rest.ts'
import { memoryMib } from './process-tree.ts'
import { freePort } from './program.ts'

/** Plain JavaScript, because type stripping costs memory and time that must not count in a limit. */
const CHILD = join(import.meta.dirname, 'limit-child.mjs')

export type LimitJob = 'hash-large' | 'hash-small' | 'walk'

export interface LimitRun {
  readonly files: number
  readonly elapsedMs: number
  readonly cpuS: number
  readonly peakRssMib: number
}

/** One thread, one process, the page cache as it is. The time is that of the work, without starting Node. */
export function runLimit(job: LimitJob, directory: string): LimitRun {
  const result = spawnSync(process.execPath, [CHILD, job, directory], { encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`limit ${job}: ${result.stderr}`)
  return parseRun(JSON.parse(result.stdout))
}

function parseRun(value: unknown): LimitRun {
  const figure = (name: string): number => {
    const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
    if (typeof found !== 'number') throw new Error(`a limit run returned no ${name}`)
    return found
  }
  return {
    files: figure('files'),
    elapsedMs: figure('elapsedMs'),
    cpuS: figure('cpuS'),
    peakRssMib: figure('peakRssMib'),
  }
}

/** A bare node:http server: the limit of any REST interface on Node. */
export class BareServer implements AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`
    this.child = spawn(process.execPath, [CHILD, 'http', String(port)], { stdio: 'ignore' })
  }

  static async start(): Promise<{ server: BareServer; startMs: number }> {
    const port = await freePort()
    const startedMs = performance.now()
    const server = new BareServer(port)
    while (server.child.exitCode === null) {
      const reply = await rest({ address: { url: server.url }, apiKey: '' }, 'GET', '/').catch(() => undefined)
      if (reply?.status === 200) return { server, startMs: performance.now() - startedMs }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    throw new Error('the bare server ended')
  }

  rssMib(): number {
    return memoryMib(this.child.pid ?? 0).now
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGTERM')
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit')
  }
}
