import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOMParser } from '@xmldom/xmldom'
import * as fc from 'fast-check'
import { isUnedited, markerLine, readMarker } from '../../../src/main/service/marker.ts'
import { planService } from '../../../src/main/service/plan.ts'
import { lastingNodePath, refuseTemporaryProgram } from '../../../src/main/service/program.ts'
import { packagedUnit } from '../../../src/main/service/systemd.ts'
import { quoted, quotedArgument } from '../../../src/main/service/systemd-text.ts'
import { SERVICE_PLATFORMS, type ServiceFacts } from '../../../src/main/service/types.ts'
import { windowsQuoted } from '../../../src/main/service/windows.ts'
import { DAEMON_ENVIRONMENT, DAEMON_FLAGS } from '../../../tools/choose-node.mjs'

const HOSTILE_PATH = '/a b/%n %%/$HOME ${x}/"q" \'r\'/\\s\\\\/<&>]]>--{}\n\tü/🙂'

const FACTS: ServiceFacts = {
  platform: 'systemd',
  scope: 'user',
  name: 'twinfold',
  user: 'ann',
  userId: 1000,
  userHome: '/home/ann',
  node: '/usr/bin/node',
  script: '/usr/lib/node_modules/twinfold/dist/main/bin.js',
  version: 'v1.0.0',
  serveFlags: [],
  writable: [],
  temporaryDirectory: 'C:\\Temp',
}

/** Parses the arguments of a line as systemd does: quotes, C escapes, specifiers and, in arguments, variables. */
function asSystemdReads(line: string): string[] {
  const args = line.match(/"(?:[^"\\]|\\.)*"/gs) ?? []
  return args.map((word) =>
    word
      .slice(1, -1)
      .replace(/\\(x[0-9a-f]{2}|.)/g, (_, escape: string) =>
        escape.length === 1 ? escape : String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
      )
      .replaceAll('%%', '%'),
  )
}

function settings(content: string, name: string): string[] {
  return content
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1))
}

const VARIABLES = Object.entries(DAEMON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`)

test('systemd: hostile arguments and paths arrive as they are, on one line', () => {
  const facts = { ...FACTS, script: `${HOSTILE_PATH}/bin.js`, serveFlags: [`--home=${HOSTILE_PATH}`] }
  const { content } = planService(facts)
  assert.deepEqual(settings(content, 'Environment'), VARIABLES)
  const [line] = settings(content, 'ExecStart')
  const args = asSystemdReads(line!).map((word) => word.replaceAll('$$', '$'))
  const flags = ['serve', '--no-browser', '--no-restart']
  assert.deepEqual(args, [facts.node, ...DAEMON_FLAGS, facts.script, ...flags, `--home=${HOSTILE_PATH}`])
  assert.ok(line?.includes('%%n %%%%') && line.includes('$$HOME $${x}'))
})

test('a single file is started by itself, on every platform', () => {
  const facts = { ...FACTS, node: '/opt/twinfold', script: '/opt/twinfold' }
  const unit = planService(facts).content
  assert.deepEqual(settings(unit, 'ExecStart'), ['"/opt/twinfold" "serve" "--no-browser" "--no-restart"'])
  assert.match(planService({ ...facts, platform: 'windows' }).content, / \/opt\/twinfold serve --no-browser</)
  const job = planService({ ...facts, platform: 'launchd' }).content
  assert.match(job, /<string>\/opt\/twinfold<\/string>\s*<string>serve<\/string>/)
  assert.equal(readMarker(unit)?.node, '/opt/twinfold')
})

test('systemd: a single file unpacks into a directory of the service, not of the user', () => {
  const facts = { ...FACTS, scope: 'system' as const, name: 'sync', node: '/opt/twinfold', script: '/opt/twinfold' }
  const unit = planService(facts).content
  assert.deepEqual(settings(unit, 'CacheDirectory'), ['sync'])
  assert.deepEqual(settings(unit, 'CacheDirectoryMode'), ['0700'])
  assert.deepEqual(settings(unit, 'Environment'), [...VARIABLES, 'TWINFOLD_CACHE_DIR=%C/sync'])
  assert.deepEqual(settings(planService({ ...FACTS, scope: 'system' }).content, 'CacheDirectory'), [])
})

test('systemd: any text survives quoting', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.ok(!/[\n\r\0]/.test(quoted(text)))
      assert.deepEqual(asSystemdReads(quoted(text)), [text])
      assert.deepEqual(asSystemdReads(quotedArgument(text)), [text.replaceAll('$', '$$$$')])
    }),
  )
})

test('systemd: the program itself keeps a single $, and a path that systemd refuses is refused with a remedy', () => {
  const [line] = settings(planService({ ...FACTS, node: '/opt/n $x%y/node' }).content, 'ExecStart')
  assert.ok(line?.startsWith('"/opt/n $x%%y/node" '))
  for (const node of ['/a"b/node', "/a'b/node", '/a\\b/node', '/a\nb/node']) {
    assert.throws(() => planService({ ...FACTS, node }), /install Node elsewhere/)
  }
})

test('systemd: restarts follow the exit codes, and memory for compiled code stays allowed', () => {
  for (const scope of ['user', 'system'] as const) {
    const { content } = planService({ ...FACTS, scope })
    assert.deepEqual(settings(content, 'Restart'), ['on-failure'])
    assert.deepEqual(settings(content, 'SuccessExitStatus'), ['3 4'])
    assert.deepEqual(settings(content, 'RestartForceExitStatus'), ['3 4'])
    assert.deepEqual(settings(content, 'NoNewPrivileges'), ['yes'])
    assert.deepEqual(settings(content, 'MemoryDenyWriteExecute'), [])
    assert.deepEqual(settings(content, 'RestrictSUIDSGID'), [])
  }
})

test('systemd: a user unit has no setting that its service manager does not support', () => {
  const { content, path } = planService(FACTS)
  assert.equal(path, '/home/ann/.config/systemd/user/twinfold.service')
  assert.equal(planService({ ...FACTS, configHome: '/cfg' }).path, '/cfg/systemd/user/twinfold.service')
  for (const name of [
    'User',
    'ProtectSystem',
    'PrivateTmp',
    'PrivateUsers',
    'CapabilityBoundingSet',
    'PrivateDevices',
  ]) {
    assert.deepEqual(settings(content, name), [], name)
  }
  assert.deepEqual(settings(content, 'WantedBy'), ['default.target'])
})

test('systemd: a system unit may write wherever its user may, or only to the given directories', () => {
  const open = planService({ ...FACTS, scope: 'system' })
  assert.equal(open.path, '/etc/systemd/system/twinfold.service')
  assert.deepEqual(settings(open.content, 'ProtectSystem'), ['full'])
  assert.deepEqual(settings(open.content, 'User'), ['ann'])
  const closed = planService({ ...FACTS, scope: 'system', writable: ['/srv/x y', '/h%'] }).content
  assert.deepEqual(settings(closed, 'ProtectSystem'), ['strict'])
  assert.deepEqual(settings(closed, 'ReadWritePaths'), ['"/srv/x y"', '"/h%%"'])
  for (const path of ['/a"b', "/a'b", '/a\\b', '/a\nb']) {
    assert.throws(() => planService({ ...FACTS, scope: 'system', writable: [path] }), /leave out --writable/)
  }
})

function parseXml(text: string) {
  const parser = new DOMParser({ onError: (_level, message) => assert.fail(message) })
  return parser.parseFromString(text, 'text/xml')
}

test('systemd: units of a package are those that the command writes, for the program of the package', () => {
  const different = /^(?:#.*|(?:Description|Documentation|ExecStart|User)=.*)$/
  const rest = (unit: string) => unit.split('\n').filter((line) => !different.test(line))
  const start = '/usr/bin/twinfold serve --no-browser --no-restart'
  for (const [kind, scope, user] of [
    ['user', 'user', []],
    ['template', 'system', ['%i']],
  ] as const) {
    const unit = packagedUnit(kind, '/usr/bin/twinfold')
    assert.deepEqual(settings(unit, 'ExecStart'), [start])
    assert.deepEqual(settings(unit, 'User'), user)
    assert.deepEqual(rest(unit), rest(planService({ ...FACTS, scope }).content))
    assert.equal(readMarker(unit), undefined, 'the command neither replaces nor removes it')
  }
})

test('launchd: the arguments arrive unchanged, and exit code 3 restarts', () => {
  const facts = {
    ...FACTS,
    platform: 'launchd',
    userHome: '/Users/ann',
    script: HOSTILE_PATH,
    serveFlags: [`--home=${HOSTILE_PATH}`],
  } as const
  const plan = planService(facts)
  assert.equal(plan.path, '/Users/ann/Library/LaunchAgents/net.twinfold.twinfold.plist')
  const [array] = parseXml(plan.content).getElementsByTagName('array')
  const args = [...array!.childNodes]
    .filter(({ nodeName }) => nodeName === 'string')
    .map(({ textContent }) => textContent)
  const flags = ['serve', '--no-browser', '--no-restart', '--log-file=default']
  assert.deepEqual(args, [facts.node, ...DAEMON_FLAGS, HOSTILE_PATH, ...flags, `--home=${HOSTILE_PATH}`])
  assert.match(plan.content, /<key>SuccessfulExit<\/key>\s*<false\/>/)
  assert.ok(!plan.content.includes('UserName'))
  const daemon = planService({ ...facts, scope: 'system' })
  assert.equal(daemon.path, '/Library/LaunchDaemons/net.twinfold.twinfold.plist')
  assert.match(daemon.content, /<key>UserName<\/key>\s*<string>ann</)
  assert.deepEqual(daemon.install(true).at(-1)?.args, ['bootstrap', 'system', daemon.path])
})

test('launchd and Windows: what XML cannot hold is refused', () => {
  for (const platform of ['launchd', 'windows'] as const) {
    assert.throws(() => planService({ ...FACTS, platform, script: '/a\x01b' }), /cannot hold/)
  }
})

/** Parses a command line as the C runtime of Windows does. */
function asWindowsReads(line: string): string[] {
  const args: string[] = []
  let word: string | undefined
  let inQuotes = false
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))![0].length
    if (slashes > 0) {
      const isBeforeQuote = line[at + slashes] === '"'
      word = (word ?? '') + '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes - 1
      if (isBeforeQuote && slashes % 2 === 1) word += line[++at]
    } else if (line[at] === '"') {
      inQuotes = !inQuotes
      word ??= ''
    } else if (/\s/.test(line[at]!) && !inQuotes) {
      if (word !== undefined) args.push(word)
      word = undefined
    } else word = (word ?? '') + line[at]
  }
  return word === undefined ? args : [...args, word]
}

test('Windows: any arguments survive the command line', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '\\', '"', '%', 'ü', '\t') })
  fc.assert(
    fc.property(fc.array(word), (args) => assert.deepEqual(asWindowsReads(args.map(windowsQuoted).join(' ')), args)),
  )
})

test('Windows: a login task without a window, and a boot task without a password', () => {
  const node = 'C:\\Program Files\\nodejs\\node.exe'
  const script = 'C:\\Users\\A & <B>\\dist\\main\\bin.js'
  const facts = {
    ...FACTS,
    platform: 'windows',
    user: 'PC\\ann',
    node,
    script,
    serveFlags: ['--home=D:\\x y\\'],
  } as const
  const plan = planService(facts)
  const task = parseXml(plan.content)
  const text = (name: string) => task.getElementsByTagName(name)[0]?.textContent
  assert.equal(text('Command'), '%SystemRoot%\\System32\\conhost.exe')
  const args = ['--headless', node, ...DAEMON_FLAGS, script, 'serve', '--no-browser', '--home=D:\\x y\\']
  assert.deepEqual(asWindowsReads(text('Arguments')!), args)
  assert.equal(text('LogonType'), 'InteractiveToken')
  assert.equal(text('ExecutionTimeLimit'), 'PT0S')
  assert.deepEqual(plan.install(true)[1]?.args, [
    '/Create',
    '/TN',
    'twinfold',
    '/XML',
    'C:\\Temp\\twinfold-task.xml',
    '/F',
  ])
  const atBoot = planService({ ...facts, scope: 'system' }).content
  assert.match(atBoot, /<BootTrigger>[\s\S]*<LogonType>S4U</)
  assert.throws(() => planService({ ...facts, serveFlags: ['--home=C:\\%TEMP%'] }), /another path/)
})

test('every definition has a marker with its author, its program and whether it was edited', () => {
  const script = HOSTILE_PATH.replace('${x}', '{x}')
  for (const platform of SERVICE_PLATFORMS) {
    const facts = platform === 'windows' ? { ...FACTS, platform } : { ...FACTS, platform, script }
    const { content } = planService(facts)
    const marker = readMarker(content)
    assert.deepEqual(
      [marker?.version, marker?.node, marker?.script],
      [facts.version, facts.node, facts.script],
      platform,
    )
    if (platform === 'windows') continue
    assert.ok(isUnedited(content), platform)
    assert.ok(!isUnedited(content.replace('--no-restart', '--no-upgrade')), platform)
  }
  assert.equal(readMarker('[Service]\nExecStart=/usr/bin/twinfold\n'), undefined)
  assert.equal(readMarker('# twinfold-service {"version":1}\n'), undefined)
  assert.match(markerLine(FACTS, ''), /^[ -~]+$/)
})

test('a temporary installation is refused, and a path that is stable across upgrades is preferred', () => {
  for (const directory of [
    '/home/ann/.npm/_npx/9f/node_modules',
    'C:\\npm-cache\\_npx\\9f',
    '/tmp/bunx-0-twinfold',
    '/c/pnpm/dlx/x',
  ]) {
    assert.throws(() => refuseTemporaryProgram(`${directory}/twinfold/dist/main/bin.js`), /npm install -g twinfold/)
  }
  refuseTemporaryProgram(FACTS.script)
  assert.equal(lastingNodePath('/opt/homebrew/Cellar/node@24/24.1.0/bin/node'), '/opt/homebrew/opt/node@24/bin/node')
  assert.equal(lastingNodePath('/usr/bin/node'), '/usr/bin/node')
})
