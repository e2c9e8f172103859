import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { required } from './debian.ts'
import { makeDebianRoot } from './debootstrap.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const RELEASE = 'bookworm'
const BASE = join(CACHE, 'twinfold-test', `${RELEASE}-minbase`)
const COPY_MS_MAX = 300_000

/** What is missing for a root file system of Debian's packages, or undefined. It is made once. */
export function missingDebianRoot(): string | undefined {
  const problem = makeDebianRoot({ release: RELEASE, directory: BASE })
  return problem === undefined ? undefined : required(problem)
}

/** Copies it with this Node and the npm of this machine where the images of Node have them. */
export function copyDebianRoot(root: string): void {
  const { status } = spawnSync('cp', ['-a', BASE, root], { stdio: 'ignore', timeout: COPY_MS_MAX })
  if (status !== 0) throw new Error(`${BASE} cannot be copied`)
  const local = join(root, 'usr', 'local')
  cpSync(process.execPath, join(local, 'bin', 'node'))
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' })
  const npm = join(stdout.trim(), 'npm')
  cpSync(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'))
  cpSync('/etc/resolv.conf', join(root, 'etc', 'resolv.conf'))
  rmSync(join(root, 'var', 'cache', 'apt'), { recursive: true, force: true })
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
