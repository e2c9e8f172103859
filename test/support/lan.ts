import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { killOnExit } from './kill-on-exit.ts'
import { missingProgram, required } from './debian.ts'

/** Bounds the processes that hold the namespaces, if a test is cut short. */
const HELD_S_MAX = '900'

/** What is missing for several simulated hosts, or undefined. Under CI=true something missing is a failure. */
export function missingLan(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return required('several hosts are network namespaces, which need Linux and root')
  }
  return missingProgram('ip', 'iproute2')
}

/** A host of a `Lan`: a network namespace with loopback and one interface. */
export interface Host {
  readonly address: string
  /** Arguments that, before a command, run it on this host. */
  readonly inside: readonly string[]
  /** Takes the host off the network, or plugs it into another. */
  plugInto(lan: Lan | undefined): void
}

export interface Forwarder extends Pick<Host, 'address' | 'inside'> {
  /** Its address in the other network. */
  readonly externalAddress: string
}

/**
 * An Ethernet of hosts on this machine that reaches nothing else: network namespaces, connected by a bridge in another
 * one. Ends with the scope that holds it.
 */
export class Lan implements AsyncDisposable {
  readonly #prefix: string
  readonly #switch: ChildProcess
  readonly #held: ChildProcess[] = []
  #hosts = 0

  private constructor(prefix: string, bridge: ChildProcess) {
    this.#prefix = prefix
    this.#switch = bridge
    this.#held.push(bridge)
  }

  /** `prefix` is the first three numbers of its IPv4 addresses. */
  static async make(prefix: string): Promise<Lan> {
    const lan = new Lan(prefix, await holdNamespace())
    const inside = insideOf(lan.#switch)
    run(...inside, 'ip', 'link', 'add', 'br0', 'type', 'bridge')
    run(...inside, 'ip', 'link', 'set', 'br0', 'up')
    return lan
  }

  async addHost(): Promise<Host> {
    const holder = await holdNamespace()
    this.#held.push(holder)
    const host = new PluggedHost(holder)
    host.plugInto(this)
    return host
  }

  /** Connects a namespace by a cable, with an address of its own. */
  connect(holder: Pick<ChildProcess, 'pid'>, name = 'eth0'): string {
    const number = ++this.#hosts
    const [address, port] = [`${this.#prefix}.${number}`, `p${number}`]
    const [here, there] = [insideOf(this.#switch), insideOf(holder)]
    run(...here, 'ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', name, 'netns', String(holder.pid))
    run(...here, 'ip', 'link', 'set', port, 'master', 'br0', 'up')
    run(...there, 'ip', 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', name)
    // Without it the IPv6 address is unusable in the first second, while it is checked for duplicates.
    run(...there, 'sh', '-c', 'echo 0 > "/proc/sys/net/ipv6/conf/$1/accept_dad"', 'sh', name)
    run(...there, 'ip', 'link', 'set', name, 'up')
    return address
  }

  /** A namespace that is connected to this network by `lan0` and to another by `wan0`, and forwards packets. */
  async addForwarder(wan: Lan): Promise<Forwarder> {
    const holder = await holdNamespace()
    this.#held.push(holder)
    const [address, externalAddress] = [this.connect(holder, 'lan0'), wan.connect(holder, 'wan0')]
    const inside = insideOf(holder)
    run(...inside, 'sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1')
    return { address, externalAddress, inside }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The kernel removes the devices of a namespace some time after its end; the names in others are free at once now.
    const ports = Array.from({ length: this.#hosts }, (_, at) => `p${at + 1}`)
    const script = 'for port; do ip link delete "$port" 2>&-; done; true' // unplugged ones are gone
    if (isRunning(this.#switch)) run(...insideOf(this.#switch), 'sh', '-c', script, 'sh', ...ports)
    for (const child of this.#held) {
      if (!isRunning(child)) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}

class PluggedHost implements Host {
  readonly #holder: ChildProcess
  #address = ''

  constructor(holder: ChildProcess) {
    this.#holder = holder
  }

  get address(): string {
    return this.#address
  }

  get inside(): readonly string[] {
    return insideOf(this.#holder)
  }

  plugInto(lan: Lan | undefined): void {
    if (this.#address !== '') run(...this.inside, 'ip', 'link', 'delete', 'eth0')
    this.#address = lan?.connect(this.#holder) ?? ''
  }
}

/** A process in a network namespace of its own, which exists as long as the process. */
async function holdNamespace(): Promise<ChildProcess> {
  const script = 'ip link set lo up && echo ready && exec sleep "$1"'
  const child = spawn('unshare', ['-n', 'sh', '-c', script, 'namespace', HELD_S_MAX], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(child)
  await once(child.stdout!, 'data')
  return child
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function insideOf(child: Pick<ChildProcess, 'pid'>): readonly string[] {
  return ['nsenter', '-n', '-t', String(child.pid)]
}

/** Runs a command to its end; throws if it fails. */
export function run(...command: readonly string[]): void {
  const [program = '', ...args] = command
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000 })
  if (result.status !== 0) throw new Error(`${command.join(' ')}: ${result.stderr}`)
}
