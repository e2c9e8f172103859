import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Passwords } from '../../config/password.ts'
import { openConfig } from '../../config/store.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { Facility } from '../../core/facilities.ts'
import { declineImport } from '../../db/syncthing/import.ts'
import type { Logger } from '../../events/types.ts'
import { nodeClock } from '../../platform/node/clock.ts'
import { nodeDisk } from '../../platform/node/disk/disk.ts'
import { createNodeHttpServer } from '../../platform/node/http/http.ts'
import { PasswordThread } from '../../platform/node/threads/password-thread.ts'
import { nodePrograms } from '../../platform/node/programs.ts'
import { nodeRandom } from '../../platform/node/random.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { withFreePorts } from './first-start.ts'
import { locateHome } from './home.ts'
import { loadIdentity, loadOrMakeIdentity } from './identity.ts'
import { prepareHome } from './prepare-home.ts'
import type { Locations } from '../../core/locations.ts'
import type { DirectoryChoice } from '../args/serve-options.ts'

const PASSWORD_FROM_STDIN = '-'

export interface GenerateOptions {
  readonly directories: DirectoryChoice
  readonly guiUser?: string
  /** `-` reads a line from standard input, so that the password is in no process list. */
  readonly guiPassword?: string
  readonly portProbing: boolean
}

export type PrintError = (line: string) => void

/** Creates missing keys and configuration, and sets name and password. Resolves to the device id. */
export async function generate(options: GenerateOptions, printError: PrintError): Promise<string> {
  const locations = locateHome(options.directories)
  const guiPassword = options.guiPassword === PASSWORD_FROM_STDIN ? await readLine() : options.guiPassword
  const platform = { disk: nodeDisk, clock: nodeClock, random: nodeRandom }
  const log = printingLogger('config', printError)
  await using hasher = new PasswordThread()
  const passwords = new Passwords({ ...platform, hasher, log })
  // Before anything is written: a home without the requested password would leave the page open.
  const password = guiPassword === undefined ? undefined : await passwords.hash(guiPassword)
  const deps = { disk: nodeDisk, programs: nodePrograms, system: nodeSystem }
  for (const warning of await prepareHome(deps, locations)) printError(`WARNING: ${warning}`)
  await using _lock = await lockHome(locations)
  const identity = await loadOrMakeIdentity(platform, locations)
  if (!identity.created) printError('WARNING: Key exists; will not overwrite.')
  const store = await openConfig(
    { ...platform, passwords, log },
    { path: locations.configFile, ownDevice: identity.deviceId, hostName: nodeSystem.hostName, allowNewer: false },
  )
  const probed =
    store.created && options.portProbing ? await withFreePorts(store.current, createNodeHttpServer()) : store.current
  const gui = { ...probed.gui, user: options.guiUser ?? probed.gui.user, password: password ?? probed.gui.password }
  await store.change(() => ({ ...probed, gui }))
  return identity.deviceId
}

export async function deviceId(directories: DirectoryChoice): Promise<string> {
  const locations = locateHome(directories)
  const identity = await loadIdentity(nodeDisk, locations)
  if (identity !== undefined) return identity.deviceId
  const remedy = 'make one with "twinfold generate", or name the home with --home'
  throw new TwinfoldError(
    'identity-invalid',
    `there is no device in ${locations.configDirectory}: ${locations.certificateFile} is missing; ${remedy}`,
  )
}

/** Removes only the index. The next start creates a new one by scanning, also where there is one of Syncthing. */
export async function resetDatabase(directories: DirectoryChoice): Promise<string> {
  const locations = locateHome(directories)
  await using _lock = await lockHome(locations)
  await rm(locations.databaseDirectory, { recursive: true, force: true })
  await nodeDisk.makeDirectories(locations.databaseDirectory, 0o700)
  await declineImport(nodeDisk, locations)
  return locations.databaseDirectory
}

async function lockHome(locations: Locations): Promise<AsyncDisposable> {
  const lock = await nodeDisk.lock(locations.lockFile)
  if (lock !== undefined) return lock
  throw new TwinfoldError('home-locked', `another Twinfold or Syncthing uses ${locations.dataDirectory}; stop it first`)
}

/** Sections with a title, as Syncthing prints them. */
export function pathSections(locations: Locations): readonly (readonly [title: string, ...paths: string[]])[] {
  return [
    ['Configuration file', locations.configFile],
    ['Device private key & certificate files', locations.keyFile, locations.certificateFile],
    ['GUI / API HTTPS private key & certificate files', locations.httpsKeyFile, locations.httpsCertificateFile],
    ['Database location', locations.databaseDirectory],
    ['Log file', locations.logFile],
    ['GUI override directory', locations.guiAssetsDirectory],
    ['Default sync folder directory', locations.defaultFolder],
  ]
}

export function pathsText(locations: Locations): string {
  const noLogFile = 'none: the log goes to standard output; "serve --log-file FILE" writes one'
  return pathSections(locations)
    .map(([title, ...paths]) => [title, paths.map((path) => (path === '-' ? noLogFile : path))] as const)
    .map(([title, paths]) => `${title}:\n${paths.map((path) => `\t${path}\n`).join('')}\n`)
    .join('')
}

async function readLine(): Promise<string> {
  using lines = createInterface({ input: process.stdin })
  for await (const line of lines) return line
  throw new TwinfoldError('usage', 'a password was to come from standard input, which is empty')
}

function printingLogger(facility: Facility, printError: PrintError): Logger {
  return {
    facility,
    debug: () => {},
    info: printError,
    warn: (line) => printError(`WARNING: ${line}`),
    error: (line) => printError(`ERROR: ${line}`),
  }
}
