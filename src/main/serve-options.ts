import { TwinfoldError } from '../core/errors.ts'
import { readFlags, type Environment } from './flags.ts'
import type { ServeOptions } from './options.ts'
import { ACTION_FLAGS, SERVE_FLAGS } from './serve-flags.ts'

/** The directories as they were asked for. Finding the ones that were not is the business of the locations. */
export interface DirectoryChoice {
  readonly home?: string
  readonly config?: string
  readonly data?: string
}

/** Everything the words and the environment say about a start. Only the locations are missing: they need the disk. */
export interface ServeRequest {
  readonly directories: DirectoryChoice
  readonly options: Omit<ServeOptions, 'locations'>
  /** False when a wish to restart must leave with its exit code, for service managers that start again themselves. */
  readonly restarts: boolean
  /** As given: `-`, `default`, or a path. */
  readonly logFile?: string
  readonly guiAssetsDirectory?: string
}

export type Action = 'help' | 'version' | 'device-id' | 'paths' | 'browser' | 'generate' | 'reset-database' | 'upgrade'

export type ServeWords =
  | { readonly kind: 'serve'; readonly request: ServeRequest }
  | {
      readonly kind: 'action'
      readonly action: Action
      readonly directories: DirectoryChoice
      /** What the flag says to its action, by the names of the action's own flags. */
      readonly values?: ReadonlyMap<string, string>
    }

const LOG_MAX_SIZE_BYTES = 10 * 1024 * 1024
const LOG_MAX_OLD_FILES = 3

/** In the order in which they win when somebody gives two. */
const ACTIONS: readonly (readonly [flag: string, action: Action])[] = [
  ['help', 'help'],
  ['version', 'version'],
  ['paths', 'paths'],
  ['device-id', 'device-id'],
  ['browser-only', 'browser'],
  ['generate', 'generate'],
  ['upgrade', 'upgrade'],
  ['upgrade-check', 'upgrade'],
  ['upgrade-to', 'upgrade'],
  ['reset-database', 'reset-database'],
]

const UPGRADE_VALUES: Readonly<Record<string, (value: string) => ReadonlyMap<string, string>>> = {
  'upgrade-check': () => new Map([['check-only', 'true']]),
  'upgrade-to': (url) => new Map([['from', url]]),
}

/** Reads the words after `serve`. Throws `usage` with Syncthing's wording for what it does not know. */
export function parseServeWords(words: readonly string[], environment: Environment): ServeWords {
  const flags = readFlags([...SERVE_FLAGS, ...ACTION_FLAGS], words, environment)
  const [unexpected] = flags.words
  if (unexpected !== undefined) throw new TwinfoldError('usage', `unexpected argument ${unexpected}`)
  const directories = readDirectories(flags.values)
  for (const [flag, action] of ACTIONS) {
    const value = flags.values.get(flag)
    if (value === undefined || value === 'false') continue
    // `--generate=PATH` of 1.x names the home itself.
    if (action === 'generate') return { kind: 'action', action, directories: { home: value } }
    const values = UPGRADE_VALUES[flag]?.(value)
    return { kind: 'action', action, directories, ...(values !== undefined && { values }) }
  }
  return { kind: 'serve', request: readRequest(flags.values, directories, environment) }
}

/** Both or none: half a home is a mistake that would put an index beside the wrong configuration. */
export function readDirectories(values: ReadonlyMap<string, string>): DirectoryChoice {
  const home = values.get('home')
  const config = values.get('config')
  const data = values.get('data')
  if ((config === undefined) !== (data === undefined)) {
    const hint = 'either both or none of --config and --data must be given, use --home to set both at once'
    throw new TwinfoldError('usage', `command line options: ${hint}`)
  }
  if (home !== undefined && config !== undefined) {
    throw new TwinfoldError('usage', 'command line options: --home must not be used together with --config and --data')
  }
  return {
    ...(home !== undefined && { home }),
    ...(config !== undefined && { config }),
    ...(data !== undefined && { data }),
  }
}

function readRequest(
  values: ReadonlyMap<string, string>,
  directories: DirectoryChoice,
  environment: Environment,
): ServeRequest {
  const logFile = values.get('log-file')
  const guiAssetsDirectory = values.get('debug-gui-assets-dir')
  return {
    directories,
    options: readOptions(values, environment),
    restarts: values.get('no-restart') !== 'true',
    ...(logFile !== undefined && { logFile }),
    ...(guiAssetsDirectory !== undefined && { guiAssetsDirectory }),
  }
}

function readOptions(values: ReadonlyMap<string, string>, environment: Environment): ServeRequest['options'] {
  const on = (name: string) => values.get(name) === 'true'
  const guiAddress = values.get('gui-address')
  const guiApiKey = values.get('gui-apikey')
  const audit = values.get('audit-file') ?? (on('audit') ? 'default' : undefined)
  if (on('paused') && on('unpaused')) throw new TwinfoldError('usage', '--paused and --unpaused exclude each other')
  return {
    ...(guiAddress !== undefined && { guiAddress }),
    ...(guiApiKey !== undefined && { guiApiKey }),
    allowNewerConfig: on('allow-newer-config'),
    openBrowser: on('browser') && !on('no-browser'),
    portProbing: !on('no-port-probing'),
    paused: on('paused'),
    unpaused: on('unpaused'),
    upgradesAllowed: !on('no-upgrade'),
    resetDatabase: false,
    ...(audit !== undefined && { audit }),
    trace: environment['STTRACE'] ?? '',
    logLevel: readLogLevel(values.get('log-level')),
    logFormat: readLogFormat(values.get('log-format')),
    logMaxSizeBytes: readCount(values, 'log-max-size', LOG_MAX_SIZE_BYTES),
    logMaxOldFiles: readCount(values, 'log-max-old-files', LOG_MAX_OLD_FILES),
    versionExtra: environment['STVERSIONEXTRA'] ?? '',
  }
}

function readLogLevel(text: string | undefined): ServeOptions['logLevel'] {
  switch (text?.trim().toUpperCase()) {
    case undefined:
      return 'INFO'
    case 'DEBUG':
      return 'DEBUG'
    case 'INFO':
      return 'INFO'
    case 'WARN':
    case 'WARNING':
      return 'WARN'
    case 'ERROR':
      return 'ERROR'
    default:
      throw new TwinfoldError('usage', `--log-level: unknown level "${text}"; use DEBUG, INFO, WARN or ERROR`)
  }
}

function readLogFormat(text: string | undefined): ServeOptions['logFormat'] {
  if (text === undefined || text === 'text') return 'text'
  if (text === 'json') return 'json'
  throw new TwinfoldError('usage', `--log-format: unknown format "${text}"; use text or json`)
}

function readCount(values: ReadonlyMap<string, string>, name: string, fallback: number): number {
  const text = values.get(name)
  if (text === undefined) return fallback
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count
  throw new TwinfoldError('usage', `--${name}: expected a whole number, got "${text}"`)
}
