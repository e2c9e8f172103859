import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Daemon } from './daemon.ts'
import { loopbackOnly } from './loopback.ts'
import { checkReply } from './reply-check.ts'
import { parsed, rest, type RestAddress } from './rest.ts'
import { eventually } from './scratch.ts'
import { apiKeyOf, generateSyncthingHome, insideNamespaceOf, quietConfig, Syncthing } from './syncthing.ts'

export type ProgramKind = 'twinfold' | 'syncthing'

/** The one folder that is shared in these tests. */
export const FOLDER = 'share'

/** Ports are free in the private network namespace. */
const FIRST_PORT = 22_000
const SLOW_LINE = join(import.meta.dirname, 'slow-line.mjs')
const SLOW_PORTS_ABOVE = 1_000
/** Several programs may start at once on a machine that is busy with others. */
const START_MS_MAX = 240_000

export interface FolderStatus {
  readonly state: string
  readonly error: string
  readonly errors: number
  readonly needTotalItems: number
  readonly needBytes: number
  readonly globalBytes: number
  readonly globalFiles: number
  readonly globalTotalItems: number
  readonly localTotalItems: number
  readonly inSyncBytes: number
  readonly sequence: number
}

interface ConnectionStatus {
  readonly connected: boolean
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  readonly secondary?: readonly { readonly inBytesTotal: number }[] | null
}

/** A network with nothing but loopback, in which several programs can connect to each other. Ends with its scope. */
export class Network implements AsyncDisposable {
  readonly #keeper: ChildProcess
  readonly #members: Member[] = []
  readonly #lines: ChildProcess[] = []
  readonly #directory: string

  private constructor(keeper: ChildProcess, directory: string) {
    this.#keeper = keeper
    this.#directory = directory
  }

  static async open(directory: string): Promise<Network> {
    const [program, ...args] = [...loopbackOnly(), 'sh', '-c', 'echo up && exec cat']
    const keeper = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(keeper.stdout, 'data', { signal: AbortSignal.timeout(START_MS_MAX) })
    return new Network(keeper, directory)
  }

  /** A running device without other devices. Its folder's directory exists and is empty. */
  async add(kind: ProgramKind, name: string): Promise<Member> {
    const before = insideNamespaceOf(this.#keeper)
    const member = new Member({
      kind,
      name,
      before,
      directory: this.#directory,
      port: FIRST_PORT + this.#members.length,
    })
    this.#members.push(member)
    await member.create()
    return member
  }

  /** Addresses at which members are reached, each way so much later. */
  async slowLines(members: readonly Member[], delayMs: number): Promise<readonly string[]> {
    return (await this.lines(members, SLOW_LINE, [delayMs])).addresses
  }

  /** Addresses at which members are reached through a program that forwards ports, and the program. */
  async lines(
    members: readonly Member[],
    script: string,
    words: readonly (string | number)[] = [],
  ): Promise<{ readonly addresses: readonly string[]; readonly program: ChildProcess }> {
    const ports = members.map(({ address }) => Number(address.split(':').at(-1)))
    const all = [script, ...words, ...ports.flatMap((port) => [port + SLOW_PORTS_ABOVE, port])].map(String)
    const [nsenter, ...args] = [...insideNamespaceOf(this.#keeper), process.execPath, ...all]
    const program = spawn(nsenter!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines.push(program)
    await once(program.stdout, 'data', { signal: AbortSignal.timeout(START_MS_MAX) })
    return { addresses: ports.map((port) => `tcp://127.0.0.1:${port + SLOW_PORTS_ABOVE}`), program }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop()))
    for (const line of this.#lines) line.kill('SIGKILL')
    this.#keeper.stdin?.end()
    if (this.#keeper.exitCode === null) await once(this.#keeper, 'exit')
  }
}

interface MemberOptions {
  readonly kind: ProgramKind
  readonly name: string
  readonly before: readonly string[]
  readonly directory: string
  readonly port: number
}

/** One device of either kind, seen through its REST interface and its files only. */
export class Member {
  kind: ProgramKind
  readonly name: string
  readonly home: string
  readonly root: string
  readonly address: string
  readonly #before: readonly string[]
  readonly #rest: RestAddress
  #process: Daemon | Syncthing | undefined
  readonly #neighbours: Member[] = []
  #apiKey = ''
  id = ''

  constructor({ kind, name, before, directory, port }: MemberOptions) {
    this.kind = kind
    this.name = name
    this.home = join(directory, `${name}-home`)
    this.root = join(directory, name)
    this.address = `tcp://127.0.0.1:${port}`
    this.#before = before
    this.#rest = { socketPath: join(this.home, 'gui.sock') }
  }

  get output(): string {
    return this.#process?.output ?? ''
  }

  async create(): Promise<void> {
    for (const directory of [this.home, this.root]) mkdirSync(directory, { mode: 0o755 })
    if (this.kind === 'syncthing') {
      generateSyncthingHome(this.home)
      quietConfig(this.home)
    }
    await this.start()
    await this.request('PATCH', '/rest/config/options', {
      listenAddresses: [this.address],
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
      crashReportingEnabled: false,
      reconnectionIntervalS: 1,
      limitBandwidthInLan: true,
    })
    this.id = String(Reflect.get(Object(await this.get('/rest/system/status')), 'myID'))
  }

  #spawn(): Daemon | Syncthing {
    return this.kind === 'syncthing'
      ? new Syncthing({ home: this.home, before: this.#before })
      : new Daemon({ home: this.home, before: this.#before, guiAddress: `unix://${join(this.home, 'gui.sock')}` })
  }

  /** Starts a process that must end by itself; its exit code. */
  async runUntilEnd(): Promise<number | null> {
    this.#process = this.#spawn()
    const { child } = this.#process
    if (child.exitCode === null) await once(child, 'exit', { signal: AbortSignal.timeout(START_MS_MAX) })
    return child.exitCode
  }

  async start(): Promise<void> {
    this.#process = this.#spawn()
    await eventually(
      `${this.name} answers`,
      async () => {
        this.#apiKey = apiKeyOf(this.home)
        return (await this.get('/rest/system/ping')) !== undefined || undefined
      },
      START_MS_MAX,
    ).catch((error: unknown) => {
      throw new Error(`${this.name} does not start; its output:\n${this.output}`, { cause: error })
    })
    if (this.#process instanceof Syncthing) await this.#process.ready()
  }

  /** SIGKILL: no close message, no last write, as at a power loss. */
  async kill(): Promise<void> {
    const child = this.#process?.child
    if (child === undefined) return
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async stop(): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]()
  }

  /** SIGSTOP and SIGCONT: a process that exists and does nothing. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.child.kill(name)
  }

  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await rest({ address: this.#rest, apiKey: this.#apiKey }, method, path, body)
    if (this.kind === 'twinfold') await checkReply(method, path, reply)
    if (reply.status !== 200) throw new Error(`${this.name}: ${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.contentType.includes('json') ? parsed(reply) : reply.text
  }

  get(path: string): Promise<unknown> {
    return this.request('GET', path)
  }

  /** Both sides have to do this before anything is exchanged. */
  async introduce(peer: Member, device: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.request('POST', '/rest/config/devices', {
      deviceID: peer.id,
      name: peer.name,
      addresses: [peer.address],
      ...device,
    })
    this.#neighbours.push(peer)
  }

  /** Whether it has received the whole index of its peers in `members`. */
  async hasReceivedAll(members: readonly Member[]): Promise<boolean> {
    for (const peer of this.#neighbours.filter((each) => members.includes(each))) {
      const completion = (await this.get(`/rest/db/completion?folder=${FOLDER}&device=${peer.id}`)) as {
        readonly sequence: number
      }
      if (completion.sequence !== (await peer.status()).sequence) return false
    }
    return true
  }

  async share(peers: readonly Member[], folder: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const devices = peers.map(({ id }) => ({ deviceID: id }))
    await this.request('POST', '/rest/config/folders', {
      id: FOLDER,
      path: this.root,
      devices,
      fsWatcherEnabled: false,
      rescanIntervalS: 0,
      pullerPauseS: 1,
      ...folder,
    })
  }

  /** Shares the folder with `peers` only. */
  async shareWith(peers: readonly Member[]): Promise<void> {
    const devices = peers.map(({ id }) => ({ deviceID: id }))
    await this.request('PATCH', `/rest/config/folders/${FOLDER}`, { devices })
  }

  async scan(): Promise<void> {
    await this.request('POST', `/rest/db/scan?folder=${FOLDER}`)
  }

  async status(): Promise<FolderStatus> {
    return (await this.get(`/rest/db/status?folder=${FOLDER}`)) as FolderStatus
  }

  async connectionTo(peer: Member): Promise<ConnectionStatus | undefined> {
    const { connections } = (await this.get('/rest/system/connections')) as {
      connections: Record<string, ConnectionStatus>
    }
    return connections[peer.id]
  }

  async isConnectedTo(peer: Member): Promise<boolean> {
    return (await this.connectionTo(peer))?.connected === true
  }
}

/** Adds devices by `links`, and shares the folder along them. */
export async function link(
  links: readonly (readonly [Member, Member])[],
  folder: Readonly<Record<string, unknown>> = {},
  device: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const neighbours = new Map<Member, Member[]>()
  for (const [a, b] of links) {
    neighbours.set(a, [...(neighbours.get(a) ?? []), b])
    neighbours.set(b, [...(neighbours.get(b) ?? []), a])
  }
  for (const [self, peers] of neighbours) {
    for (const peer of peers) await self.introduce(peer, device)
    await self.share(peers, folder)
  }
}

export async function scanAll(members: readonly Member[]): Promise<void> {
  await Promise.all(members.map((member) => member.scan()))
}
