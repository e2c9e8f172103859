import type { Attributes } from './attributes.ts'
import type { BlockReader } from './files/block-reader.ts'
import type { Clock } from './clock.ts'
import type { Disk } from './disk.ts'
import type { FileMaker } from './file-maker.ts'
import type { FolderKeys } from './folder-keys.ts'
import type { Hasher } from './hasher.ts'
import type { DialDirectory } from './directory.ts'
import type { HttpClient } from './http-client.ts'
import type { HttpServer } from './http.ts'
import type { Lines } from './files/lines.ts'
import type { Net } from './net.ts'
import type { PasswordHasher } from './passwords.ts'
import type { Programs } from './programs.ts'
import type { ProcessView } from './process.ts'
import type { Random } from './random.ts'
import type { Udp } from './udp.ts'
import type { Walker } from './walk.ts'
import type { Watcher } from './watch.ts'

/** All external dependencies as ports: the real machine, or a simulated one. */
export interface Platform {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly attributes: Attributes
  readonly walker: Walker
  readonly hasher: Hasher
  readonly fileMaker: FileMaker
  readonly blocks: BlockReader
  readonly watcher: Watcher
  readonly http: HttpServer
  readonly httpClient: HttpClient
  readonly dialDirectory: DialDirectory
  readonly net: Net
  readonly udp: Udp
  readonly passwords: PasswordHasher
  readonly folderKeys: FolderKeys
  readonly lines: Lines
  readonly programs: Programs
  readonly system: System
  /** To be called after a connection: the next start of the program has what was compiled for it. */
  keepCompiled?(): void
}

/** Facts about the machine and the process. */
export interface System {
  readonly platform: 'linux' | 'darwin' | 'win32' | string
  readonly architecture: string
  readonly endianness: 'LE' | 'BE'
  readonly hostName: string
  readonly cpuCount: number
  /** Of the whole machine. */
  readonly memorySizeBytes: number
  /** Memory of the process, for display. */
  memoryBytes(): { readonly usedBytes: number; readonly reservedBytes: number }
  /** The addresses of the machine as of now, with the networks they belong to. Empty when they cannot be listed. */
  networks(): readonly InterfaceAddress[]
  /** IPv4 addresses of the routers of the default routes. Empty when they cannot be listed. */
  gateways(): Promise<readonly string[]>
  /** The name of the time zone of the machine as of now, as `Europe/Berlin`. */
  timeZone(): Promise<string>
  /** Batteries and chargers; undefined where the system does not list them. */
  powerSupplies(): Promise<readonly PowerSupply[] | undefined>
  /** A variable of the environment of the process; undefined when it is not set. */
  environment(name: string): string | undefined
  /** Why system calls that the runtime lacks cannot be used; undefined where they can. Slower ways replace them. */
  whyNoNativeCalls(): string | undefined
  /** The user of the process; undefined on systems that do not number users. */
  readonly userId: number | undefined
  /** Whether the process may do everything on this machine. */
  readonly isRoot: boolean
  /** The number of the process. */
  readonly processId: number
  readonly process: ProcessView
}

/** A battery or a charger, with texts as Linux has them; empty ones are not known. */
export interface PowerSupply {
  /** `Battery`, `Mains`, `USB`, … */
  readonly type: string
  /** Of a battery: `Charging`, `Discharging`, `Full`, … */
  readonly status: string
  /** Of a charger: `0` or `1`. */
  readonly online: string
  /** `Device`: of a mouse or the like, not of the machine. */
  readonly scope: string
}

export interface InterfaceAddress {
  readonly address: string
  readonly prefixLength: number
  /** Name of the network interface. */
  readonly interface: string
  readonly isLoopback: boolean
}
