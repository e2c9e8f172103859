import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { missingProgram, required } from './debian.ts'
import { eventually } from './scratch.ts'

const MANAGER = '/usr/lib/systemd/systemd'
const ROOT = join(import.meta.dirname, '..', '..')

/** The account that services run as in there. */
export const TEST_USER = { name: 'twintest', id: 64_321, home: '/home/twintest' } as const

/** Where the repository and Node are in there: names to quote. Node loads no modules from a path with a backslash. */
export const HOSTILE = {
  repository: `/opt/a b%n $HOME \${x} "q" 'r'\nu ü`,
  node: '/opt/n o%n$HOME/node',
} as const

/** Units that every boot needs; the rest of the system's would touch the machine. */
const UNITS = [
  'basic',
  'default',
  'local-fs',
  'multi-user',
  'network',
  'paths',
  'shutdown',
  'slices',
  'sockets',
  'sysinit',
  'timers',
  'exit',
]

/** What is missing to boot a systemd in namespaces of its own, or undefined. Under CI=true that is a failure. */
export function missingSystemd(): string | undefined {
  if (process.getuid?.() !== 0) return required('a systemd of its own in namespaces needs root')
  const missing = missingProgram('systemd-analyze', 'systemd')
  if (missing !== undefined) return missing
  if (unifiedCgroups() === undefined) return required('cgroups of version 2 are not mounted here')
  const words = ['-mpCnuif', '--kill-child', 'true']
  return spawnSync('unshare', words, { timeout: 10_000 }).status === 0
    ? undefined
    : required('namespaces cannot be made here')
}

function unifiedCgroups(): string | undefined {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[2] === 'cgroup2')
    ?.split(' ')[1]
}

/** Run in the namespaces before systemd: private file systems, and a network with loopback only. */
const ENTER = `set -e
mount --make-rprivate /
mount -t proc proc /proc
umount -R -l /sys/fs/cgroup || true
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mkdir -p /run/original && mount --rbind / /run/original
for directory in /opt /home /etc/systemd/system; do mkdir -p "$directory" && mount -t tmpfs tmpfs "$directory"; done
mkdir -p "$REPOSITORY" "$(dirname "$NODE")" && touch "$NODE"
mount --bind "/run/original$SOURCE" "$REPOSITORY"
mount --bind "/run/original$PROGRAM" "$NODE"
mount -t tmpfs tmpfs /run
mkdir -p /run/units /run/lock "/run/user/$TEST_ID"
for name in $UNITS; do cp -L "/usr/lib/systemd/system/$name.target" /run/units/; done
cp -L /usr/lib/systemd/system/systemd-exit.service /run/units/
for list in passwd group; do cp /etc/$list /run/$list; done
echo "$TEST_NAME:x:$TEST_ID:$TEST_ID::$TEST_HOME:/bin/sh" >> /run/passwd
echo "$TEST_NAME:x:$TEST_ID:" >> /run/group
for list in passwd group; do mount --bind /run/$list /etc/$list; done
install -d -m 0700 -o "$TEST_ID" -g "$TEST_ID" "$TEST_HOME" "/run/user/$TEST_ID"
printf '%s\\n' '[Service]' "User=$TEST_ID" "Environment=XDG_RUNTIME_DIR=/run/user/$TEST_ID HOME=$TEST_HOME" \\
  "Environment=SYSTEMD_UNIT_PATH=$TEST_HOME/.config/systemd/user:/run/units SYSTEMD_GENERATOR_PATH=/run/none" \\
  'ExecStart=${MANAGER} --user --unit=basic.target --log-target=console' Delegate=yes > /run/units/login.service
ip link set lo up
exec env -i container=twinfold-test PATH=/usr/bin:/bin:/usr/sbin:/sbin \\
  SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/units SYSTEMD_GENERATOR_PATH=/run/none \\
  ${MANAGER} --system --unit=basic.target --log-target=console --show-status=no
`

export interface ProgramResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A systemd that believes it is the first process of a machine. Ends, with everything it started, with the scope. */
export class Systemd implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cgroup: string
  #pid = 0
  #output = ''

  constructor() {
    this.#cgroup = join(unifiedCgroups()!, `twinfold-test-${process.pid}`)
    mkdirSync(this.#cgroup, { recursive: true })
    const enter = ['unshare', '-m', '-p', '-C', '-n', '-u', '-i', '-f', '--kill-child', 'sh', '-c', ENTER]
    this.#child = spawn('sh', ['-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', this.#cgroup, ...enter], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        SOURCE: ROOT,
        PROGRAM: process.execPath,
        REPOSITORY: HOSTILE.repository,
        NODE: HOSTILE.node,
        UNITS: UNITS.join(' '),
        TEST_NAME: TEST_USER.name,
        TEST_ID: String(TEST_USER.id),
        TEST_HOME: TEST_USER.home,
      },
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
  }

  get output(): string {
    return this.#output
  }

  async ready(): Promise<this> {
    await eventually('systemd', () => {
      if (this.#child.exitCode !== null) throw new Error(`it ended with ${this.#child.exitCode}`)
      this.#pid = this.#findManager()
      return this.run(['systemctl', 'is-system-running']).out.trim() === 'running' || undefined
    }).catch((error: unknown) => {
      throw new Error(`systemd is not ready; its output so far:\n${this.#output}`, { cause: error })
    })
    return this
  }

  #findManager(): number {
    const path = `/proc/${this.#child.pid}/task/${this.#child.pid}/children`
    return Number(readFileSync(path, 'utf8').trim().split(' ')[0])
  }

  /** Runs a program in there, as root or as the account of the tests. */
  run(words: readonly string[], as: 'root' | 'user' = 'root'): ProgramResult {
    const { id, home } = TEST_USER
    const login = [
      'setpriv',
      `--reuid=${id}`,
      `--regid=${id}`,
      '--clear-groups',
      'env',
      `HOME=${home}`,
      `XDG_RUNTIME_DIR=/run/user/${id}`,
    ]
    const enter = ['-t', String(this.#pid), '-m', '-p', '-n', '-u', '-i', '-C']
    const result = spawnSync('nsenter', [...enter, ...(as === 'user' ? login : []), ...words], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/root' },
      timeout: 60_000,
    })
    return { code: result.status, out: result.stdout, err: result.stderr }
  }

  /** Our own program, from its hostile place. */
  twinfold(words: readonly string[], as: 'root' | 'user' = 'root'): ProgramResult {
    return this.run([HOSTILE.node, `${HOSTILE.repository}/src/main/bin.ts`, ...words], as)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    if (this.#child.exitCode === null && this.#pid > 0) process.kill(this.#pid, 'SIGKILL') // its namespace goes with it
    else this.#child.kill('SIGKILL')
    await ended
    await eventually('an empty cgroup', () => removeCgroup(this.#cgroup))
  }
}

function removeCgroup(path: string): true {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(path, entry.name))
  }
  rmdirSync(path)
  return true
}
