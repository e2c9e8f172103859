import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { killOnExit } from '../test/support/kill-on-exit.ts'
import { memoryMib } from './process-tree.ts'

/** A Node process that prints what it measured as lines of JSON, and may receive such lines. */
export class LineChild implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
    killOnExit(this.#child)
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
  }

  get peakMib(): number {
    return memoryMib(this.#child.pid ?? 0).peak
  }

  async line(): Promise<unknown> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error(`${this.#child.spawnargs.slice(1, 3).join(' ')} ended without a result`)
    return JSON.parse(value)
  }

  send(value: unknown): void {
    this.#child.stdin!.write(`${JSON.stringify(value)}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}
