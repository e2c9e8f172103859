import { posix, win32 } from 'node:path'
import { TwinfoldError } from './errors.ts'
import { ADDRESS_FILE, type Locations } from './locations.ts'

/** All inputs that decide the location of a home. Nothing else is read from the machine. */
export interface LocationFacts {
  readonly platform: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home directory of the user that the process runs as. */
  readonly userHome: string
  readonly workingDirectory: string
  /** As given by flags or environment; the caller has checked that they fit together. */
  readonly home?: string
  readonly config?: string
  readonly data?: string
  /** `-`, `default` or a path. */
  readonly logFile?: string
  readonly guiAssetsDirectory?: string
  exists(path: string): boolean
}

/** The index of Twinfold. Syncthing ignores it in a shared home, and Twinfold ignores Syncthing's. */
const DATABASE = 'index-twinfold'
/** Any of these in a directory shows that it holds data of an installation. */
const DATABASES = [DATABASE, 'index-v2', 'index-v0.14.0.db']

/** The locations of all files. Depends on its argument alone; creates nothing. */
export function findLocations(facts: LocationFacts): Locations {
  const path = facts.platform === 'win32' ? win32 : posix
  const { configDirectory, dataDirectory } = findDirectories(facts)
  const inConfig = (name: string) => path.join(configDirectory, name)
  return {
    configDirectory,
    dataDirectory,
    userHome: facts.userHome,
    configFile: inConfig('config.xml'),
    extensionsFile: inConfig('twinfold-settings.json'),
    grantsFile: inConfig('twinfold-keys.json'),
    invitationsFile: inConfig('twinfold-invitations.json'),
    appliedSetupFile: inConfig('twinfold-applied.json'),
    addressFile: inConfig(ADDRESS_FILE),
    certificateFile: inConfig('cert.pem'),
    keyFile: inConfig('key.pem'),
    httpsCertificateFile: inConfig('https-cert.pem'),
    httpsKeyFile: inConfig('https-key.pem'),
    databaseDirectory: path.join(dataDirectory, DATABASE),
    keptDirectory: path.join(dataDirectory, 'twinfold-kept'),
    lockFile: path.join(dataDirectory, 'syncthing.lock'),
    guiAssetsDirectory: facts.guiAssetsDirectory ? absolute(facts, facts.guiAssetsDirectory) : inConfig('gui'),
    defaultFolder: path.join(facts.userHome, 'Sync'),
    logFile: findLogFile(facts, dataDirectory),
  }
}

interface Directories {
  readonly configDirectory: string
  readonly dataDirectory: string
}

function findDirectories(facts: LocationFacts): Directories {
  const { home, config, data } = facts
  if (home !== undefined && home !== '') return same(absolute(facts, home))
  if (config && data) return { configDirectory: absolute(facts, config), dataDirectory: absolute(facts, data) }
  if (config || data) {
    const hint = 'either both or none of --config and --data must be given, use --home to set both at once'
    throw new TwinfoldError('usage', hint)
  }
  if (facts.platform === 'win32') return same(windowsHome(facts))
  if (facts.platform === 'darwin') return same(posix.join(facts.userHome, 'Library/Application Support/Syncthing'))
  return unixDirectories(facts)
}

function same(directory: string): Directories {
  return { configDirectory: directory, dataDirectory: directory }
}

function windowsHome({ environment, userHome }: LocationFacts): string {
  const base = environment['LOCALAPPDATA'] || environment['APPDATA'] || win32.join(userHome, 'AppData', 'Local')
  return win32.join(base, 'Syncthing')
}

/** Locations of older releases come first if they hold data; a new home is in the state directory. */
function unixDirectories({ environment, userHome, exists }: LocationFacts): Directories {
  const inBase = (base: string | undefined) => (base ? posix.join(base, 'syncthing') : undefined)
  const oldConfig = posix.join(userHome, '.config/syncthing')
  const state = environment['XDG_STATE_HOME']
  const stateHome = state && posix.isAbsolute(state) ? inBase(state) : undefined
  const newHome = stateHome ?? posix.join(userHome, '.local/state/syncthing')

  const hasConfig = (directory: string) => exists(posix.join(directory, 'config.xml'))
  const hasData = (directory: string) => DATABASES.some((name) => exists(posix.join(directory, name)))
  const first = (candidates: readonly (string | undefined)[], fits: (directory: string) => boolean) =>
    candidates.find((one): one is string => one !== undefined && posix.isAbsolute(one) && fits(one))

  const configDirectory = first([inBase(environment['XDG_CONFIG_HOME']), oldConfig], hasConfig) ?? newHome
  const dataDirectory = first([configDirectory, inBase(environment['XDG_DATA_HOME']), oldConfig], hasData) ?? newHome
  return { configDirectory, dataDirectory }
}

/** A shell expands `~`, but service files run without a shell. */
function absolute(facts: LocationFacts, given: string): string {
  const path = facts.platform === 'win32' ? win32 : posix
  if (given === '~') return facts.userHome
  if (given.startsWith('~/')) return path.join(facts.userHome, given.slice(2))
  return path.resolve(facts.workingDirectory, given)
}

function findLogFile(facts: LocationFacts, dataDirectory: string): string {
  const path = facts.platform === 'win32' ? win32 : posix
  const wanted = facts.logFile || (facts.platform === 'win32' ? 'default' : '-')
  if (wanted === '-') return '-'
  return wanted === 'default' ? path.join(dataDirectory, 'syncthing.log') : absolute(facts, wanted)
}
