import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const INSTALL_LOCK = join(tmpdir(), 'twinfold-apt.lock')
const STALE_LOCK_MS = 20 * 60_000

export function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

/**
 * Makes sure that a program of Debian's is there, installing it where we may. Returns what is missing, or undefined.
 * Under CI=true something missing is a failure, so it throws.
 */
export function missingProgram(program: string, packageName: string): string | undefined {
  if (offersProgram(program, packageName)) return undefined
  return required(`the program "${program}" (Debian package ${packageName}) is missing and could not be installed here`)
}

/** Whether a program of Debian's is there, once it was installed where we may. */
export function offersProgram(program: string, packageName: string): boolean {
  if (!isOnPath(program)) install(packageName)
  return isOnPath(program)
}

/** The same for a file that no program is, such as a library. */
export function missingFile(path: string, packageName: string): string | undefined {
  if (!existsSync(path)) install(packageName)
  if (existsSync(path)) return undefined
  return required(`the file "${path}" (Debian package ${packageName}) is missing and could not be installed here`)
}

/** Prints what is missing and returns it; under CI=true it throws. */
export function required(reason: string): string {
  if (process.env['CI'] === 'true') throw new Error(reason)
  console.error(`\n*** SKIPPING: ${reason}\n`)
  return reason
}

function install(packageName: string): void {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) return
  withInstallLock(() => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const run = (...args: string[]) =>
      spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: 180_000 }).status === 0
    const words = ['install', '-y', '--no-install-recommends', packageName]
    if (!run(...words)) {
      run('update')
      run(...words)
    }
  })
}

/** Two test files may want the same package at once; apt allows one at a time. */
export function withInstallLock(work: () => void): void {
  if (!takeInstallLock()) return
  try {
    work()
  } finally {
    rmdirSync(INSTALL_LOCK)
  }
}

function takeInstallLock(): boolean {
  for (let attempt = 0; attempt < 240; attempt++) {
    try {
      mkdirSync(INSTALL_LOCK)
      return true
    } catch {
      removeStaleLock()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    }
  }
  return false
}

/** Age at which a lock counts as a leftover of a killed run. */
function removeStaleLock(): void {
  const heldSinceMs = statSync(INSTALL_LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - heldSinceMs > STALE_LOCK_MS) rmSync(INSTALL_LOCK, { recursive: true, force: true })
}
