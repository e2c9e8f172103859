import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testProgram } from '../../tools/test-program.ts'
import { checkReply } from './reply-check.ts'
import { rest, type Reply } from './rest.ts'
import { eventually } from './scratch.ts'

const COMPILE_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold')
const LOOPBACK_GUARD = join(import.meta.dirname, 'loopback-guard.mjs')

/** The program as developers run it; tests start the bundle, as users do, which is quicker. */
export const SOURCES = join(import.meta.dirname, '..', '..', 'src', 'main', 'bin.ts')

/** Long enough for a busy machine, or an emulated one; a daemon that ends is noticed at once. */
const READY_MS_MAX = 90_000
const STOP_MS_MAX = 60_000
/** As long as `fetch` waits; a scan of many files takes its time. */
const REPLY_MS_MAX = 300_000

export interface DaemonOptions {
  readonly home: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Arguments before the command: a namespace, another user, a limit. */
  readonly before?: readonly string[]
  /** The Node to run on; default: the one of this process. */
  readonly node?: string
  readonly nodeArgs?: readonly string[]
  /** Another path to the program. */
  readonly entry?: string
  /** An executable that contains Node and the program, in place of both. */
  readonly program?: string
  /** The whole command, in place of one made from the options above. */
  readonly command?: readonly string[]
  /** Default: a port chosen by the system; undefined: as configured. */
  readonly guiAddress?: string | undefined
}

/** An executable takes no arguments for its Node. */
const GUARDED = { NODE_OPTIONS: `--import=${LOOPBACK_GUARD}` }

function nodeWords(options: DaemonOptions): readonly string[] {
  return [
    options.node ?? process.execPath,
    ...(hasOwnNetwork(options.before ?? []) ? [] : ['--import', LOOPBACK_GUARD]),
    ...(options.nodeArgs ?? []),
    options.entry ?? testProgram(),
  ]
}

/** Whether a command runs in a network namespace; one of mounts or users alone has the network of the machine. */
function hasOwnNetwork(before: readonly string[]): boolean {
  return before.some((word) => /^(?:unshare|nsenter)$/.test(word)) && before.some((word) => /^-r?n$/.test(word))
}

/** A real daemon in a process of its own, on a port of its own. Ends with the scope that holds it. */
export class Daemon implements AsyncDisposable {
  readonly home: string
  readonly child: ChildProcess
  url = ''
  #output = ''

  constructor(options: DaemonOptions) {
    this.home = options.home
    const command = options.command ?? [
      ...(options.before ?? []),
      ...(options.program === undefined ? nodeWords(options) : [options.program]),
      'serve',
      `--home=${options.home}`,
      '--no-browser',
      ...guiFlag('guiAddress' in options ? options.guiAddress : '127.0.0.1:0'),
      ...(options.args ?? []),
    ]
    const [program, ...args] = command
    this.child = spawn(program!, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...cleanEnvironment(), ...(options.program !== undefined && GUARDED), ...options.env },
    })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
  }

  get output(): string {
    return this.#output
  }

  get apiKey(): string {
    return /<apikey>([^<]+)</.exec(readFileSync(join(this.home, 'config.xml'), 'utf8'))?.[1] ?? ''
  }

  /** Resolves once the REST interface is served. */
  async ready(): Promise<this> {
    await eventually(
      'the REST interface',
      async () => {
        if (this.#hasEnded()) return 'ended'
        this.url = /(https?:\/\/127\.0\.0\.1:\d+)/.exec(this.#output)?.[1] ?? ''
        if (this.url === '') return undefined
        return (await this.#reply('GET', '/rest/noauth/health', undefined, '')).status === 200 ? 'answers' : undefined
      },
      READY_MS_MAX,
    ).catch((error: unknown) => {
      throw new Error(`not ready; its output so far:\n${this.#output}`, { cause: error })
    })
    if (this.#hasEnded()) throw new Error(`the daemon ended with ${this.child.exitCode}:\n${this.#output}`)
    return this
  }

  #hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  request(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.url}${path}`, this.#init(method, this.apiKey, body))
  }

  #init(method: string, apiKey: string, body: unknown): RequestInit {
    // The daemon may close a kept connection in the instant in which a slow test sends its next request.
    const init: RequestInit = { method, headers: { 'X-API-Key': apiKey, connection: 'close' } }
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body)
    return init
  }

  /** A quarter of the processor time of `fetch`, for what is asked most often. */
  async #reply(method: string, path: string, body?: unknown, apiKey = this.apiKey): Promise<Omit<Reply, 'headers'>> {
    const { url } = this
    if (!url.startsWith('https:'))
      return rest({ address: { url }, apiKey, timeoutMs: REPLY_MS_MAX }, method, path, body)
    const reply = await fetch(`${url}${path}`, this.#init(method, apiKey, body))
    return {
      status: reply.status,
      contentType: reply.headers.get('content-type') ?? '',
      text: await reply.text(),
    }
  }

  /** The JSON of a successful GET. */
  async get(path: string): Promise<unknown> {
    const reply = await this.#reply('GET', path)
    if (!isSuccess(reply)) throw new Error(`GET ${path}: ${reply.status} ${reply.text}`)
    await checkReply('GET', path, reply)
    return JSON.parse(reply.text)
  }

  async post(path: string, body?: unknown): Promise<string> {
    const reply = await this.#reply('POST', path, body)
    await checkReply('POST', path, reply)
    if (!isSuccess(reply)) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
    return reply.text
  }

  async addFolder(id: string, path: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.post('/rest/config/folders', { id, path, fsWatcherEnabled: false, ...more })
  }

  /** The exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (!this.#hasEnded()) await once(this.child, 'exit')
    return this.child.exitCode
  }

  async signal(name: NodeJS.Signals): Promise<number | null> {
    this.child.kill(name)
    return this.ended()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded()) return
    this.child.kill('SIGTERM')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS_MAX)
    await this.ended()
    clearTimeout(timer)
  }
}

function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300
}

function guiFlag(address: string | undefined): readonly string[] {
  return address === undefined ? [] : [`--gui-address=${address}`]
}

/** The environment without anything that would steer a daemon. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  // Homes of Syncthing have upgrade checks on; a test that wants them names a registry of its own.
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: COMPILE_CACHE, STNOUPGRADE: '1' }
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const daemon = new Daemon(options)
  try {
    return await daemon.ready()
  } catch (error) {
    await daemon[Symbol.asyncDispose]()
    throw error
  }
}
