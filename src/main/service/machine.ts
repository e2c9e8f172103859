import { existsSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { posix } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import type { Environment } from '../../cli/args/flag-spec.ts'
import { findLocations } from '../../core/find-locations.ts'
import { entryScript } from '../installation.ts'
import { assumedAccount, checkUserName, findAccount, firstUnreadable, type Account } from './account.ts'
import type { ServicePorts } from './definition.ts'
import { absolutePath, carriedFlags, type ServiceRequest } from './flags.ts'
import { lastingNodePath, refuseMissingProgram, refuseTemporaryProgram } from './program.ts'
import type { ServiceFacts, ServicePlatform } from './types.ts'

/** What the command uses of the machine and the process, besides disk and programs. */
export interface ServiceMachine extends ServicePorts {
  readonly platform: ServicePlatform | undefined
  readonly environment: Environment
  /** The user who runs the command. */
  readonly account: Account
  readonly isRoot: boolean
  readonly workingDirectory: string
  readonly temporaryDirectory: string
  readonly node: string
  readonly script: string
  readonly version: string
  exists(path: string): boolean
}

const PLATFORMS: Readonly<Record<string, ServicePlatform>> = {
  linux: 'systemd',
  darwin: 'launchd',
  win32: 'windows',
}

export function thisMachine(ports: ServicePorts, version: string): ServiceMachine {
  const { username, uid } = userInfo()
  const domain = process.platform === 'win32' ? process.env['USERDOMAIN'] : undefined
  return {
    ...ports,
    platform: PLATFORMS[process.platform],
    environment: process.env,
    account: {
      user: domain === undefined ? username : `${domain}\\${username}`,
      userId: uid,
      userHome: homedir(),
    },
    isRoot: process.getuid?.() === 0,
    workingDirectory: process.cwd(),
    temporaryDirectory: tmpdir(),
    node: process.execPath,
    script: entryScript(),
    version,
    exists: existsSync,
  }
}

/** All data of the definition. Refuses what cannot work; `warn` receives what may not work. */
export async function gatherFacts(
  machine: ServiceMachine,
  request: ServiceRequest,
  warn: (text: string) => void,
): Promise<ServiceFacts> {
  const { platform, system, verb } = request
  const account = system ? await systemAccount(machine, request) : machine.account
  const configHome = machine.environment['XDG_CONFIG_HOME']
  const facts: ServiceFacts = {
    ...account,
    platform,
    scope: system ? 'system' : 'user',
    name: request.name,
    node: lastingNodePath(machine.node),
    script: machine.script,
    version: machine.version,
    serveFlags: verb === 'install' ? carriedFlags(request.serveValues, platform, machine.workingDirectory) : [],
    writable: request.writable.length === 0 ? [] : writablePlaces(machine, request, account),
    ...(configHome !== undefined && posix.isAbsolute(configHome) && { configHome }),
    temporaryDirectory: machine.temporaryDirectory,
  }
  if (verb === 'install') {
    refuseTemporaryProgram(machine.script)
    refuseMissingProgram(machine, [facts.node, facts.script])
  }
  if (!request.print) await checkMachine(machine, request, facts, warn)
  return facts
}

async function checkMachine(
  machine: ServiceMachine,
  request: ServiceRequest,
  facts: ServiceFacts,
  warn: (text: string) => void,
): Promise<void> {
  if (!request.system || request.verb === 'status') return
  if (!machine.isRoot && request.platform !== 'windows') {
    throw new TwinfoldError('refused', 'a service of the machine needs root: run this with sudo, or without --system')
  }
  if (request.verb === 'uninstall') return
  const hidden = await firstUnreadable(machine, facts, [facts.node, facts.script])
  if (hidden !== undefined)
    warn(`${facts.user} may not be able to read ${hidden}; install Node and Twinfold for all users`)
  const missing = facts.writable.find((path) => !machine.exists(path))
  if (missing === undefined) return
  throw new TwinfoldError('refused', `${missing} does not exist; create it for ${facts.user}, then install again`)
}

async function systemAccount(machine: ServiceMachine, request: ServiceRequest): Promise<Account> {
  const { platform, print, verb } = request
  const user = request.user ?? machine.environment['SUDO_USER']
  // Only an installation names its user.
  if (user === undefined && verb !== 'install') return machine.account
  if (user === undefined) throw new TwinfoldError('usage', 'the user to run as is missing; name one with --user NAME')
  checkUserName(user, platform)
  const account = platform === machine.platform ? await findAccount(machine, platform, user) : undefined
  if (account !== undefined) return account
  if (print) return assumedAccount(platform, user)
  throw new TwinfoldError(
    'refused',
    `there is no user "${user}" on this machine; create one or name another with --user`,
  )
}

/** The named directories, and those of configuration and data, without which the daemon does not start. */
function writablePlaces(machine: ServiceMachine, request: ServiceRequest, account: Account): readonly string[] {
  const resolved = (path: string) => {
    const absolute = absolutePath(path, 'systemd', machine.workingDirectory)
    return absolute.startsWith('~') ? posix.join(account.userHome, absolute.slice(1)) : absolute
  }
  const directories = ['home', 'config', 'data'].flatMap((name) => {
    const value = request.serveValues.get(name)
    return value === undefined ? [] : [[name, resolved(value)] as const]
  })
  const { configDirectory, dataDirectory } = findLocations({
    ...Object.fromEntries(directories),
    platform: 'linux',
    environment: {},
    userHome: account.userHome,
    workingDirectory: machine.workingDirectory,
    exists: (path) => machine.exists(path),
  })
  return [...new Set([configDirectory, dataDirectory, ...request.writable.map(resolved)])]
}
