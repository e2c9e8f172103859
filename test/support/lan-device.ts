import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testProgram } from '../../tools/test-program.ts'
import { killOnExit } from './kill-on-exit.ts'
import type { Host } from './lan.ts'
import { parsed, rest } from './rest.ts'
import { eventually } from './scratch.ts'
import { apiKeyOf, editConfig, generateSyncthingHome, syncthingDeviceId } from './syncthing.ts'
import { syncthingProgram } from './syncthing-program.ts'

const READY_MS_MAX = 90_000
const STOP_MS_MAX = 60_000
const REQUEST_MS_MAX = 10_000

export type ProgramKind = 'twinfold' | 'syncthing'

/** A device on a host of a LAN: both kinds take the same flags and requests. Ends with the scope that holds it. */
export class LanDevice implements AsyncDisposable {
  readonly kind: ProgramKind
  readonly home: string
  readonly host: Host
  #child: ChildProcess | undefined
  #output = ''

  /** With a home of its own, made by the real Syncthing; not started yet. */
  constructor(kind: ProgramKind, host: Host, home: string) {
    this.kind = kind
    this.home = home
    this.host = host
    mkdirSync(home, { mode: 0o700 })
    generateSyncthingHome(home)
  }

  /** Adds another device to the configuration before the start. */
  addDevice(id: string, address = 'dynamic'): void {
    editConfig(this.home, (document) => {
      const element = document.createElement('device')
      element.setAttribute('id', id)
      element.setAttribute('name', 'other')
      const child = document.createElement('address')
      child.appendChild(document.createTextNode(address))
      element.appendChild(child)
      document.documentElement!.appendChild(element)
    })
  }

  get id(): string {
    return syncthingDeviceId(this.home)
  }

  get output(): string {
    return this.#output
  }

  start(more: Readonly<Record<string, string>> = {}): void {
    const socket = join(this.home, 'gui.sock')
    rmSync(socket, { force: true })
    const program = this.kind === 'twinfold' ? [process.execPath, testProgram()] : [syncthingProgram()]
    const flags = ['serve', `--home=${this.home}`, '--no-browser', '--no-restart', `--gui-address=unix://${socket}`]
    const [command, ...args] = [...this.host.inside, ...program, ...flags]
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.home, STNOUPGRADE: '1', STMONITORED: 'yes', ...more }
    const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    killOnExit(child)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
    this.#child = child
  }

  async ready(): Promise<void> {
    await this.until('REST', async () => (await this.get('/rest/system/ping')) !== undefined || undefined, READY_MS_MAX)
  }

  async get(path: string): Promise<unknown> {
    return parsed(await this.#request('GET', path))
  }

  async patch(path: string, body: unknown): Promise<void> {
    await this.call('PATCH', path, body)
  }

  async call(method: string, path: string, body?: unknown): Promise<void> {
    const { status, text } = await this.#request(method, path, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
  }

  /** The reply, as JSON. */
  async post(path: string, body: unknown): Promise<unknown> {
    return parsed(await this.#request('POST', path, body))
  }

  async isConnectedTo(id: string): Promise<boolean> {
    const { connections } = (await this.get('/rest/system/connections')) as {
      connections: Readonly<Record<string, { readonly connected: boolean }>>
    }
    return connections[id]?.connected === true
  }

  /** Waits; a failure shows the output. */
  async until<T>(what: string, check: () => Promise<T | undefined>, limitMs = 60_000): Promise<T> {
    return await eventually(what, check, limitMs).catch((error: unknown) => {
      throw new Error(`${this.kind}: ${String(error)}\n${this.#output}`, { cause: error })
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    await once(child, 'exit')
    clearTimeout(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #request(method: string, path: string, body?: unknown) {
    const socketPath = join(this.home, 'gui.sock')
    if (!existsSync(socketPath)) throw new Error(`${this.kind} does not listen yet`)
    const target = { address: { socketPath }, apiKey: apiKeyOf(this.home), timeoutMs: REQUEST_MS_MAX }
    return await rest(target, method, path, body)
  }
}
