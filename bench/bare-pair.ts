import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { field } from './measure.ts'

const CHILD = join(import.meta.dirname, 'bare-child.mjs')
/** What a start leaves to do is over. */
const SETTLE_MS = 2_000

export interface BareFigures {
  readonly elapsedMs: number
  readonly sourceCpuS: number
  readonly sinkCpuS: number
  readonly sourcePeakMib: number
  readonly sinkPeakMib: number
  /** From the dial to the first reply, in two processes that have not used TLS before. */
  readonly connectedMs: number
}

/** Two Node processes that do the least of what two devices do; see `bare-child.mjs`. */
export class BarePair implements AsyncDisposable {
  readonly #source: End
  readonly #sink: End
  readonly #httpPort: number

  private constructor(source: End, sink: End, httpPort: number) {
    this.#source = source
    this.#sink = sink
    this.#httpPort = httpPort
  }

  /** Keys are those of a home. */
  static async start(home: string, from: string, to: string): Promise<BarePair> {
    const keys = [join(home, 'cert.pem'), join(home, 'key.pem')]
    const source = new End(['source', ...keys, from])
    const ports = await source.line()
    const sink = new End(['sink', ...keys, to, String(field(ports, 'port'))])
    await new Promise((done) => setTimeout(done, SETTLE_MS))
    return new BarePair(source, sink, Number(field(ports, 'http')))
  }

  /** All files of the source, to the sink. */
  async pull(root: string): Promise<BareFigures> {
    const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const files = entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: path.slice(root.length + 1), sizeBytes: statSync(path).size }
    })
    this.#sink.send({ files })
    const sink = await this.#sink.line()
    const source = await this.#source.line()
    return {
      elapsedMs: Number(field(sink, 'elapsedMs')),
      sourceCpuS: Number(field(source, 'cpuS')),
      sinkCpuS: Number(field(sink, 'cpuS')),
      sourcePeakMib: Number(field(source, 'peakMib')),
      sinkPeakMib: Number(field(sink, 'peakMib')),
      connectedMs: Number(field(sink, 'connectedMs')),
    }
  }

  /** The source reads a file and announces it. */
  async announce(name: string): Promise<void> {
    const outgoing = request({ host: '127.0.0.1', port: this.#httpPort, method: 'POST', path: `/${name}` })
    outgoing.end()
    const [response] = await once(outgoing, 'response')
    response.resume()
    await once(response, 'end')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#source.end(), this.#sink.end()])
  }
}

class End {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #killOnExit = () => void this.#child.kill('SIGKILL')

  constructor(args: readonly string[]) {
    const env = { ...process.env, UV_THREADPOOL_SIZE: '64' }
    this.#child = spawn(process.execPath, [CHILD, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
    process.once('exit', this.#killOnExit)
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
  }

  async line(): Promise<unknown> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('a bare process ended')
    return JSON.parse(value)
  }

  send(value: unknown): void {
    this.#child.stdin!.write(`${JSON.stringify(value)}\n`)
  }

  async end(): Promise<void> {
    process.off('exit', this.#killOnExit)
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}
