import { posix, win32 } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import type { ParsedFlags } from '../../cli/args/parsed-flags.ts'
import type { Environment, FlagSpec } from '../../cli/args/flag-spec.ts'
import { SERVE_FLAGS } from '../args/serve-flags.ts'
import { readDirectories } from '../args/serve-options.ts'
import { SERVICE_PLATFORMS, type ServicePlatform } from './types.ts'

/** The flags of `service` itself, which also accepts those of `serve`. */
export const SERVICE_FLAGS: readonly FlagSpec[] = [
  {
    name: 'system',
    description: 'A service of the machine, started at boot, instead of one of your login; needs root',
  },
  {
    name: 'user',
    value: 'NAME',
    description: 'The user that a service of the machine runs as; default is the caller of sudo',
  },
  { name: 'name', value: 'NAME', description: 'Name of the service, for more than one (twinfold)' },
  { name: 'linger', description: 'systemd: let your services run while you are not logged in' },
  {
    name: 'writable',
    value: 'DIR',
    repeatable: true,
    description: 'System unit: the daemon may only write here and in its home; may be repeated',
  },
  { name: 'force', description: 'Replace a service that was edited, or that Twinfold did not write' },
  { name: 'print', description: 'Only show what would be written and run' },
  {
    name: 'platform',
    value: 'NAME',
    description: `With --print: ${SERVICE_PLATFORMS.join(', ')}, instead of that of this machine`,
  },
]

export const SERVICE_VERBS = ['install', 'uninstall', 'status'] as const
export type ServiceVerb = (typeof SERVICE_VERBS)[number]

export interface ServiceRequest {
  readonly verb: ServiceVerb
  readonly system: boolean
  readonly user?: string
  readonly name: string
  readonly linger: boolean
  readonly writable: readonly string[]
  readonly force: boolean
  readonly print: boolean
  readonly platform: ServicePlatform
  readonly json: boolean
  readonly serveValues: ReadonlyMap<string, string>
  /** Warnings about the request. */
  readonly warnings: readonly string[]
}

/** Flags of `serve` that the definition has anyway, or that concern this command. */
const NOT_CARRIED = ['no-browser', 'no-restart', 'gui-apikey']
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Reads the flags of `service`. `native` is the platform of this machine, if it is supported. */
export function readServiceRequest(
  verb: ServiceVerb,
  flags: ParsedFlags,
  environment: Environment,
  native: ServicePlatform | undefined,
): ServiceRequest {
  const user = flags.text('user')
  const request: ServiceRequest = {
    verb,
    system: flags.isOn('system'),
    ...(user !== undefined && { user }),
    name: flags.text('name') ?? 'twinfold',
    linger: flags.isOn('linger'),
    writable: flags.texts('writable') ?? [],
    force: flags.isOn('force'),
    print: flags.isOn('print'),
    platform: readPlatform(flags.text('platform'), native, flags.isOn('print')),
    json: flags.isOn('json'),
    serveValues: serveValues(flags),
    warnings: keyWarnings(flags, environment),
  }
  readDirectories(flags)
  check(request)
  const given = SERVE_FLAGS.find((flag) => isGiven(flag, flags, environment))
  if (verb !== 'install' && given !== undefined) {
    throw new TwinfoldError('usage', `--${given.name} is only for "service install"`)
  }
  return request
}

/** The `serve` flags that differ from the defaults and belong in the definition. */
function serveValues(flags: ParsedFlags): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const flag of SERVE_FLAGS) {
    const value = flags.text(flag.name)
    if (value !== undefined && value !== flag.default && !NOT_CARRIED.includes(flag.name)) values.set(flag.name, value)
  }
  return values
}

/** Whether the command line sets it, and not the environment or a default. */
function isGiven(flag: FlagSpec, flags: ParsedFlags, environment: Environment): boolean {
  const value = flags.text(flag.name)
  return value !== undefined && value !== flag.default && (flag.env === undefined || value !== environment[flag.env])
}

function readPlatform(given: string | undefined, native: ServicePlatform | undefined, print: boolean): ServicePlatform {
  if (given !== undefined) {
    const platform = SERVICE_PLATFORMS.find((name) => name === given)
    if (platform === undefined) {
      throw new TwinfoldError('usage', `--platform: expected ${SERVICE_PLATFORMS.join(', ')}, got "${given}"`)
    }
    if (!print && platform !== native) throw new TwinfoldError('usage', '--platform is only for --print')
    return platform
  }
  if (native !== undefined) return native
  if (print) return 'systemd'
  throw new TwinfoldError('refused', 'no supported service manager on this system; see --print for definitions')
}

/** Every flag that would do nothing is refused. */
function check(request: ServiceRequest): void {
  const refuse = (text: string): never => {
    throw new TwinfoldError('usage', text)
  }
  const { verb, system, platform, serveValues } = request
  if (!NAME.test(request.name)) refuse(`--name: expected letters, digits, "_", "-" and ".", got "${request.name}"`)
  if (request.user !== undefined && !system) refuse('--user is only for --system')
  if (request.linger && (platform !== 'systemd' || system)) refuse('--linger is only for a user service of systemd')
  if (request.writable.length > 0 && (platform !== 'systemd' || !system)) {
    refuse('--writable is only for a system service of systemd')
  }
  if (serveValues.get('browser') === 'true') refuse('a service opens no browser; leave out --browser')
  if (verb === 'install') return
  if (request.force) refuse(`--force is only for "service install"`)
  if (request.linger) refuse(`--linger is only for "service install"`)
  if (request.writable.length > 0) refuse(`--writable is only for "service install"`)
}

/** Every user of the machine could read a key in a definition or in the process list. */
function keyWarnings(flags: ParsedFlags, environment: Environment): readonly string[] {
  const key = flags.text('gui-apikey')
  if (key === undefined) return []
  const remedy = 'the key in config.xml is used instead'
  if (key === environment['STGUIAPIKEY']) return [`STGUIAPIKEY is not carried into the service; ${remedy}`]
  throw new TwinfoldError('usage', `--gui-apikey: every user could read the key in the service's definition; ${remedy}`)
}

const PATH_FLAGS = ['home', 'config', 'data', 'log-file', 'audit-file', 'debug-gui-assets-dir']
const NO_PATHS = ['-', '--', 'default']

/** The flags of `serve` as arguments for the definition, which has no working directory for relative paths. */
export function carriedFlags(
  values: ReadonlyMap<string, string>,
  platform: ServicePlatform,
  workingDirectory: string,
): readonly string[] {
  return [...values].flatMap(([name, value]) => {
    const flag = SERVE_FLAGS.find((candidate) => candidate.name === name)
    if (flag?.value === undefined) return value === 'true' ? [`--${name}`] : [`--${name}=${value}`]
    const isPath = PATH_FLAGS.includes(name) && !NO_PATHS.includes(value)
    return [`--${name}=${isPath ? absolutePath(value, platform, workingDirectory) : value}`]
  })
}

/** `~` stays: the daemon expands it to the home of the user it runs as. */
export function absolutePath(path: string, platform: ServicePlatform, workingDirectory: string): string {
  if (path === '~' || path.startsWith('~/')) return path
  return (platform === 'windows' ? win32 : posix).resolve(workingDirectory, path)
}
