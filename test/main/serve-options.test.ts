import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../src/core/errors.ts'
import { splitCommandLine, takeDaemonChoice } from '../../src/main/command-line.ts'
import { describeFlags, type Environment } from '../../src/main/flags.ts'
import { SERVE_FLAGS } from '../../src/main/serve-flags.ts'
import { parseServeWords, type Action, type ServeRequest } from '../../src/main/serve-options.ts'

function request(text: string, environment: Environment = {}): ServeRequest {
  const parsed = parseServeWords(text.split(' ').filter(Boolean), environment)
  assert.equal(parsed.kind, 'serve')
  return parsed.kind === 'serve' ? parsed.request : assert.fail()
}

/** One answer as `name=value` lines that differ from a start without any flag. */
function difference(changed: ServeRequest): Record<string, unknown> {
  const plain = request('')
  const flat = (from: ServeRequest) => ({ ...from.options, ...from.directories, restarts: from.restarts, logFile: from.logFile, guiAssetsDirectory: from.guiAssetsDirectory })
  const before: Record<string, unknown> = flat(plain)
  return Object.fromEntries(Object.entries(flat(changed)).filter(([name, value]) => before[name] !== value))
}

test('serve: without any word the defaults hold', () => {
  assert.deepEqual(request(''), {
    directories: {},
    restarts: true,
    options: {
      allowNewerConfig: false, openBrowser: false, portProbing: true, paused: false, unpaused: false, upgradesAllowed: true,
      resetDatabase: false, trace: '', logLevel: 'INFO', logFormat: 'text', logMaxSizeBytes: 10_485_760, logMaxOldFiles: 3, versionExtra: '',
    },
  })
})

const flagCases: [words: string, expected: Record<string, unknown>][] = [
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
  ['--log-format=json', { logFormat: 'json' }],
  ['--audit', { audit: 'default' }],
  ['--auditfile=-', { audit: '-' }],
  ['--auditfile --', { audit: '--' }],
  ['--debug-gui-assets-dir /g', { guiAssetsDirectory: '/g' }],
  // Understood and without meaning here.
  ['--verbose --logflags 3 --no-default-folder', {}],
  ['-verbose -logflags=3', {}],
  ['--log-format-timestamp x --no-log-format-level-string --log-format-level-syslog', {}],
  ['--db-maintenance-interval 8h --db-delete-retention-interval=10920h', {}],
  ['--debug-db-indirect-gc-interval 1h --debug-db-recheck-interval 1h --debug-perf-stats', {}],
  ['--debug-profile-block --debug-profile-cpu --debug-profile-heap --debug-profiler-listen :1 --no-console', {}],
  ['--reset-deltas --debug-reset-delta-idxs', {}],
]

for (const [words, expected] of flagCases) {
  test(`serve ${words}`, () => assert.deepEqual(difference(request(words)), expected))
}

const variableCases: [environment: Environment, expected: Record<string, unknown>][] = [
  [{ STHOMEDIR: '/h' }, { home: '/h' }],
  [{ STCONFDIR: '/c', STDATADIR: '/d' }, { config: '/c', data: '/d' }],
  [{ STGUIADDRESS: 'unix:///s', STGUIAPIKEY: 'k' }, { guiAddress: 'unix:///s', guiApiKey: 'k' }],
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
  [{ STLOGFILE: '/l', STLOGLEVEL: 'error', STLOGMAXSIZE: '7', STLOGMAXOLDFILES: '1' }, { logFile: '/l', logLevel: 'ERROR', logMaxSizeBytes: 7, logMaxOldFiles: 1 }],
  [{ STAUDIT: '1' }, { audit: 'default' }],
  [{ STAUDITFILE: '/a' }, { audit: '/a' }],
  [{ STGUIASSETS: '/g' }, { guiAssetsDirectory: '/g' }],
  [{ STTRACE: 'model;scanner db' }, { trace: 'model;scanner db' }],
  [{ STVERSIONEXTRA: 'wrapped' }, { versionExtra: 'wrapped' }],
  [{ STNOBROWSER: '1', STNODEFAULTFOLDER: '1', STHIDECONSOLE: '1', STPERFSTATS: '1', GOMAXPROCS: '2' }, {}],
]

for (const [environment, expected] of variableCases) {
  test(`serve with ${JSON.stringify(environment)}`, () => assert.deepEqual(difference(request('', environment)), expected))
}

test('serve: a flag wins over its variable, the last flag over the first', () => {
  assert.equal(request('--home /flag', { STHOMEDIR: '/variable' }).directories.home, '/flag')
  assert.equal(request('--no-restart=false', { STNORESTART: '1' }).restarts, true)
  assert.equal(request('--home /a --home /b').directories.home, '/b')
})

const actionCases: [words: string, action: Action, home?: string | undefined, value?: [flag: string, value: string]][] = [
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
  ['--upgrade-check', 'upgrade', undefined, ['check-only', 'true']],
  ['--upgrade-to=http://x', 'upgrade', undefined, ['from', 'http://x']],
  ['--help', 'help'],
  ['-h', 'help'],
  ['--device-id --help', 'help'],
]

for (const [words, action, home, value] of actionCases) {
  test(`serve ${words} acts as ${action}`, () => {
    const parsed = parseServeWords(words.split(' '), {})
    const values = value === undefined ? {} : { values: new Map([value]) }
    assert.deepEqual(parsed, { kind: 'action', action, directories: home === undefined ? {} : { home }, ...values })
  })
}

const mistakes: [words: string, message: RegExp][] = [
  ['--no-such-flag', /^unknown flag --no-such-flag$/],
  ['--no-such-flag=secret', /^unknown flag --no-such-flag$/],
  ['-x', /^unknown flag -x$/],
  ['--no-home', /^unknown flag --no-home$/],
  ['bogus', /^unexpected argument bogus$/],
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

for (const [words, message] of mistakes) {
  test(`serve ${words} is refused`, () => {
    assert.throws(() => parseServeWords(words.split(' '), {}), (error) => error instanceof TwinfoldError && error.code === 'usage' && message.test(error.message))
  })
}

test('serve: any words are an answer or a usage error, nothing else', () => {
  const word = fc.oneof(fc.string(), fc.constantFrom('--home', '--home=', '-H', '--', '-', '--no-restart', '__proto__', '--constructor', '--toString=1'))
  fc.assert(fc.property(fc.array(word, { maxLength: 6 }), (words) => {
    try {
      parseServeWords(words, {})
      splitCommandLine(words)
      takeDaemonChoice(words, {})
    } catch (error) {
      if (!(error instanceof TwinfoldError) || error.code !== 'usage') throw error
    }
  }))
})

const commandCases: [words: string, expected: unknown][] = [
  ['', { kind: 'local', command: 'serve', words: [] }],
  ['--home /h', { kind: 'local', command: 'serve', words: ['--home', '/h'] }],
  ['serve --home /h', { kind: 'local', command: 'serve', words: ['--home', '/h'] }],
  ['--home /h serve --paused', { kind: 'local', command: 'serve', words: ['--home', '/h', '--paused'] }],
  ['--home serve', { kind: 'local', command: 'serve', words: ['--home', 'serve'] }],
  ['-H /h device-id', { kind: 'local', command: 'device-id', words: ['-H', '/h'] }],
  ['generate --gui-user u', { kind: 'local', command: 'generate', words: ['--gui-user', 'u'] }],
  ['debug reset-database --home /h', { kind: 'reset-database', words: ['--home', '/h'] }],
  ['--home /h debug reset-database', { kind: 'reset-database', words: ['--home', '/h'] }],
  ['debug --enable model', { kind: 'remote', words: ['debug', '--enable', 'model'] }],
  ['--home /h folder add /p', { kind: 'remote', words: ['folder', 'add', '/p', '--home', '/h'] }],
]

for (const [words, expected] of commandCases) {
  test(`the command in "${words}"`, () => assert.deepEqual(splitCommandLine(words.split(' ').filter(Boolean)), expected))
}

test('an unknown command is an unexpected argument', () => {
  assert.throws(() => splitCommandLine(['bogus']), { message: 'unexpected argument bogus' })
})

test('where the daemon is can be said anywhere among the words', () => {
  assert.deepEqual(takeDaemonChoice(['scan', '--home', '/h', 'f', '--next', '3'], {}), {
    choice: { directories: { home: '/h' } }, words: ['scan', 'f', '--next', '3'],
  })
  assert.deepEqual(takeDaemonChoice(['status', '--gui-address=h:1', '--gui-apikey', 'k'], {}), {
    choice: { directories: {}, guiAddress: 'h:1', guiApiKey: 'k' }, words: ['status'],
  })
  assert.deepEqual(takeDaemonChoice(['scan', 'f', '--', '--home'], { STHOMEDIR: '/e' }), {
    choice: { directories: { home: '/e' } }, words: ['scan', 'f', '--', '--home'],
  })
})

test('the help of serve names every flag that means something, with its variable', () => {
  const help = describeFlags(SERVE_FLAGS)
  for (const text of ['--home DIR', '-H,', '$STHOMEDIR', '--gui-address URL', '--no-restart', '--log-file PATH']) assert.ok(help.includes(text), text)
  assert.ok(!help.includes('--verbose'))
})
