import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect, inSync, type Member } from './daemon-pair.ts'
import { fileDigest } from './file-digest.ts'
import { freePort } from './free-port.ts'
import { startDaemon, type Daemon, type DaemonOptions } from './daemon.ts'
import { eventually } from './scratch.ts'

const QUIET = {
  globalAnnounceEnabled: false,
  localAnnounceEnabled: false,
  relaysEnabled: false,
  natEnabled: false,
  reconnectionIntervalS: 5,
  crashReportingEnabled: false,
} as const

type DeviceOptions = Pick<DaemonOptions, 'before' | 'nodeArgs' | 'env'>

/** A device that can be killed and started again: home, folder and port stay the same. */
export class Device implements Member, AsyncDisposable {
  readonly directory: string
  readonly name: string
  readonly root: string
  readonly home: string
  readonly #options: DeviceOptions
  #daemon: Daemon
  #id = ''
  #port = 0
  /** The most memory any of its processes took. */
  #peakRssKib = 0

  private constructor(directory: string, name: string, options: DeviceOptions, daemon: Daemon) {
    this.directory = directory
    this.name = name
    this.root = join(directory, name)
    this.home = homeOf(directory, name)
    this.#options = options
    this.#daemon = daemon
  }

  static async start(directory: string, name: string, options: DeviceOptions = {}): Promise<Device> {
    const device = new Device(
      directory,
      name,
      options,
      await startDaemon({ home: homeOf(directory, name), ...options }),
    )
    const port = await freePort()
    await device.daemon.request('PATCH', '/rest/config/options', {
      ...QUIET,
      listenAddresses: [`tcp://127.0.0.1:${port}`],
    })
    const { myID } = (await device.daemon.get('/rest/system/status')) as { myID: string }
    device.#id = myID
    device.#port = port
    return device
  }

  get daemon(): Daemon {
    return this.#daemon
  }

  get id(): string {
    return this.#id
  }

  get port(): number {
    return this.#port
  }

  get isRunning(): boolean {
    return this.#daemon.child.exitCode === null && this.#daemon.child.signalCode === null
  }

  async kill(): Promise<void> {
    this.#notePeak()
    await this.#daemon.signal('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#notePeak()
    await this.#daemon[Symbol.asyncDispose]()
  }

  /** With other options than before, if given, for this one start. */
  async startAgain(options = this.#options): Promise<void> {
    this.#daemon = await startDaemon({ home: this.home, ...options })
  }

  /** Deletes the index of all folders; identity and configuration stay. */
  deleteIndex(): readonly string[] {
    const found = readdirSync(this.home).filter((name) => name.startsWith('index'))
    for (const name of found) rmSync(join(this.home, name), { recursive: true })
    return found
  }

  async scan(folder = 'docs'): Promise<void> {
    await this.daemon.post(`/rest/db/scan?folder=${folder}`)
  }

  async isConnectedTo(id: string): Promise<boolean> {
    const { connections } = (await this.daemon.get('/rest/system/connections')) as {
      connections: Record<string, { connected: boolean }>
    }
    return connections[id]?.connected === true
  }

  async whenConnectedTo(id: string): Promise<void> {
    await eventually(`a connection of ${this.name}`, async () => (await this.isConnectedTo(id)) || undefined)
  }

  /** Peaks of all processes so far, in MiB. */
  peakRssMib(): number {
    this.#notePeak()
    return Math.round(this.#peakRssKib / 1024)
  }

  /** What its process takes now, in MiB, memory outside the heap included. */
  rssMib(): number {
    return Math.round(this.#statusKib(/VmRSS:\s+(\d+)/) / 1024)
  }

  #notePeak(): void {
    this.#peakRssKib = Math.max(this.#peakRssKib, this.#statusKib(/VmHWM:\s+(\d+)/))
  }

  #statusKib(figure: RegExp): number {
    try {
      return Number(figure.exec(readFileSync(`/proc/${this.#daemon.child.pid}/status`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0 // ended, or a system without /proc: no figure
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

function homeOf(directory: string, name: string): string {
  return join(directory, `${name}-home`)
}

/** Two devices, `a` and `b`, that share the folder `docs`. */
export async function startPair(
  directory: string,
  options: { readonly b?: DeviceOptions; readonly folder?: Readonly<Record<string, unknown>> } = {},
): Promise<DevicePair> {
  const a = await Device.start(directory, 'a')
  try {
    const b = await Device.start(directory, 'b', options.b)
    const pair = new DevicePair(a, b)
    for (const { root } of pair.both) mkdirSync(root, { recursive: true })
    await connect(a, b, options.folder)
    return pair
  } catch (error) {
    await a.stop()
    throw error
  }
}

export class DevicePair implements AsyncDisposable {
  readonly a: Device
  readonly b: Device

  constructor(a: Device, b: Device) {
    this.a = a
    this.b = b
  }

  get both(): readonly Device[] {
    return [this.a, this.b]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.both.map((device) => device.stop()))
  }
}

/** Small numbers by chance, the same for the same seed. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below
  }
}

/** Everything a tree holds but the marker: type, mode, time in milliseconds and content, by path. */
export function contentsOf(root: string, directory = ''): ReadonlyMap<string, string> {
  const tree = new Map<string, string>()
  for (const name of readdirSync(join(root, directory)).sort()) {
    const path = directory === '' ? name : `${directory}/${name}`
    if (path === '.stfolder') continue
    const stat = lstatSync(join(root, path), { bigint: true })
    const mode = (Number(stat.mode) & 0o7777).toString(8)
    if (stat.isSymbolicLink()) tree.set(path, `symlink ${readlinkSync(join(root, path))}`)
    else if (stat.isFile()) {
      const modifiedMs = Math.round(Number(stat.mtimeNs) / 1e6)
      tree.set(path, `file ${mode} ${stat.size} ${modifiedMs} ${fileDigest(join(root, path), stat)}`)
    } else tree.set(path, `${stat.isDirectory() ? 'directory' : 'special'} ${mode}`)
    if (stat.isDirectory()) for (const [below, what] of contentsOf(root, path)) tree.set(below, what)
  }
  return tree
}

const TEMPORARY = /(^|\/)[.~]syncthing[.~][^/]*$/

/** Paths at which two trees differ, and how; files in the making do not count. */
export function differences(left: string, right: string): readonly string[] {
  const [a, b] = [contentsOf(left), contentsOf(right)]
  const paths = new Set([...a.keys(), ...b.keys()].filter((path) => !TEMPORARY.test(path)))
  return [...paths]
    .filter((path) => a.get(path) !== b.get(path))
    .map((path) => `${path}: ${a.get(path)} | ${b.get(path)}`)
}

/** Resolves when both have scanned, are connected, and have equal trees; fails with the differences. */
export async function converged({ a, b, both }: DevicePair, limitMs = 60_000): Promise<void> {
  await Promise.all([a.whenConnectedTo(b.id), b.whenConnectedTo(a.id)])
  await Promise.all([a.scan(), b.scan()])
  await inSync(both, limitMs)
  // Results of a scan may not be announced yet.
  await eventually(
    'equal trees',
    () => {
      const different = differences(a.root, b.root)
      if (different.length > 0) throw new Error(different.slice(0, 10).join('\n'))
      return true
    },
    limitMs,
  )
  await inSync(both, limitMs)
}
