import { posix, win32 } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import { isFlagWord, readFlags, takesNextWord, type Environment, type Flag } from '../flags.ts'
import { SERVE_FLAGS } from '../serve-flags.ts'
import { readDirectories } from '../serve-options.ts'
import { SERVICE_PLATFORMS, type ServicePlatform } from './types.ts'

const WRITABLE: Flag = {
  name: 'writable',
  value: 'DIR',
  help: 'System unit: the daemon may write nowhere but here and in its home; may be repeated',
}

/** The flags of `service` itself. Those of `serve` may stand beside them. */
export const SERVICE_FLAGS: readonly Flag[] = [
  {
    name: 'system',
    help: 'A service of the machine, started at boot, instead of one of your login; needs root',
  },
  {
    name: 'user',
    value: 'NAME',
    help: 'Who a service of the machine runs as; default is who called sudo',
  },
  { name: 'name', value: 'NAME', help: 'Name of the service, for more than one (twinfold)' },
  { name: 'linger', help: 'systemd: let your services run while you are not logged in' },
  WRITABLE,
  { name: 'force', help: 'Replace a service that was edited, or that Twinfold did not write' },
  { name: 'print', help: 'Only show what would be written and run' },
  {
    name: 'platform',
    value: 'NAME',
    help: `With --print: ${SERVICE_PLATFORMS.join(', ')}, instead of that of this machine`,
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
  readonly help: boolean
  readonly serveValues: ReadonlyMap<string, string>
  /** What a person should know about the request. */
  readonly warnings: readonly string[]
}

/** Flags of `serve` that the definition has anyway, or that concern this command. */
const NOT_CARRIED = ['no-browser', 'no-restart', 'gui-apikey']
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Reads the words after `service`. `native` is the platform of this machine, where it has one that we know. */
export function readServiceWords(
  words: readonly string[],
  environment: Environment,
  native: ServicePlatform | undefined,
): ServiceRequest {
  const { own, others, writable } = splitWords(words)
  const { values, words: rest } = readFlags([...SERVICE_FLAGS, { name: 'json' }, { name: 'help', short: 'h' }], own, {})
  const serve = readFlags(SERVE_FLAGS, others, environment)
  const help = values.get('help') === 'true'
  const on = (name: string) => values.get(name) === 'true'
  const user = values.get('user')
  const request: ServiceRequest = {
    verb: help ? 'status' : readVerb([...rest, ...serve.words]),
    system: on('system'),
    ...(user !== undefined && { user }),
    name: values.get('name') ?? 'twinfold',
    linger: on('linger'),
    writable,
    force: on('force'),
    print: on('print'),
    platform: readPlatform(values.get('platform'), native, on('print') || help),
    json: on('json'),
    help,
    serveValues: new Map([...serve.values].filter(([name]) => !NOT_CARRIED.includes(name))),
    warnings: keyWarnings(others, serve.values),
  }
  if (help) return request
  check(request)
  if (request.verb !== 'install' && others[0] !== undefined) {
    throw new TwinfoldError('usage', `${others[0].split('=')[0]} is only for "service install"`)
  }
  return request
}

/** Our own flags, those of `serve`, and the values of the one that may be repeated. */
function splitWords(words: readonly string[]): {
  own: string[]
  others: string[]
  writable: string[]
} {
  const own: string[] = []
  const others: string[] = []
  const writable: string[] = []
  const ownFlags = SERVICE_FLAGS.filter((flag) => flag !== WRITABLE)
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const isOfServe = isFlagWord(word) && isKnown(SERVE_FLAGS, word)
    if (isFlagWord(word) && isKnown([WRITABLE], word)) {
      const { values } = readFlags([WRITABLE], words.slice(index, index + (word.includes('=') ? 1 : 2)), {})
      writable.push(values.get('writable')!)
      if (!word.includes('=')) index++
    } else {
      const target = isOfServe ? others : own
      target.push(word)
      if (takesNextWord(isOfServe ? SERVE_FLAGS : ownFlags, word) && index + 1 < words.length)
        target.push(words[++index]!)
    }
  }
  return { own, others, writable }
}

function isKnown(flags: readonly Flag[], word: string): boolean {
  try {
    readFlags(flags, [word.includes('=') || !takesNextWord(flags, word) ? word : `${word}=`], {})
    return true
  } catch {
    return false
  }
}

function readVerb([word, unexpected]: readonly string[]): ServiceVerb {
  const verb = SERVICE_VERBS.find((name) => name === word)
  if (verb === undefined) {
    const found = word === undefined ? 'nothing' : `"${word}"`
    throw new TwinfoldError('usage', `service: expected ${SERVICE_VERBS.join(', ')}, got ${found}`)
  }
  if (unexpected !== undefined) throw new TwinfoldError('usage', `unexpected argument ${unexpected}`)
  return verb
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
  throw new TwinfoldError('bad-request', 'no service manager of this system is known; see --print for definitions')
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
  readDirectories(serveValues)
  if (verb === 'install') return
  if (request.force) refuse(`--force is only for "service install"`)
  if (request.linger) refuse(`--linger is only for "service install"`)
  if (request.writable.length > 0) refuse(`--writable is only for "service install"`)
}

/** A key in a definition could be read by everybody on the machine, as could one in the list of processes. */
function keyWarnings(words: readonly string[], values: ReadonlyMap<string, string>): readonly string[] {
  if (!values.has('gui-apikey')) return []
  const remedy = 'the key in config.xml is used instead'
  if (!words.some((word) => /^--?gui-apikey/.test(word)))
    return [`STGUIAPIKEY is not carried into the service; ${remedy}`]
  throw new TwinfoldError('usage', `--gui-apikey: everybody could read the key in the service's definition; ${remedy}`)
}

const PATH_FLAGS = ['home', 'config', 'data', 'log-file', 'audit-file', 'debug-gui-assets-dir']
const NO_PATHS = ['-', '--', 'default']

/** The flags of `serve` as words for the definition, which has no working directory to count relative paths from. */
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

/** `~` stays: the daemon itself takes it for the home of the user it runs as. */
export function absolutePath(path: string, platform: ServicePlatform, workingDirectory: string): string {
  if (path === '~' || path.startsWith('~/')) return path
  return (platform === 'windows' ? win32 : posix).resolve(workingDirectory, path)
}
