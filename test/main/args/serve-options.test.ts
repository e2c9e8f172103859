import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseCommandLine } from '../../../src/cli/args/parse.ts'
import type { Environment } from '../../../src/cli/args/flag-spec.ts'
import { COMMANDS } from '../../../src/main/commands/table.ts'
import {
  plainServeFlags,
  readDirectories,
  readServeRequest,
  type ServeRequest,
} from '../../../src/main/args/serve-options.ts'
import { parse, request } from './parse-args.ts'

/** The options that differ from a start without any flag. */
function difference(changed: ServeRequest): Record<string, unknown> {
  const plain = request('')
  const flat = (from: ServeRequest) => ({
    ...from.options,
    ...from.directories,
    restarts: from.restarts,
    logFile: from.logFile,
    guiAssetsDirectory: from.guiAssetsDirectory,
  })
  const before: Record<string, unknown> = flat(plain)
  return Object.fromEntries(Object.entries(flat(changed)).filter(([name, value]) => before[name] !== value))
}

test('serve: defaults without any argument', () => {
  assert.deepEqual(request(''), {
    directories: {},
    restarts: true,
    options: {
      openGuiAllowed: false,
      allowNewerConfig: false,
      openBrowser: false,
      portProbing: true,
      paused: false,
      unpaused: false,
      upgradesAllowed: true,
      trace: '',
      logLevel: 'INFO',
      logFormat: 'text',
      logMaxSizeBytes: 10_485_760,
      logMaxOldFiles: 3,
      versionExtra: '',
    },
  })
})

const flagCases: [args: string, expected: Record<string, unknown>][] = [
  ['--home /h', { home: '/h' }],
  ['--home=/h', { home: '/h' }],
  ['-H /h', { home: '/h' }],
  ['-H=/h', { home: '/h' }],
  ['-H/h', { home: '/h' }],
  ['-home /h', { home: '/h' }],
  ['-home=/h', { home: '/h' }],
  ['--config /c --data /d', { config: '/c', data: '/d' }],
  ['-C /c -D /d', { config: '/c', data: '/d' }],
  ['--gui-address=127.0.0.1:1', { guiAddress: '127.0.0.1:1' }],
  ['--gui-address https://127.0.0.1:1', { guiAddress: 'https://127.0.0.1:1' }],
  ['--gui-apikey abc', { guiApiKey: 'abc' }],
  ['--no-browser', {}],
  ['--browser', { openBrowser: true }],
  ['--browser --no-browser', {}],
  ['--no-restart', { restarts: false }],
  ['-no-restart', { restarts: false }],
  ['--no-restart=false', {}],
  ['--no-restart --no-restart=0', {}],
  ['--no-upgrade', { upgradesAllowed: false }],
  ['--no-port-probing', { portProbing: false }],
  ['--skip-port-probing', { portProbing: false }],
  ['--paused', { paused: true }],
  ['--unpaused', { unpaused: true }],
  ['--allow-newer-config', { allowNewerConfig: true }],
  ['--logfile=-', { logFile: '-' }],
  ['--log-file /l', { logFile: '/l' }],
  ['--log-file -', { logFile: '-' }],
  ['--logfile default', { logFile: 'default' }],
  ['--log-max-size 5 --log-max-old-files=0', { logMaxSizeBytes: 5, logMaxOldFiles: 0 }],
  ['--log-level debug', { logLevel: 'DEBUG' }],
  ['--log-level=WARNING', { logLevel: 'WARN' }],
  ['--log-level wrn', { logLevel: 'WARN' }],
  ['--log-format=json', { logFormat: 'json' }],
  ['--audit', { audit: 'default' }],
  ['--auditfile=-', { audit: '-' }],
  ['--auditfile --', { audit: '--' }],
  ['--debug-gui-assets-dir /g', { guiAssetsDirectory: '/g' }],
  // Accepted without effect.
  ['--verbose --logflags 3 --no-default-folder', {}],
  ['-verbose -logflags=3', {}],
  ['--log-format-timestamp x --no-log-format-level-string --log-format-level-syslog', {}],
  ['--db-maintenance-interval 8h --db-delete-retention-interval=10920h', {}],
  ['--debug-db-indirect-gc-interval 1h --debug-db-recheck-interval 1h --debug-perf-stats', {}],
  ['--debug-profile-block --debug-profile-cpu --debug-profile-heap --debug-profiler-listen :1 --no-console', {}],
  ['--reset-deltas --debug-reset-delta-idxs', {}],
]

for (const [args, expected] of flagCases) {
  test(`serve ${args}`, () => assert.deepEqual(difference(request(args)), expected))
}

const variableCases: [environment: Environment, expected: Record<string, unknown>][] = [
  [{ STHOMEDIR: '/h' }, { home: '/h' }],
  [
    { STCONFDIR: '/c', STDATADIR: '/d' },
    { config: '/c', data: '/d' },
  ],
  [
    { STGUIADDRESS: 'unix:///s', STGUIAPIKEY: 'k' },
    { guiAddress: 'unix:///s', guiApiKey: 'k' },
  ],
  [{ STGUIADDRESS: '' }, {}],
  [{ STNORESTART: '1' }, { restarts: false }],
  [{ STNORESTART: 'yes' }, { restarts: false }],
  [{ STNORESTART: '0' }, {}],
  [{ STNORESTART: 'false' }, {}],
  [{ STNOUPGRADE: '1' }, { upgradesAllowed: false }],
  [{ STNOPORTPROBING: '1' }, { portProbing: false }],
  [{ STPAUSED: 'true' }, { paused: true }],
  [{ STUNPAUSED: 'true' }, { unpaused: true }],
  [{ STALLOWNEWERCONFIG: '1' }, { allowNewerConfig: true }],
  [
    { STLOGFILE: '/l', STLOGLEVEL: 'error', STLOGMAXSIZE: '7', STLOGMAXOLDFILES: '1' },
    { logFile: '/l', logLevel: 'ERROR', logMaxSizeBytes: 7, logMaxOldFiles: 1 },
  ],
  [{ STAUDIT: '1' }, { audit: 'default' }],
  [{ STAUDITFILE: '/a' }, { audit: '/a' }],
  [{ STGUIASSETS: '/g' }, { guiAssetsDirectory: '/g' }],
  [{ STTRACE: 'model;scanner db' }, { trace: 'model;scanner db' }],
  [{ STVERSIONEXTRA: 'wrapped' }, { versionExtra: 'wrapped' }],
  [{ STNOBROWSER: '1', STNODEFAULTFOLDER: '1', STHIDECONSOLE: '1', STPERFSTATS: '1', GOMAXPROCS: '2' }, {}],
]

for (const [environment, expected] of variableCases) {
  test(`serve with ${JSON.stringify(environment)}`, () =>
    assert.deepEqual(difference(request('', environment)), expected))
}

test('serve: an open page is accepted by a flag or its variable', () => {
  assert.equal(request('--allow-open-gui').options.openGuiAllowed, true)
  assert.equal(request('', { TWINFOLD_ALLOW_OPEN_GUI: '1' }).options.openGuiAllowed, true)
})

test('serve: proxies are trusted by a flag or its variable, and by neither of them none', () => {
  assert.equal(request('').options.trustedProxies, undefined)
  assert.deepEqual(request('--trusted-proxies=::1,unix,').options.trustedProxies?.names, ['::1', 'unix'])
  const variable = { TWINFOLD_TRUSTED_PROXIES: '10.0.0.0/8, unix' }
  assert.deepEqual(request('', variable).options.trustedProxies?.names, ['10.0.0.0/8', 'unix'])
  assert.throws(() => request('--trusted-proxies=10.0.0.1,proxy.example'), /unknown address "proxy\.example"; use/)
})

test('serve: a flag wins over its variable, the last flag over the first', () => {
  assert.equal(request('--home /flag', { STHOMEDIR: '/variable' }).directories.home, '/flag')
  assert.equal(request('--no-restart=false', { STNORESTART: '1' }).restarts, true)
  assert.equal(request('--home /a --home /b').directories.home, '/b')
})

const actionCases: [args: string, command: string, home?: string][] = [
  ['--device-id', 'device-id'],
  ['-device-id --home /h', 'device-id', '/h'],
  ['--paths', 'paths'],
  ['--version', 'version'],
  ['-verbose --version', 'version'],
  ['--browser-only', 'browser'],
  ['--generate=/g', 'generate', '/g'],
  ['--generate /g --home /h', 'generate', '/g'],
  ['--reset-database', 'reset-database'],
  ['--upgrade', 'upgrade'],
  ['--upgrade-check', 'upgrade'],
  ['--upgrade-to=http://x', 'upgrade'],
]

for (const [args, command, home] of actionCases) {
  test(`serve ${args} runs ${command}`, () => {
    assert.equal(plainServeFlags(args.split(' '), {}), undefined)
    const parsed = parse(args.split(' '), { STCONFDIR: '', STHOMEDIR: '' })
    assert.deepEqual(
      [parsed.command.name, readDirectories(parsed.flags)],
      [command, home === undefined ? {} : { home }],
    )
  })
}

test('the old flags of upgrade become the new ones, and those of generate replace the home', () => {
  assert.equal(parse(['--upgrade-check']).flags.isOn('check-only'), true)
  assert.equal(parse(['--upgrade-to=http://x']).flags.text('from'), 'http://x')
  const generate = parse(['--generate=/g'], { STCONFDIR: '/c', STDATADIR: '/d' })
  assert.deepEqual(readDirectories(generate.flags), { home: '/g' })
})

for (const args of ['--help', '-h', '--device-id --help', '--home /h -h', '-help']) {
  test(`${args} requests the overview`, () => {
    assert.deepEqual(parseCommandLine(COMMANDS, args.split(' '), {}), { kind: 'help', path: [], isError: false })
  })
}

const mistakes: [args: string, message: RegExp][] = [
  ['--no-such-flag', /^unknown flag --no-such-flag(\n\(Did you mean .*)?$/],
  ['--no-such-flag=secret', /^unknown flag --no-such-flag(\n\(Did you mean .*)?$/],
  ['-x', /^unknown flag -x$/],
  ['--no-home', /^unknown flag --no-home(\n\(Did you mean .*)?$/],
  ['serve bogus', /^unexpected argument bogus$/],
  ['--hom /h', /^unknown flag --hom\n\(Did you mean --home\?\)$/],
  ['-hom=/h', /^unknown flag --hom\n\(Did you mean --home\?\)$/],
  ['--home', /^flag --home: expected a value/],
  ['--config /c', /either both or none of --config and --data must be given, use --home to set both at once/],
  ['--data /d', /either both or none/],
  ['--home /h --config /c --data /d', /--home must not be used together/],
  ['--paused --unpaused', /exclude each other/],
  ['--log-level loud', /unknown level "loud"; use DEBUG/],
  ['--log-format xml', /unknown format "xml"/],
  ['--log-max-size 1.5', /--log-max-size: expected a whole number/],
  ['--log-max-old-files -1', /expected a whole number/],
]

for (const [args, message] of mistakes) {
  test(`serve ${args} is refused`, () => {
    assert.throws(
      () => readServeRequest(parse(args.split(' ')).flags, {}),
      (error) => error instanceof TwinfoldError && error.code === 'usage' && message.test(error.message),
    )
  })
}

test('serve: any arguments give a result or a usage error', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('--home', '--home=', '-H', '--', '-', '--no-restart', '__proto__', '--constructor', '--toString=1'),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (args) => {
      try {
        plainServeFlags(args, {})
        parseCommandLine(COMMANDS, args, {})
      } catch (error) {
        if (!(error instanceof TwinfoldError) || error.code !== 'usage') throw error
      }
    }),
  )
})

const commandCases: [
  args: string,
  command: string,
  operands: readonly string[],
  flags: Readonly<Record<string, string>>,
][] = [
  ['', 'serve', [], {}],
  ['--home /h', 'serve', [], { home: '/h' }],
  ['serve --home /h', 'serve', [], { home: '/h' }],
  ['--home /h serve --paused', 'serve', [], { home: '/h', paused: 'true' }],
  ['--home serve', 'serve', [], { home: 'serve' }],
  ['-H /h device-id', 'device-id', [], { home: '/h' }],
  ['generate --gui-user u', 'generate', [], { 'gui-user': 'u' }],
  ['debug reset-database --home /h', 'reset-database', [], { home: '/h' }],
  ['--home /h debug reset-database', 'reset-database', [], { home: '/h' }],
  ['debug --enable model', 'debug', [], { enable: 'model' }],
  ['--home /h folder add /p', 'add', ['/p'], { home: '/h' }],
  ['folder --home=/h add --label -x /p --no-watch', 'add', ['/p'], { home: '/h', label: '-x', 'no-watch': 'true' }],
  ['pending --json accept x --home /h', 'accept', ['x'], { json: 'true', home: '/h' }],
  ['pending accept x -json=false', 'accept', ['x'], { json: 'false' }],
  ['--home /h scan f -- -x --home', 'scan', ['f', '-x', '--home'], { home: '/h' }],
  ['events -f -types=A,B', 'events', [], { follow: 'true', types: 'A,B' }],
  ['--home /h cli config set -Home -- --data', 'cli', ['config', 'set', '-Home', '--', '--data'], { home: '/h' }],
  ['cli -H /h show version --gui-apikey=k', 'cli', ['show', 'version'], { home: '/h', 'gui-apikey': 'k' }],
  ['upgrade -c -u http://x', 'upgrade', [], { 'check-only': 'true', from: 'http://x' }],
]

for (const [args, command, operands, flags] of commandCases) {
  test(`the command in "${args}"`, () => {
    const parsed = parse(args.split(' ').filter(Boolean))
    const given = Object.fromEntries(Object.keys(flags).map((name) => [name, parsed.flags.text(name)]))
    assert.deepEqual([parsed.command.name, parsed.args, given], [command, operands, flags])
  })
}
