import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { testProgram } from '../../tools/test-program.ts'
import { eventually } from '../support/scratch.ts'
import { apiKeyOf, insideNamespaceOf } from '../support/syncthing.ts'
import { syncthingProgram } from '../support/syncthing-program.ts'

const DRIVER = join(import.meta.dirname, 'cli-driver.ts')
/** Each daemon is alone in its network, so both may have it. */
export const ADDRESS = '127.0.0.1:8384'

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A daemon, and both command lines pointed at it. */
export class Served {
  readonly name: string
  readonly #child: ChildProcess
  readonly #home: string

  constructor(name: string, child: ChildProcess, home: string) {
    this.name = name
    this.#child = child
    this.#home = home
  }

  /** A change of the interface's own settings makes a daemon let go of its port for a moment. */
  syncthing(...args: string[]): Promise<Outcome> {
    return eventually('the interface is back', async () => {
      const outcome = await this.run([syncthingProgram(), 'cli', ...this.#where, ...args])
      return /connection refused|connection reset/.test(outcome.out + outcome.err) ? undefined : outcome
    })
  }

  syncthingLines(lines: string): Promise<Outcome> {
    return this.run([syncthingProgram(), 'cli', `--home=${this.#home}`, ...this.#where, '-'], lines)
  }

  /** All commands in one process, the args of one after the other. */
  async twinfold(commands: readonly (readonly string[])[]): Promise<readonly Outcome[]> {
    const input = commands.map((args) => `${JSON.stringify(args)}\n`).join('')
    const { out, err } = await this.run([process.execPath, DRIVER, ADDRESS, apiKeyOf(this.#home)], input)
    assert.equal(err, '')
    return out
      .trimEnd()
      .split('\n')
      .map((line): Outcome => JSON.parse(line))
  }

  /** One command in a process of its own, as a person starts it. */
  twinfoldProcess(args: readonly string[], input = ''): Promise<Outcome> {
    return this.run([process.execPath, testProgram(), 'cli', ...this.#where, ...args], input)
  }

  /** A command in the network of the daemon. */
  async run(command: readonly string[], input = ''): Promise<Outcome> {
    const [program, ...args] = [...insideNamespaceOf(this.#child), ...command]
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name)))
    const child = spawn(program!, args, { env: { ...env, HOME: this.#home }, timeout: 120_000 })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    child.stdin.on('error', () => {}).end(input)
    await once(child, 'close')
    return { code: child.exitCode, out, err }
  }

  async ready(): Promise<this> {
    await eventually(`${this.name} answers`, async () => {
      assert.equal(this.#child.exitCode, null, 'the daemon has ended')
      return (await this.syncthing('show', 'version')).code === 0 || undefined
    })
    return this
  }

  get #where(): string[] {
    return [`--gui-address=${ADDRESS}`, `--gui-apikey=${apiKeyOf(this.#home)}`]
  }
}
