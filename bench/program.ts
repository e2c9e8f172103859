import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { parsed, rest, type Reply } from '../test/support/rest.ts'
import { cpuSeconds, memoryMib } from './process-tree.ts'
import type { ProgramName } from './rows.ts'

/** One of the programs compared. All have the same REST interface; they differ only in this. */
export interface Program {
  readonly name: ProgramName
  /** Creates a home with keys and a configuration that contacts no other host. */
  makeHome(home: string): void
  command(home: string, guiAddress: string): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv }
  apiKey(home: string): string
}

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 30_000

/** A running daemon under measurement. */
export class Running implements AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string
  readonly apiKey: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128 })
  /** An interrupted run leaves no daemon behind. */
  readonly #killOnExit = () => void this.child.kill('SIGKILL')
  #output = ''

  private constructor(program: Program, home: string, guiAddress: string) {
    this.url = `http://${guiAddress}`
    this.apiKey = program.apiKey(home)
    const { args: command, env } = program.command(home, guiAddress)
    const [executable, ...args] = command
    this.child = spawn(executable!, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    process.once('exit', this.#killOnExit)
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-10_000)
      })
    }
  }

  /** Starts the program and waits for its first response to a ping; returns the time. */
  static async start(
    program: Program,
    home: string,
    host = '127.0.0.1',
  ): Promise<{ running: Running; startMs: number }> {
    const port = await freePort()
    const startedMs = performance.now()
    const running = new Running(program, home, `${host}:${port}`)
    try {
      await running.#firstPing(startedMs + START_LIMIT_MS)
    } catch (error) {
      await running[Symbol.asyncDispose]()
      throw error
    }
    return { running, startMs: performance.now() - startedMs }
  }

  async #firstPing(deadlineMs: number): Promise<void> {
    for (;;) {
      const reply = await this.request('GET', '/rest/system/ping').catch(() => undefined)
      if (reply?.status === 200) return
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}:\n${this.#output}`)
      if (performance.now() > deadlineMs) throw new Error(`no ping within ${START_LIMIT_MS} ms:\n${this.#output}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  cpuSeconds(): number {
    return cpuSeconds(this.pid)
  }

  memoryMib(): { readonly peak: number; readonly now: number } {
    return memoryMib(this.pid)
  }

  request(method: string, path: string, body?: unknown): Promise<Reply> {
    const options = { address: { url: this.url }, apiKey: this.apiKey, agent: this.#agent, timeoutMs: 1_800_000 }
    return rest(options, method, path, body)
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await this.request(method, path, body)
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}\n${this.#output}`)
    return method === 'GET' ? parsed(reply) : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    process.off('exit', this.#killOnExit)
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill('SIGTERM')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS)
    await once(this.child, 'exit')
    clearTimeout(timer)
  }
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
