import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOMParser, XMLSerializer, type Document, type Element } from '@xmldom/xmldom'
import { loopbackOnly, missingNamespaces } from './loopback.ts'
import { parsed, rest, type Reply, type RestAddress } from './rest.ts'
import { eventually } from './scratch.ts'
import { missingSyncthingProgram, syncthingProgram } from './syncthing-program.ts'

/** What is missing to run a real Syncthing here, or undefined. Gets it where we may; throws under CI=true. */
export function missingSyncthing(): string | undefined {
  return missingSyncthingProgram() ?? missingNamespaces()
}

/** Long enough for a busy machine; a Syncthing that ends by itself is noticed at once. */
const REPLY_MS_MAX = 10_000
const READY_MS_MAX = 90_000
const STOP_MS_MAX = 120_000
/** Much longer than a start takes. */
const STARTED_S = 30

/** Everything that reaches outside, off. The namespace keeps it in anyway; this keeps the log and the timing quiet. */
const QUIET_OPTIONS: Readonly<Record<string, string>> = {
  listenAddress: 'tcp://127.0.0.1:0',
  globalAnnounceEnabled: 'false',
  localAnnounceEnabled: 'false',
  relaysEnabled: 'false',
  natEnabled: 'false',
  urAccepted: '-1',
  crashReportingEnabled: 'false',
  autoUpgradeIntervalH: '0',
  startBrowser: 'false',
  announceLANAddresses: 'false',
  stunKeepaliveStartS: '0',
  stunServer: '',
}

/** The output and exit code of one run of the program that ends by itself. */
export function runSyncthing(
  args: readonly string[],
  before = loopbackOnly(),
  program = syncthingProgram(),
): { code: number | null; output: string } {
  const [first, ...words] = [...before, program, ...args]
  const result = spawnSync(first!, words, { encoding: 'utf8', env: environment(), timeout: 60_000 })
  return { code: result.status, output: result.stdout + result.stderr }
}

const versionTwo = new Map<string, boolean>()

/** Whether the program is one of 2.x, which has other options. */
function isVersionTwo(before: readonly string[], program = syncthingProgram()): boolean {
  const known =
    versionTwo.get(program) ?? runSyncthing(['--version'], before, program).output.startsWith('syncthing v2.')
  versionTwo.set(program, known)
  return known
}

/** A home as the real program makes it, before anybody touched it. Nothing is started on it. */
export function generateSyncthingHome(home: string, before = loopbackOnly(), program = syncthingProgram()): void {
  const options = isVersionTwo(before, program) ? ['--no-port-probing'] : ['--skip-port-probing', '--no-default-folder']
  const args = ['generate', `--home=${home}`, ...options]
  const { code, output } = runSyncthing(args, before, program)
  if (code !== 0) throw new Error(`syncthing generate ended with ${code}: ${output}`)
}

export function syncthingDeviceId(home: string, before = loopbackOnly()): string {
  const { output } = runSyncthing([`--home=${home}`, isVersionTwo(before) ? 'device-id' : '--device-id'], before)
  const id = /^[A-Z2-7]{7}(-[A-Z2-7]{7}){7}$/m.exec(output)?.[0]
  if (id === undefined) throw new Error(`no device id: ${output}`)
  return id
}

/** Switches off, in the config file of an unused home, all external connections except what `more` sets. */
export function quietConfig(home: string, more: Readonly<Record<string, string>> = {}): void {
  editConfig(home, (document) => {
    const options = child(document.documentElement, 'options')
    for (const [name, value] of Object.entries({ ...QUIET_OPTIONS, ...more })) {
      for (const old of children(options, name)) options.removeChild(old)
      const element = document.createElement(name)
      element.appendChild(document.createTextNode(value))
      options.appendChild(element)
    }
  })
}

export function editConfig(home: string, edit: (document: Document) => void): void {
  const file = join(home, 'config.xml')
  const document = new DOMParser().parseFromString(readFileSync(file, 'utf8'), 'text/xml')
  edit(document)
  writeFileSync(file, new XMLSerializer().serializeToString(document), { mode: 0o600 })
}

export function apiKeyOf(home: string): string {
  return /<apikey>([^<]+)</.exec(readFileSync(join(home, 'config.xml'), 'utf8'))?.[1] ?? ''
}

function children(parent: Element, name: string): Element[] {
  return [...parent.getElementsByTagName(name)].filter((element) => element.parentNode === parent)
}

function child(parent: Element | null, name: string): Element {
  const found = parent === null ? undefined : children(parent, name)[0]
  if (found === undefined) throw new Error(`the config file has no <${name}>`)
  return found
}

/** One process instead of a supervising one and its child, no upgrades, and no user settings. */
function environment(home?: string): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(ST(?!GUIASSETS)[A-Z]|NODE_)/.test(name)),
  )
  return {
    ...clean,
    STNOUPGRADE: '1',
    STNODEFAULTFOLDER: '1',
    ...(home !== undefined && { STMONITORED: 'yes', HOME: home }),
  }
}

/** Whether the network namespace of this process has more than loopback. */
export function hasWayOut(): boolean {
  const routes = readFileSync('/proc/self/net/route', 'utf8').trim().split('\n').slice(1)
  return routes.some((line) => line.split(/\s+/)[0] !== 'lo')
}

/** Arguments that, before a command, run it in the network of a process that was started with `loopbackOnly`. */
export function insideNamespaceOf(child: ChildProcess): readonly string[] {
  const user = process.getuid?.() === 0 ? [] : ['--preserve-credentials', '-U']
  return ['nsenter', ...user, '-n', '-t', String(child.pid)]
}

export interface SyncthingOptions {
  readonly home: string
  readonly args?: readonly string[]
  /** Where REST shall listen, as `--gui-address` takes it. Default: a socket in the home. */
  readonly guiAddress?: string
  /** Arguments before the command. The namespace may be left out only inside of one. */
  readonly before?: readonly string[]
}

/** A real Syncthing that sees nothing but loopback. Ends with the scope that holds it. */
export class Syncthing implements AsyncDisposable {
  readonly home: string
  readonly child: ChildProcess
  readonly address: RestAddress
  /** A test that is cut short must not leave a Syncthing behind. */
  readonly #killOnExit = () => void this.child.kill('SIGKILL')
  #output = ''

  constructor(options: SyncthingOptions) {
    const { home, before = loopbackOnly() } = options
    if (before.length === 0 && hasWayOut())
      throw new Error('a real Syncthing is started only where no network leads out')
    const socketPath = join(home, 'gui.sock')
    const guiAddress = options.guiAddress ?? `unix://${socketPath}`
    this.home = home
    this.address = options.guiAddress === undefined ? { socketPath } : { url: `http://${options.guiAddress}` }
    if (options.guiAddress === undefined) rmSync(socketPath, { force: true })
    const flags = ['serve', `--home=${home}`, '--no-browser', '--no-restart', `--gui-address=${guiAddress}`]
    const [program, ...args] = [...before, syncthingProgram(), ...flags, ...(options.args ?? [])]
    this.child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(home) })
    process.once('exit', this.#killOnExit)
    this.child.once('exit', () => process.off('exit', this.#killOnExit))
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
  }

  get output(): string {
    return this.#output
  }

  /** Resolves once it has started. It serves requests before, but fails when it is stopped before. */
  async ready(): Promise<this> {
    await eventually(
      'Syncthing to start',
      async () => {
        if (this.#hasEnded()) return 'ended'
        if ('socketPath' in this.address && !existsSync(this.address.socketPath)) return undefined
        const reply = await this.#requestSoon('/rest/system/ping')
        return reply.status === 200 && (await this.#hasStarted()) ? 'started' : undefined
      },
      READY_MS_MAX,
    ).catch((error: unknown) => {
      throw new Error(`Syncthing does not start; its output so far:\n${this.#output}`, { cause: error })
    })
    if (this.#hasEnded()) throw new Error(`Syncthing ended with ${this.child.exitCode}:\n${this.#output}`)
    return this
  }

  /** Whether it reports so, and every folder that is not paused has a state. */
  async #hasStarted(): Promise<boolean> {
    const events = parsed(await this.#requestSoon('/rest/events?since=0&timeout=1')) as
      | { readonly type: string }[]
      | null
    if (events?.some(({ type }) => type === 'StartupComplete') !== true && !(await this.#runsLong())) return false
    const folders = parsed(await this.#requestSoon('/rest/config/folders')) as {
      readonly id: string
      readonly paused: boolean
    }[]
    for (const { id } of folders.filter(({ paused }) => !paused)) {
      const reply = await this.#requestSoon(`/rest/db/status?folder=${encodeURIComponent(id)}`)
      const { state } = parsed(reply) as { readonly state: string }
      if (state === '') return false
    }
    return true
  }

  /** Version 1.19 sometimes reports no start, where it emits the event before it keeps events. */
  async #runsLong(): Promise<boolean> {
    const { uptime } = parsed(await this.#requestSoon('/rest/system/status')) as { readonly uptime: number }
    return uptime > STARTED_S
  }

  /** A request that is sent while it starts may stay without a reply: another one must follow. */
  #requestSoon(path: string): Promise<Reply> {
    return rest({ address: this.address, apiKey: apiKeyOf(this.home), timeoutMs: REPLY_MS_MAX }, 'GET', path)
  }

  request(method: string, path: string, body?: unknown): Promise<Reply> {
    return rest({ address: this.address, apiKey: apiKeyOf(this.home) }, method, path, body)
  }

  /** The JSON of a successful GET. */
  async get(path: string): Promise<unknown> {
    return parsed(await this.request('GET', path))
  }

  async post(path: string, body?: unknown): Promise<string> {
    const reply = await this.request('POST', path, body)
    if (reply.status !== 200) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
    return reply.text
  }

  async addFolder(id: string, path: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.post('/rest/config/folders', { id, path, fsWatcherEnabled: false, ...more })
  }

  #hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** The exit code, once it has ended by itself. Rejects when it keeps running. */
  async ended(limitMs = STOP_MS_MAX): Promise<number | null> {
    if (!this.#hasEnded()) await once(this.child, 'exit', { signal: AbortSignal.timeout(limitMs) })
    return this.child.exitCode
  }

  async stop(): Promise<number | null> {
    if (this.#hasEnded()) return this.child.exitCode
    this.child.kill('SIGTERM')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS_MAX / 2)
    try {
      return await this.ended()
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

export async function startSyncthing(options: SyncthingOptions): Promise<Syncthing> {
  const peer = new Syncthing(options)
  try {
    return await peer.ready()
  } catch (error) {
    await peer.stop()
    throw error
  }
}
