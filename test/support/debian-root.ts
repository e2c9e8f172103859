import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { missingProgram, required } from './debian.ts'
import { debianMirror } from './syncthing-program.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const RELEASE = 'bookworm'
const ARCHIVE = join(CACHE, `debian-${RELEASE}.tar`)
const MADE_MS_MAX = 900_000

/** What is missing for a root file system of Debian's packages, or undefined. It is made once, as an archive. */
export function missingDebianRoot(): string | undefined {
  if (existsSync(ARCHIVE)) return undefined
  const missing = missingProgram('debootstrap', 'debootstrap')
  if (missing !== undefined) return missing
  const mirror = debianMirror()
  if (mirror === undefined) return required('apt has no mirror of Debian')
  const work = `${ARCHIVE}.${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  const words = ['--variant=minbase', RELEASE, join(work, 'root'), mirror]
  const isMade = runs('debootstrap', words) && runs('tar', ['-cf', join(work, 'tar'), '-C', join(work, 'root'), '.'])
  if (isMade) renameSync(join(work, 'tar'), ARCHIVE)
  rmSync(work, { recursive: true, force: true })
  return isMade ? undefined : required('a root file system of Debian cannot be made here (debootstrap)')
}

/** Unpacks it with this Node and the npm of this machine where the images of Node have them. */
export function makeDebianRoot(root: string): void {
  mkdirSync(root, { recursive: true })
  if (!runs('tar', ['-xf', ARCHIVE, '-C', root])) throw new Error(`${ARCHIVE} cannot be unpacked`)
  const local = join(root, 'usr', 'local')
  cpSync(process.execPath, join(local, 'bin', 'node'))
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' })
  const npm = join(stdout.trim(), 'npm')
  cpSync(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'))
  cpSync('/etc/resolv.conf', join(root, 'etc', 'resolv.conf'))
  rmSync(join(root, 'var', 'cache', 'apt'), { recursive: true, force: true })
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: MADE_MS_MAX }).status === 0
}

/** The cache and the certificates that npm has here, for the npm of a machine. */
export function npmOfThisMachine(): { mounts: Record<string, string>; environment: Record<string, string> } {
  const { stdout } = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' })
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  )
  const environment = { ...Object.fromEntries(passed), npm_config_prefer_offline: 'true' } as Record<string, string>
  const certificates = environment['NODE_EXTRA_CA_CERTS']
  return {
    mounts: {
      '/root/.npm': stdout.trim(),
      ...(certificates !== undefined && { '/etc/ssl/certs/of-the-builder.crt': certificates }),
    },
    environment: {
      ...environment,
      ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/of-the-builder.crt' }),
    },
  }
}
