/** A root file system that runs programs in namespaces of its own: what a container engine does, without one. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { required } from './debian.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** No machine outlasts the test that started it by more than this. */
const LIFETIME_S = 1_800
const START_MS_MAX = 60_000

/** The mounts are gone with the namespace. Arguments: root, host name, and pairs of directories. */
const PREPARE = `set -e
root=$1; name=$2; shift 2
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
chmod 1777 "$root/tmp"
while [ $# -gt 1 ]; do
  if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")"; : >> "$root$2"; fi
  mount --bind "$1" "$root$2"
  shift 2
done
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
echo "$name" > /proc/sys/kernel/hostname
ip link set lo up 2>/dev/null || true
echo ready
exec sleep ${LIFETIME_S}`

export interface MachineOptions {
  readonly root: string
  readonly hostName?: string
  /** Directories or files of this system, by their place in the machine. */
  readonly mounts?: Readonly<Record<string, string>>
  /** The network of this system, to install packages; otherwise loopback only. */
  readonly isOnline?: boolean
}

export interface InMachine {
  readonly environment: Readonly<Record<string, string>>
  readonly directory?: string
}

export class ContainerMachine implements AsyncDisposable {
  readonly #root: string
  readonly #process: ChildProcess
  readonly #flags: readonly string[]

  private constructor(root: string, holder: ChildProcess, flags: readonly string[]) {
    this.#root = root
    this.#process = holder
    this.#flags = flags
  }

  static async start({
    root,
    hostName = 'machine',
    mounts = {},
    isOnline = false,
  }: MachineOptions): Promise<ContainerMachine> {
    const kinds = ['--mount', '--uts', '--pid', ...(isOnline ? [] : ['--net'])]
    const pairs = Object.entries(mounts).flatMap(([place, source]) => [source, place])
    const args = [...kinds, '--fork', '--kill-child', 'sh', '-c', PREPARE, 'prepare', root, hostName, ...pairs]
    mkdirSync(root, { recursive: true })
    const holder = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    holder.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    const signal = AbortSignal.timeout(START_MS_MAX)
    await Promise.race([once(holder.stdout, 'data', { signal }), once(holder, 'exit', { signal })])
    if (holder.exitCode !== null) throw new Error(`no machine at ${root}: ${errors}`)
    return new ContainerMachine(root, holder, [`--target=${childOf(holder.pid ?? 0)}`, ...kinds])
  }

  /** Starts a program in it, as root. */
  start(words: readonly string[], { environment, directory = '/' }: InMachine): ChildProcess {
    const variables = Object.entries({ PATH, HOME: '/root', ...environment }).map(([name, value]) => `${name}=${value}`)
    const inside = ['chroot', this.#root, 'env', '-i', `--chdir=${directory}`, ...variables, ...words]
    return spawn('nsenter', [...this.#flags, '--', ...inside], { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** Runs a program in it to its end. */
  async run(words: readonly string[], options: InMachine): Promise<{ code: number | null; out: string; err: string }> {
    const child = this.start(words, options)
    const [out, err] = [collect(child.stdout), collect(child.stderr)]
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, out: out(), err: err() }
  }

  /** Processes in it whose command line contains the text. */
  find(text: string): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
          return readlinkSync(`/proc/${pid}/root`) === this.#root && words.some((word) => word.includes(text))
        } catch {
          return false // it has ended
        }
      })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

/** The first process of the namespaces, which `unshare` waits for. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

export function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (part: string) => (text += part))
  return () => text
}

/** What is missing for machines to work here, or undefined. Under CI=true something missing is a failure. */
export function missingMachines(): string | undefined {
  const { status } = spawnSync('unshare', ['--mount', '--uts', '--pid', '--net', '--fork', 'true'], { timeout: 60_000 })
  if (process.getuid?.() === 0 && status === 0) return undefined
  return required('a container needs root and namespaces (unshare), which cannot be used here')
}

/** Directories of this system that make a root file system without data, for programs that are linked with it. */
export function systemMounts(): Readonly<Record<string, string>> {
  const names = ['usr', ...readdirSync('/').filter((name) => /^(?:s?bin|lib\d*)$/.test(name))]
  const files = ['etc/ld.so.cache', 'etc/passwd', 'etc/group']
  return Object.fromEntries([...names, ...files].map((name) => [`/${name}`, join('/', name)]))
}
