import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PORT_CONTROL_PORT } from '../../src/core/network/nat-pmp.ts'
import { SSDP_PORT } from '../../src/core/network/ssdp.ts'
import { missingProgram, isOnPath, required, withInstallLock } from './debian.ts'
import { killOnExit } from './kill-on-exit.ts'
import { eventually } from './scratch.ts'
import { missingLan, run, type Forwarder, type Host, type Lan } from './lan.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', 'miniupnpd')
const PROGRAM = join(CACHE, 'usr', 'sbin', 'miniupnpd')
const READY_MS_MAX = 60_000
const PACKAGE = 'miniupnpd-nftables'
const CHAINS = ['prerouting_miniupnpd', 'postrouting_miniupnpd', 'miniupnpd']
/** The program adds and removes rules in the last three chains. */
const RULES = `
table inet filter {
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lan0" accept
    jump miniupnpd
  }
  chain miniupnpd { }
  chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
  chain postrouting {
    type nat hook postrouting priority 100;
    jump postrouting_miniupnpd
    oifname "wan0" meta nfproto ipv4 masquerade
  }
  chain prerouting_miniupnpd { }
  chain postrouting_miniupnpd { }
}
`

/** What is missing for a router with NAT, or undefined. Under CI=true something missing is a failure. */
export function missingRouter(): string | undefined {
  const missing = missingLan() ?? missingProgram('nft', 'nftables') ?? missingProgram('sysctl', 'procps')
  if (missing !== undefined) return missing
  if (!existsSync(PROGRAM)) withInstallLock(() => existsSync(PROGRAM) || download())
  return existsSync(PROGRAM) ? undefined : required(`the Debian package ${PACKAGE} could not be got here`)
}

/** Not installed: the scripts of the package could start the program on this machine. */
function download(): void {
  if (!isOnPath('apt-get') || !isOnPath('dpkg-deb')) return
  mkdirSync(join(CACHE, '..'), { recursive: true })
  const directory = mkdtempSync(join(CACHE, '..', 'download-'))
  const call = (program: string, ...args: readonly string[]): boolean =>
    spawnSync(program, args, { cwd: directory, stdio: 'ignore', timeout: 180_000 }).status === 0
  try {
    const fetch = (): boolean => call('apt-get', '-o', 'APT::Sandbox::User=root', 'download', PACKAGE)
    if (!fetch() && !(call('apt-get', 'update') && fetch())) return
    const archive = readdirSync(directory).find((name) => name.endsWith('.deb'))
    if (archive !== undefined && call('dpkg-deb', '-x', archive, 'unpacked'))
      renameSync(join(directory, 'unpacked'), CACHE)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export type RouterProtocol = 'UPnP' | 'PCP' | 'NAT-PMP'

/** A router with NAT between two networks, and the real miniupnpd on it. Ends with the scope that holds it. */
export class Router implements AsyncDisposable {
  readonly forwarder: Forwarder
  readonly #child: ChildProcess

  private constructor(forwarder: Forwarder, child: ChildProcess) {
    this.forwarder = forwarder
    this.#child = child
  }

  /** With IPv6 networks the router has the first address of each. */
  static async start(
    lan: Lan,
    wan: Lan,
    protocol: RouterProtocol,
    directory: string,
    ipv6?: { readonly inner: string; readonly outer: string },
  ): Promise<Router> {
    const forwarder = await lan.addForwarder(wan)
    const { inside } = forwarder
    const rules = join(directory, 'rules.nft')
    writeFileSync(rules, RULES)
    run(...inside, 'nft', '-f', rules)
    if (ipv6 !== undefined) {
      run(...inside, 'ip', 'address', 'add', `${ipv6.inner}1/64`, 'dev', 'lan0', 'nodad')
      run(...inside, 'ip', 'address', 'add', `${ipv6.outer}1/64`, 'dev', 'wan0', 'nodad')
    }
    // This build cannot switch PCP off alone: the first byte of its packets is 2, that of NAT-PMP is 0.
    if (protocol === 'NAT-PMP') {
      run(...inside, 'nft', 'add table inet old')
      run(...inside, 'nft', 'add chain inet old input { type filter hook input priority 0; }')
      run(...inside, 'nft', 'add rule inet old input udp dport 5351 @th,64,8 0x02 drop')
    }
    const settings = join(directory, 'miniupnpd.conf')
    writeFileSync(settings, settingsOf(protocol, forwarder, ipv6 !== undefined))
    const [command, ...args] = [...inside, PROGRAM, '-d', '-f', settings, '-P', join(directory, 'miniupnpd.pid')]
    const child = spawn(command!, args, { stdio: 'ignore' })
    killOnExit(child)
    const [table, port] = [ipv6 === undefined ? 'udp' : 'udp6', protocol === 'UPnP' ? SSDP_PORT : PORT_CONTROL_PORT]
    const listed = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
    const isOpen = (): boolean => readFileSync(`/proc/${child.pid}/net/${table}`, 'latin1').includes(listed)
    const router = new Router(forwarder, child)
    try {
      await eventually('the router', async () => isOpen() || undefined, READY_MS_MAX)
    } catch (error) {
      await router[Symbol.asyncDispose]()
      throw error
    }
    return router
  }

  /** Makes the router the way of a host to other networks. */
  serve({ inside }: Host): void {
    run(...inside, 'ip', 'route', 'add', 'default', 'via', this.forwarder.address)
  }

  /** The rules that forward external ports and open the firewall, as the kernel has them. */
  forwards(): string {
    return CHAINS.flatMap((chain) => {
      const [command, ...args] = [...this.forwarder.inside, 'nft', '-n', 'list', 'chain', 'inet', 'filter', chain]
      const { stdout } = spawnSync(command!, args, { encoding: 'utf8', timeout: 30_000 })
      return stdout.split('\n').filter((line) => /^\t\t\S/.test(line))
    }).join('\n')
  }

  /** As after a power failure. */
  forgetMappings(): void {
    for (const chain of CHAINS) run(...this.forwarder.inside, 'nft', 'flush', 'chain', 'inet', 'filter', chain)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

function settingsOf(protocol: RouterProtocol, { address }: Forwarder, hasIpv6: boolean): string {
  return [
    'ext_ifname=wan0',
    'listening_ip=lan0',
    'http_port=5000',
    `enable_upnp=${protocol === 'UPnP' ? 'yes' : 'no'}`,
    `enable_natpmp=${protocol === 'UPnP' ? 'no' : 'yes'}`,
    `ipv6_disable=${hasIpv6 ? 'no' : 'yes'}`,
    'upnp_table_name=filter',
    'upnp_nat_table_name=filter',
    'upnp_forward_chain=miniupnpd',
    'upnp_nat_chain=prerouting_miniupnpd',
    'upnp_nat_postrouting_chain=postrouting_miniupnpd',
    'secure_mode=yes',
    'system_uptime=yes',
    'min_lifetime=60',
    'uuid=5b7e3f5a-9a52-4a4c-8d6e-0f0f5b7e3f5a',
    `allow 1024-65535 ${address.replace(/\d+$/, '0')}/24 1024-65535`,
    'deny 0-65535 0.0.0.0/0 0-65535',
    '',
  ].join('\n')
}
