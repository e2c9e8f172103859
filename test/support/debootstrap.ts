import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { offersProgram, withInstallLock } from './debian.ts'
import { debianMirror } from './syncthing-program.ts'

export interface DebianRoot {
  readonly release: 'bookworm' | 'trixie'
  /** Packages besides the smallest set. */
  readonly packages?: readonly string[]
  /** Where it is put, once it is complete. */
  readonly directory: string
  /** Whether the rest is done; run on the directory before it has its name. */
  finish?(directory: string): boolean
}

const DEBOOTSTRAP_MS_MAX = 1_800_000

/**
 * A root file system from the mirror that this machine uses, made where there is none yet; why that is not possible, or
 * undefined.
 */
export function makeDebianRoot(root: DebianRoot): string | undefined {
  if (existsSync(root.directory)) return undefined
  if (!offersProgram('debootstrap', 'debootstrap')) return 'debootstrap is missing and could not be installed here'
  const mirror = debianMirror()
  if (mirror === undefined) return 'apt has no mirror of Debian'
  let problem: string | undefined = 'another process installs packages for too long'
  withInstallLock(() => {
    problem = existsSync(root.directory) ? undefined : make(root, mirror)
  })
  return problem
}

function make({ release, packages = [], directory, finish }: DebianRoot, mirror: string): string | undefined {
  const unfinished = `${directory}.${process.pid}`
  mkdirSync(dirname(directory), { recursive: true })
  try {
    const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`]
    const words = ['--variant=minbase', ...include, release, unfinished, mirror]
    const { status } = spawnSync('debootstrap', words, { stdio: 'ignore', timeout: DEBOOTSTRAP_MS_MAX })
    if (status !== 0) return `debootstrap could not install Debian ${release} here`
    if (finish?.(unfinished) === false) return `Debian ${release} could not be set up here`
    renameSync(unfinished, directory)
    return undefined
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
