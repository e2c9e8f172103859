import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { killOnExit } from './kill-on-exit.ts'
import type { Host } from './lan.ts'
import { eventually } from './scratch.ts'
import { syncthingServer } from './syncthing-program.ts'

const PORT = 22_067

/** The real relay server on a host, in no pool. Its identity is in the directory, so it stays after a restart. */
export class RelayServer implements AsyncDisposable {
  readonly #host: Pick<Host, 'address' | 'inside'>
  readonly #directory: string
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined
  #output = ''

  constructor(host: Pick<Host, 'address' | 'inside'>, directory: string, flags: readonly string[] = []) {
    this.#host = host
    this.#directory = directory
    this.#flags = flags
  }

  /** Resolves with its address when it accepts connections. */
  async start(): Promise<string> {
    const program = [...this.#host.inside, syncthingServer('strelaysrv')]
    const fixed = ['-pools=', '-status-srv=', `-listen=:${PORT}`, `-keys=${this.#directory}`]
    const [command, ...args] = [...program, ...fixed, ...this.#flags]
    const child = spawn(command!, args, { cwd: this.#directory, stdio: ['ignore', 'pipe', 'pipe'] })
    killOnExit(child)
    this.#child = child
    this.#output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
    const id = await eventually('the relay', async () => {
      if (child.exitCode !== null) throw new Error(`strelaysrv ended: ${this.#output}`)
      return /[?&]id=([A-Z2-7-]{63})/.exec(this.#output)?.[1]
    })
    return `relay://${this.#host.address}:${PORT}/?id=${id}`
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
