import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isOnPath, required, withInstallLock } from './debian.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', 'unpacked')

/** A program of a package of Debian that is not installed: installing a server starts it. */
export interface UnpackedProgram {
  readonly path: string
  /** What is missing to start it; undefined: nothing. */
  readonly missing: string | undefined
}

/** Downloads and unpacks it where we may. Throws under CI=true if it cannot be had. */
export function unpackedProgram(packageName: string, program: string): UnpackedProgram {
  const directory = join(CACHE, packageName)
  const path = join(directory, program)
  if (!existsSync(path)) withInstallLock(() => existsSync(path) || unpack(packageName, directory))
  const what = `the program "${program}" (Debian package ${packageName}) is missing and could not be downloaded here`
  return { path, missing: existsSync(path) ? undefined : required(what) }
}

function unpack(packageName: string, directory: string): void {
  if (!isOnPath('apt-get') || !isOnPath('dpkg-deb') || process.getuid?.() !== 0) return
  mkdirSync(CACHE, { recursive: true })
  const work = mkdtempSync(join(CACHE, 'download-'))
  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(program, args, { cwd: work, stdio: 'ignore', timeout: 180_000 }).status === 0
  try {
    const get = () => run('apt-get', '-o', 'APT::Sandbox::User=root', 'download', packageName)
    if (!get() && !(run('apt-get', 'update') && get())) return
    const archive = readdirSync(work).find((name) => name.endsWith('.deb'))
    if (archive === undefined || !run('dpkg-deb', '-x', archive, 'unpacked')) return
    renameSync(join(work, 'unpacked'), directory)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
