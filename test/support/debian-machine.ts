import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { required } from './debian.ts'
import { makeDebianRoot } from './debootstrap.ts'
import { killOnExit } from './kill-on-exit.ts'
import { eventually } from './scratch.ts'

const RELEASE = 'bookworm'
const BASE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', `${RELEASE}-root`)
/** For the manual page and for the completions of zsh; bash is there anyway. */
const PACKAGES = ['man-db', 'zsh']
const COMMAND_MS_MAX = 120_000

/** The account that uses the program in there. */
export const MACHINE_USER = { name: 'anna', id: 1_000, home: '/home/anna' } as const

/** What is missing to have a Debian of its own, or undefined. Installs it where we may; throws under CI=true. */
export function missingDebianMachine(): string | undefined {
  if (process.getuid?.() !== 0) return required('a Debian in a directory needs root')
  if (spawnSync('unshare', ['-mpnf', '--kill-child', 'true'], { timeout: 10_000 }).status !== 0)
    return required('namespaces cannot be made here')
  const problem = makeDebianRoot({ release: RELEASE, packages: PACKAGES, directory: BASE, finish: addUser })
  return problem === undefined ? undefined : required(problem)
}

function addUser(root: string): boolean {
  const user = ['--create-home', '--uid', String(MACHINE_USER.id), '--shell', '/bin/bash', MACHINE_USER.name]
  return spawnSync('chroot', [root, 'useradd', ...user], { stdio: 'ignore' }).status === 0
}

/** Run in the namespaces: a layer over the base that is lost with them, and a network with loopback only. */
const ENTER = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o "lowerdir=$BASE,upperdir=/mnt/upper,workdir=/mnt/work" overlay /mnt/root
mount -t proc proc /mnt/root/proc
mount --rbind /dev /mnt/root/dev
mkdir /mnt/root/given
mount --bind "$GIVEN" /mnt/root/given
ip link set lo up
exec chroot /mnt/root sleep infinity
`

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A Debian with a network that has loopback only; nothing in it stays. A directory of ours is `/given` in it. */
export class DebianMachine implements AsyncDisposable {
  readonly #child: ChildProcess
  #pid = 0
  #output = ''

  constructor(given: string) {
    this.#child = spawn('unshare', ['-m', '-p', '-n', '-u', '-i', '-f', '--kill-child', 'sh', '-c', ENTER], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', BASE, GIVEN: given },
    })
    killOnExit(this.#child)
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void (this.#output += text))
  }

  async ready(): Promise<this> {
    await eventually('a Debian', () => {
      if (this.#child.exitCode !== null) throw new Error(`it ended with ${this.#child.exitCode}: ${this.#output}`)
      const path = `/proc/${this.#child.pid}/task/${this.#child.pid}/children`
      this.#pid = Number(readFileSync(path, 'utf8').trim().split(' ')[0])
      return this.#pid > 0 && readFileSync(`/proc/${this.#pid}/comm`, 'utf8') === 'sleep\n' ? true : undefined
    })
    return this
  }

  #words(words: readonly string[], as: 'root' | 'user'): readonly string[] {
    const { id, home, name } = MACHINE_USER
    const enter = ['-t', String(this.#pid), '-m', '-p', '-n', '-u', '-i', '-r', '-w']
    const login = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', 'env', '-C', home]
    const user = [...login, `HOME=${home}`, `USER=${name}`]
    return [...enter, ...(as === 'user' ? user : []), ...words]
  }

  /** Runs a program in there to its end, as root or as the user. */
  run(words: readonly string[], as: 'root' | 'user' = 'root'): CommandResult {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' }
    const options = { encoding: 'utf8', env, timeout: COMMAND_MS_MAX, maxBuffer: 64 << 20 } as const
    const { status, stdout, stderr } = spawnSync('nsenter', this.#words(words, as), options)
    return { code: status, out: stdout, err: stderr }
  }

  /** The output of a program that succeeds; throws with all of it otherwise. */
  output(words: readonly string[], as: 'root' | 'user' = 'root'): string {
    const { code, out, err } = this.run(words, as)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${out}${err}`)
    return out
  }

  /** Starts a program in there, as the user; it ends with this at the latest. */
  start(words: readonly string[]): ChildProcess {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }
    const child = spawn('nsenter', this.#words(words, 'user'), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    killOnExit(child)
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGKILL') // everything in its namespaces ends with it
    await ended
  }
}
