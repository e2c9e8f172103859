import { TwinfoldError } from '../../core/errors.ts'
import { parseTrustedProxies, type TrustedProxies } from '../../core/network/trusted-proxies.ts'
import { canonicalArgs, type CanonicalArgs } from '../../cli/args/canonical.ts'
import { withoutUndefined, ParsedFlags } from '../../cli/args/parsed-flags.ts'
import type { Environment } from '../../cli/args/flag-spec.ts'
import type { ServeOptions } from './options.ts'
import { ACTION_FLAGS, SERVE_FLAGS } from './serve-flags.ts'

/** The given directories. `core/find-locations.ts` finds those that are not given. */
export interface DirectoryChoice {
  readonly home?: string
  readonly config?: string
  readonly data?: string
}

/** All options of a start from flags and environment, except the locations, which need the disk. */
export interface ServeRequest {
  readonly directories: DirectoryChoice
  readonly options: Omit<ServeOptions, 'locations'>
  /** False when a restart request must end the process with its exit code, for service managers that restart it. */
  readonly restarts: boolean
  /** As given: `-`, `default`, or a path. */
  readonly logFile?: string
  readonly guiAssetsDirectory?: string
}

/**
 * The flags of a command line that only starts the daemon, read without commander: loading it costs the daemon memory
 * that stays (docs/decisions/015). Undefined for every other command line, and for an invalid one.
 */
export function plainServeFlags(args: readonly string[], environment: Environment): ParsedFlags | undefined {
  const line = canonicalServeArgs(args)
  if (line === undefined || line.unknown.length > 0 || line.rest.length > 0) return undefined
  if (line.operands.length > 1 || (line.operands[0] ?? 'serve') !== 'serve') return undefined
  if (line.flags.some(({ name }) => ACTION_FLAGS.some((flag) => flag.name === name))) return undefined
  const values = new Map(line.flags.map(({ name, value }) => [name, [value]]))
  return new ParsedFlags(values).completed(SERVE_FLAGS, environment)
}

function canonicalServeArgs(args: readonly string[]): CanonicalArgs | undefined {
  try {
    return canonicalArgs([...SERVE_FLAGS, ...ACTION_FLAGS], args)
  } catch (error) {
    if (error instanceof TwinfoldError) return undefined // the flags of all commands are needed for the error message
    throw error
  }
}

/** Both or none: one directory alone would combine an index with the wrong configuration. */
export function readDirectories(flags: ParsedFlags): DirectoryChoice {
  const [home, config, data] = [flags.text('home'), flags.text('config'), flags.text('data')]
  if ((config === undefined) !== (data === undefined)) {
    const hint = 'either both or none of --config and --data must be given, use --home to set both at once'
    throw new TwinfoldError('usage', `command line options: ${hint}`)
  }
  if (home !== undefined && config !== undefined) {
    throw new TwinfoldError('usage', 'command line options: --home must not be used together with --config and --data')
  }
  return withoutUndefined({ home, config, data })
}

/** How a command finds the daemon. */
export interface DaemonChoice {
  readonly directories: DirectoryChoice
  readonly guiAddress?: string
  readonly guiApiKey?: string
}

export function readDaemonChoice(flags: ParsedFlags): DaemonChoice {
  const addresses = { guiAddress: flags.text('gui-address'), guiApiKey: flags.text('gui-apikey') }
  return { directories: readDirectories(flags), ...withoutUndefined(addresses) }
}

/** Throws `usage` for values that `serve` does not accept. */
export function readServeRequest(flags: ParsedFlags, environment: Environment): ServeRequest {
  return {
    directories: readDirectories(flags),
    options: readOptions(flags, environment),
    restarts: !flags.isOn('no-restart'),
    ...withoutUndefined({ logFile: flags.text('log-file'), guiAssetsDirectory: flags.text('debug-gui-assets-dir') }),
  }
}

function readOptions(flags: ParsedFlags, environment: Environment): ServeRequest['options'] {
  const audit = flags.text('audit-file') ?? (flags.isOn('audit') ? 'default' : undefined)
  if (flags.isOn('paused') && flags.isOn('unpaused')) {
    throw new TwinfoldError('usage', '--paused and --unpaused exclude each other')
  }
  return {
    ...withoutUndefined({ guiAddress: flags.text('gui-address'), guiApiKey: flags.text('gui-apikey'), audit }),
    ...withoutUndefined({ applyFile: flags.text('apply') }),
    ...withoutUndefined({ trustedProxies: readProxies(flags.list('trusted-proxies')) }),
    openGuiAllowed: flags.isOn('allow-open-gui'),
    allowNewerConfig: flags.isOn('allow-newer-config'),
    openBrowser: flags.isOn('browser') && !flags.isOn('no-browser'),
    portProbing: !flags.isOn('no-port-probing'),
    paused: flags.isOn('paused'),
    unpaused: flags.isOn('unpaused'),
    upgradesAllowed: !flags.isOn('no-upgrade'),
    trace: environment['STTRACE'] ?? '',
    logLevel: readLogLevel(flags.text('log-level')),
    logFormat: readLogFormat(flags.text('log-format')),
    logMaxSizeBytes: readCount(flags, 'log-max-size'),
    logMaxOldFiles: readCount(flags, 'log-max-old-files'),
    versionExtra: environment['STVERSIONEXTRA'] ?? '',
  }
}

function readProxies(names: readonly string[] | undefined): TrustedProxies | undefined {
  const proxies = names === undefined ? undefined : parseTrustedProxies(names)
  if (typeof proxies !== 'string') return proxies
  const hint = 'use addresses, networks such as 10.1.0.0/16, or unix'
  throw new TwinfoldError('usage', `--trusted-proxies: unknown address "${proxies}"; ${hint}`)
}

function readLogLevel(text: string | undefined): ServeOptions['logLevel'] {
  switch (text?.trim().toUpperCase()) {
    case undefined:
    case 'INFO':
    case 'INF':
      return 'INFO'
    case 'DEBUG':
    case 'DBG':
      return 'DEBUG'
    case 'WARN':
    case 'WARNING':
    case 'WRN':
      return 'WARN'
    case 'ERROR':
    case 'ERR':
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

function readCount(flags: ParsedFlags, name: string): number {
  const text = flags.text(name) ?? ''
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count
  throw new TwinfoldError('usage', `--${name}: expected a whole number, got "${text}"`)
}
