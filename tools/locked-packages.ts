import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_MS_MAX = 300_000
const STAMP = 'installed-from'

/** Packages that a directory of this repository locks, and the directory into which they are installed. */
export interface LockedPackages {
  readonly from: string
  readonly to: string
  /** Words that choose another platform. */
  readonly target?: readonly string[]
}

/** Whether it was done before with the same lock. */
export function isInstalled({ from, to }: LockedPackages): boolean {
  const stampFile = join(to, STAMP)
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(from)
}

function stampOf(from: string): string {
  return createHash('sha256')
    .update(readFileSync(join(from, 'package-lock.json')))
    .digest('hex')
}

/** By `npm ci` into a directory that has nothing else; the reason if that fails. */
export function installLocked(packages: LockedPackages): string | undefined {
  const { from, to, target = [] } = packages
  if (isInstalled(packages)) return undefined
  mkdirSync(to, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(from, name), join(to, name))
  const words = ['ci', ...target, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env['npm_execpath']
  const [program, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...words]] : ['npm', words]
  const result = spawnSync(program, args, { cwd: to, encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (result.status !== 0) return `npm could not install ${from}: ${result.error?.message ?? result.stderr}`
  writeFileSync(join(to, STAMP), stampOf(from))
  return undefined
}
