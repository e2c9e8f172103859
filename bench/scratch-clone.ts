import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PACKAGES = ['--include=dev', '--include=optional']

/** A commit of this repository in a directory of its own, which is removed on disposal. */
export interface ScratchClone extends Disposable {
  readonly path: string
  /** In full. */
  readonly commit: string
}

/** With its dependencies: those of this tree where the daemon uses the same, else as its own lock file names them. */
export function cloneCommit(commit: string): ScratchClone {
  const full = git(ROOT, 'rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`)
  const path = mkdtempSync(join(tmpdir(), 'twinfold-against-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  try {
    git(ROOT, 'clone', '--quiet', '--shared', '--no-checkout', ROOT, path)
    git(path, 'checkout', '--quiet', '--detach', full)
    if (usesSamePackages(path)) symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
    // Not `ci`, which refuses lock files that an older npm wrote without the packages of other platforms.
    else run('npm', ['install', ...PACKAGES, '--ignore-scripts', '--no-audit', '--no-fund'], path)
  } catch (error) {
    remove()
    throw error
  }
  return { path, commit: full, [Symbol.dispose]: remove }
}

function git(cwd: string, ...args: readonly string[]): string {
  return run('git', args, cwd)
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(`${program} ${args[0] ?? ''} failed: ${error?.message ?? stderr.trim()}`)
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage | undefined>>
}

interface LockedPackage {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Whether all packages that its sources import, and those that these need, have the versions installed here. */
function usesSamePackages(path: string): boolean {
  const [own, other] = [readLock(ROOT), readLock(path)]
  const wanted = [...importedPackages(path)]
  const seen = new Set<string>()
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const entry = other.packages[`node_modules/${name}`]
    if (entry?.version !== own.packages[`node_modules/${name}`]?.version) return false
    for (const next of Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies })) wanted.push(next)
  }
  return true
}

function readLock(path: string): Lock {
  return JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8'))
}

function importedPackages(path: string): ReadonlySet<string> {
  const texts = globSync('src/**/*.ts', { cwd: path }).map((file) => readFileSync(join(path, file), 'utf8'))
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/(?:from |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/g), ([, name]) => name!),
  )
  return new Set(names.filter((name) => name !== 'node'))
}
