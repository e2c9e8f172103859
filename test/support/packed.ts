import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** Steering of the npm that runs the tests, which is not meant for those that the tests run. */
const OUTER_NPM =
  /^(npm_(?!config_)|npm_config_(prefix|global|dry_run|json|omit|include|production)$|INIT_CWD$|ST[A-Z])/i
/** All of Node's but the certificates that a machine needs to reach a registry. */
const OUTER_NODE = /^NODE_(?!EXTRA_CA_CERTS$)/

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end; what it printed, on standard output only. Rejects, with all output, when it fails. */
export async function run(program: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !OUTER_NPM.test(name) && !OUTER_NODE.test(name))
  const options = {
    cwd,
    env: { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true', ...env },
    maxBuffer: 64 << 20,
  }
  try {
    return (await execute(program, [...args], options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Programs started by name find the Node that runs the tests. */
export const withThisNode = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }

/** The working tree as a clone would have it: all tracked and untracked files, nothing installed or built. */
export async function cleanClone(directory: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    cpSync(join(root, file), join(directory, file))
  }
}

/** Copies the packages of this tree there, which its own `npm ci` would install from the same lock file. */
export async function copyPackages(clone: string): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(clone, 'node_modules')]
  const names = readdirSync(from).filter((name) => !/^\.(?:cache|vite-temp)$/.test(name))
  mkdirSync(to)
  await run('cp', ['-a', ...names.map((name) => join(from, name)), to], { cwd: clone })
}

/** `npm pack` there; the tarball. Its standard output must contain nothing else. */
export async function pack(clone: string): Promise<string> {
  const [answer] = JSON.parse(await run('npm', ['pack', '--json'], { cwd: clone })) as { readonly filename: string }[]
  if (answer === undefined) throw new Error('npm pack made nothing')
  return join(clone, answer.filename)
}

/** The files of a package, with their permissions as `ls` prints them. */
export async function packedFiles(tarball: string): Promise<ReadonlyMap<string, string>> {
  const listed = await run('tar', ['--list', '--verbose', '--file', tarball], { cwd: dirname(tarball) })
  return new Map(
    [...listed.matchAll(/^(\S+) .* package\/(.+)$/gm)].map(([, permissions = '', path = '']) => [path, permissions]),
  )
}

/** A directory with a project of its own in which packages are installed. */
export async function project(directory: string, ...packages: readonly string[]): Promise<void> {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: directory })
}

/** The compiler of that version, installed once below node_modules/.cache. */
export async function compiler(version: string): Promise<string> {
  const directory = join(root, 'node_modules', '.cache', `typescript-${version}`)
  const script = join(directory, 'node_modules', 'typescript', 'bin', 'tsc')
  const found = join(directory, 'node_modules', 'typescript', 'package.json')
  const isThere =
    existsSync(found) && String(Reflect.get(JSON.parse(readFileSync(found, 'utf8')), 'version')).startsWith(version)
  if (!isThere) await project(directory, `typescript@${version}`)
  return script
}
