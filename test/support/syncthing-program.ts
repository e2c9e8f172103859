import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingProgram, isOnPath, required, withInstallLock } from './debian.ts'

/** The release of Debian whose Syncthing is used; it runs on older ones, too. */
const RELEASE = 'trixie'
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', `${RELEASE}-programs`)
const PROGRAM = join(CACHE, 'usr', 'bin', 'syncthing')
const PACKAGES = ['syncthing', 'syncthing-discosrv', 'syncthing-relaysrv']
const DOWNLOADS_MAX = 3
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * The arguments that start a real Syncthing: the one of Debian's newer release, kept beside the packages of npm, or
 * with `TWINFOLD_SYNCTHING=installed` the one that is installed here, whatever its age. Debian 12 has a very old one.
 * Any other value is the path of a program, for versions that no registry offers.
 */
export function syncthingProgram(): string {
  const chosen = process.env['TWINFOLD_SYNCTHING'] ?? ''
  return wantsInstalled() ? 'syncthing' : chosen || PROGRAM
}

/** The real discovery or relay server of the same release; there if `missingSyncthingProgram` found nothing missing. */
export function syncthingServer(name: 'stdiscosrv' | 'strelaysrv'): string {
  return join(CACHE, 'usr', 'bin', name)
}

/** What is missing to start it, or undefined. Gets it where we may; throws under CI=true. */
export function missingSyncthingProgram(): string | undefined {
  if (wantsInstalled()) return missingProgram('syncthing', 'syncthing')
  if (process.env['TWINFOLD_SYNCTHING'] && !existsSync(syncthingProgram())) return `there is no ${syncthingProgram()}`
  if (process.env['TWINFOLD_SYNCTHING']) return undefined
  // A mirror may be out of reach for a moment.
  for (let tried = 0; tried < DOWNLOADS_MAX && !existsSync(PROGRAM); tried++)
    withInstallLock(() => existsSync(PROGRAM) || download())
  if (existsSync(PROGRAM)) return undefined
  return required(
    `the Syncthing of Debian ${RELEASE} could not be got here; TWINFOLD_SYNCTHING=installed takes another one`,
  )
}

function wantsInstalled(): boolean {
  return process.env['TWINFOLD_SYNCTHING'] === 'installed'
}

/** Downloaded by apt, which has a mirror and checks signatures; it is not installed. */
function download(): void {
  const mirror = isOnPath('apt-get') && isOnPath('dpkg-deb') ? debianMirror() : undefined
  if (mirror === undefined) return
  mkdirSync(join(CACHE, '..'), { recursive: true })
  const directory = mkdtempSync(join(CACHE, '..', 'download-'))
  try {
    for (const below of ['lists/partial', 'cache/archives/partial', 'unpacked'])
      mkdirSync(join(directory, below), { recursive: true })
    const signed = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : ''
    writeFileSync(join(directory, 'sources.list'), `deb ${signed}${mirror} ${RELEASE} main\n`)
    if (!apt(directory, 'update') || !apt(directory, 'download', ...PACKAGES)) return
    const archives = readdirSync(directory).filter((name) => name.endsWith('.deb'))
    if (archives.length < PACKAGES.length) return
    if (!archives.every((archive) => run('dpkg-deb', ['-x', archive, 'unpacked'], directory))) return
    renameSync(join(directory, 'unpacked'), CACHE)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Where this machine gets Debian from. */
export function debianMirror(): string | undefined {
  const words = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Component: main']
  const { stdout } = spawnSync('apt-get', words, { encoding: 'utf8', timeout: 30_000 })
  return stdout?.split('\n').find((uri) => /\/debian\/?$/.test(uri))
}

function apt(directory: string, ...words: readonly string[]): boolean {
  const settings = {
    'Dir::Etc::SourceList': join(directory, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(directory, 'lists'),
    'Dir::Cache': join(directory, 'cache'),
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '3',
  }
  return run(
    'apt-get',
    [...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]), ...words],
    directory,
  )
}

function run(program: string, words: readonly string[], cwd: string): boolean {
  return spawnSync(program, words, { cwd, stdio: 'ignore', timeout: 180_000 }).status === 0
}
