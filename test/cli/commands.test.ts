import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { CLI_EXIT, noHome, type CliContext } from '../../src/cli/context.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { runCli } from '../../src/cli/program.ts'
import { insideFolder } from '../../src/cli/scan-command.ts'
import { placeOf } from '../../src/cli/status-commands.ts'
import { logLine } from '../../src/cli/log-commands.ts'
import { Client } from '../../src/client/client.ts'
import { FACILITIES } from '../../src/core/facilities.ts'
import { OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'

const DEVICE = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const API_KEY = 'the-key'
/** Names with control characters, as from a hostile device. */
const NASTY = 'evil\x1b[2J\nname'

const folder = (id: string, more: object = {}) => ({
  id,
  label: '',
  path: `/data/${id}`,
  type: 'sendreceive',
  paused: false,
  devices: [],
  ...more,
})
const counts = {
  state: 'idle',
  stateChanged: '2026-11-15T00:00:00Z',
  error: '',
  errors: 0,
  watchError: '',
  globalFiles: 3,
  globalDirectories: 1,
  globalBytes: 4096,
  localFiles: 3,
  localDirectories: 1,
  localSymlinks: 0,
  localBytes: 4096,
  localDeleted: 0,
  needTotalItems: 0,
  needBytes: 0,
  receiveOnlyTotalItems: 0,
  sequence: 7,
}
const entry = (name: string) => ({ name, size: 1 })

interface Reply {
  status: number
  text: string
}

interface Daemon {
  folders: ReturnType<typeof folder>[]
  errors: { path: string; error: string }[]
  enabled: string[]
  options: Record<string, unknown>
  events: object[]
  log: object[]
  need: { progress: object[]; queued: object[]; rest: object[] }
  scanAnswer: Reply | Promise<Reply>
  /** One page for each poll; afterwards polls get no response. */
  eventPages: object[][] | undefined
  readonly requests: string[]
}

function newDaemon(): Daemon {
  return {
    folders: [folder('docs', { label: 'Documents' }), folder('photos')],
    errors: [],
    enabled: ['model'],
    options: { ...defaultsOf(OPTIONS) },
    events: [],
    eventPages: undefined,
    log: [],
    need: { progress: [], queued: [], rest: [] },
    scanAnswer: { status: 200, text: '' },
    requests: [],
  }
}

/** The routes that the commands use, just deep enough. */
function replyOf(daemon: Daemon, route: string, query: URLSearchParams, body: string): Reply | Promise<Reply> {
  const json = (value: unknown) => ({ status: 200, text: JSON.stringify(value) })
  const known = daemon.folders.some((each) => each.id === query.get('folder'))
  switch (route) {
    case 'GET /rest/system/version':
      return json({ version: 'v1.0.0', longVersion: 'syncthing v1.0.0' })
    case 'GET /rest/system/status':
      return json({ myID: DEVICE, uptime: 4000 })
    case 'GET /rest/config/folders':
      return json(daemon.folders)
    case 'GET /rest/config/devices':
      return json([{ deviceID: DEVICE, name: 'me' }])
    case 'POST /rest/config/folders':
      daemon.folders.push(folder('', JSON.parse(body)))
      return json({})
    case 'DELETE /rest/config/folders/docs':
      daemon.folders = daemon.folders.filter((each) => each.id !== 'docs')
      return json({})
    case 'GET /rest/db/status':
      return known ? json(counts) : { status: 404, text: 'no such folder\n' }
    case 'GET /rest/folder/errors':
      return json({ folder: 'x', errors: daemon.errors.length === 0 ? null : daemon.errors })
    case 'POST /rest/db/scan':
      return daemon.scanAnswer
    case 'POST /rest/db/prio':
      return json({ ...daemon.need, page: 1, perpage: 65536 })
    case 'GET /rest/system/debug':
      return json({ enabled: daemon.enabled, facilities: FACILITIES })
    case 'POST /rest/system/debug':
      daemon.enabled = query.get('enable')?.split(',') ?? []
      return { status: 200, text: '' }
    case 'GET /rest/events': {
      if (daemon.eventPages === undefined) return json(daemon.events)
      const page = daemon.eventPages.shift()
      return page === undefined ? new Promise(() => {}) : json(page)
    }
    case 'GET /rest/system/log':
      return json({ messages: daemon.log.length === 0 ? null : daemon.log })
    case 'GET /rest/config/options':
      return json(daemon.options)
    case 'PATCH /rest/config/options':
      Object.assign(daemon.options, JSON.parse(body))
      return { status: 200, text: '' }
    case 'GET /rest/config/restart-required':
      return json({ requiresRestart: false })
    default:
      return { status: 404, text: '404 page not found\n' }
  }
}

interface Outcome {
  code: number
  out: string
  err: string
}

/** One command against a daemon on a real socket. */
async function run(
  args: string,
  daemon = newDaemon(),
  changes: Partial<CliContext> & { apiKey?: string } = {},
): Promise<Outcome> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const url = new URL(request.url ?? '', 'http://x')
      daemon.requests.push(`${request.method} ${request.url}`)
      const refused = request.headers['x-api-key'] !== API_KEY
      const reply = refused
        ? { status: 403, text: 'CSRF Error\n' }
        : await replyOf(daemon, `${request.method} ${url.pathname}`, url.searchParams, body)
      response.writeHead(reply.status).end(reply.text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const address = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`
  const out: string[] = []
  const err: string[] = []
  const client = new Client({
    transport: nodeTransport(parseEndpoint(address, { useTls: false })),
    apiKey: changes.apiKey ?? API_KEY,
  })
  const context: CliContext = {
    program: 'twinfold',
    connect: async () => ({ client, address: `http://${address}`, home: '/the/home' }),
    print: (line) => void out.push(line),
    printError: (line) => void err.push(line),
    redraw: () => {},
    interactive: false,
    columns: Infinity,
    inputLines: async function* () {},
    readText: async () => '',
    writeNew: async () => {},
    absolutePath: (path) => (path.startsWith('/') ? path : `/cwd/${path}`),
    nowMs: () => 0,
    sleep: async () => {},
    randomText: (length) => 'abcdefgh'.slice(0, length),
    signal: new AbortController().signal,
    ...changes,
  }
  try {
    const code = await runCli(context, args.split(' ').filter(Boolean))
    return { code, out: out.join('\n'), err: err.join('\n') }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += String(piece)
  return body
}

test('folder list: a table', async () => {
  assert.deepEqual(await run('folder list'), {
    code: CLI_EXIT.done,
    err: '',
    out:
      'ID      LABEL      TYPE         STATE  PATH\ndocs    Documents  sendreceive  idle   /data/docs\n' +
      'photos             sendreceive  idle   /data/photos',
  })
})

test('folder list --json: the settings and the state', async () => {
  const { out } = await run('folder list --json')
  assert.deepEqual(
    JSON.parse(out).map((each: { id: string; state: string }) => [each.id, each.state]),
    [
      ['docs', 'idle'],
      ['photos', 'idle'],
    ],
  )
})

test('folder list: the empty list shows how to add one; names are escaped', async () => {
  const daemon = newDaemon()
  daemon.folders = []
  assert.match((await run('folder list', daemon)).out, /folder add PATH/)
  daemon.folders = [folder('x', { label: NASTY, paused: true })]
  const { out } = await run('folder list', daemon)
  assert.ok(out.includes('evil\\x1b[2J\\nname') && !out.includes('\x1b'), out)
  assert.match(out, /paused/)
})

test('folder add: sends only the given settings, an absolute path and a random id', async () => {
  const daemon = newDaemon()
  const { code, out } = await run('folder add music --label Music', daemon)
  assert.equal(code, CLI_EXIT.done)
  assert.match(out, /Added folder "abcde-abcde" at \/cwd\/music/)
  const added = daemon.folders.at(-1)!
  assert.deepEqual([added.id, added.path, added.label], ['abcde-abcde', '/cwd/music', 'Music'])
})

test('folder add: all flags arrive', async () => {
  const daemon = newDaemon()
  await run(
    `folder add /m --id m --type receiveonly --device ${DEVICE} --paused --rescan-interval 60 --no-watch --json`,
    daemon,
  )
  assert.deepEqual(daemon.folders.at(-1), {
    ...folder('m'),
    path: '/m',
    type: 'receiveonly',
    paused: true,
    rescanIntervalS: 60,
    fsWatcherEnabled: false,
    devices: [{ deviceID: DEVICE }],
  })
})

const refusals: [args: string, message: RegExp][] = [
  ['folder add /x --id docs', /folder "docs" already exists, at \/data\/docs/],
  ['folder add /data/docs/', /\/data\/docs\/? is already the folder "docs"/],
  ['folder add /x --device NOPE', /there is no device "NOPE"; known devices: MFZWI3D/],
  ['folder add /x --type nope', /twinfold: error: .*'nope' is invalid.*sendreceive/],
  ['folder add', /twinfold: error: missing required argument 'path'/],
  ['folder remove nope', /there is no folder "nope"; known folders: docs, photos/],
  ['folder bogus', /twinfold: error: .*bogus/],
  ['scan nope', /there is no folder "nope"; known folders: docs, photos/],
  ['scan docs --next soon', /whole number/],
  ['scan docs --next 99999999999', /year/],
  ['scan docs /etc/passwd', /\/etc\/passwd is not in folder "docs"/],
  ['scan', /missing required argument 'folder'/],
  ['prio docs', /missing required argument 'file'/],
  ['status nope', /there is no folder "nope"/],
  ['debug --enable nope', /there is no facility "nope"; known: beacon, config/],
  ['events --since x', /whole number/],
  ['network --relays maybe', /'maybe' is invalid/],
  ['scan docs --nope', /twinfold: error: unknown flag --nope/],
]

for (const [args, message] of refusals) {
  test(`${args} is refused with the reason`, async () => {
    const daemon = newDaemon()
    const { code, out, err } = await run(args, daemon)
    assert.equal(code, CLI_EXIT.failed)
    assert.match(err, message)
    assert.equal(out, '')
    assert.ok(
      daemon.requests.every((request) => request.startsWith('GET ')),
      daemon.requests.join(),
    )
  })
}

test('folder remove: by label, too; the message states that files are kept', async () => {
  const daemon = newDaemon()
  assert.match((await run('folder remove Documents', daemon)).out, /Removed folder "docs".*\/data\/docs were kept/)
  assert.deepEqual(
    daemon.folders.map((each) => each.id),
    ['photos'],
  )
  assert.deepEqual(JSON.parse((await run('folder remove docs --json')).out), { removed: 'docs', path: '/data/docs' })
})

test('scan: parts and next are sent, and the result is printed', async () => {
  const daemon = newDaemon()
  const { code, out, err } = await run('scan docs a/b /data/docs/c --next 30', daemon)
  assert.deepEqual({ code, err }, { code: CLI_EXIT.done, err: '' })
  assert.match(out, /Scanned "docs" in .*; the folder holds 3 files, 4\.00 KiB/)
  assert.ok(
    daemon.requests.includes('POST /rest/db/scan?folder=docs&sub=a%2Fb&sub=c&next=30'),
    daemon.requests.join('\n'),
  )
})

test('scan: unreadable items are listed and set the exit code', async () => {
  const daemon = newDaemon()
  daemon.errors = [{ path: NASTY, error: 'permission denied' }]
  const { code, err } = await run('scan docs', daemon)
  assert.equal(code, CLI_EXIT.doneWithProblems)
  assert.match(err, /1 item could not be scanned:\n {2}evil\\x1b\[2J\\nname: permission denied/)
  const json = JSON.parse((await run('scan docs --json', daemon)).out)
  assert.deepEqual([json.folder, json.files, json.errors.length], ['docs', 3, 1])
})

test('scan: the message is the error of the daemon', async () => {
  const daemon = newDaemon()
  daemon.scanAnswer = { status: 500, text: 'folder marker missing\n' }
  assert.deepEqual(await run('scan docs', daemon), {
    code: CLI_EXIT.failed,
    out: '',
    err: 'twinfold: error: folder marker missing',
  })
})

const progress = (id: number, current: number, of = 'docs') => ({
  id,
  type: 'FolderScanProgress',
  data: { folder: of, current, total: 1000, rate: 10 },
})

/** A daemon whose scan lasts until `shown` resolves, with these events on the way. */
function slowDaemon(shown: Promise<void>): Daemon {
  const daemon = newDaemon()
  daemon.eventPages = [
    [progress(1, 999)],
    [progress(2, 10)],
    [progress(3, 500), progress(4, 510), progress(5, 990, 'photos')],
  ]
  daemon.scanAnswer = shown.then(() => ({ status: 200, text: '' }))
  return daemon
}

test('scan: progress is drawn on a terminal, and cleared', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const drawn: string[] = []
  const redraw = (line: string) => {
    drawn.push(line)
    if (line.includes('51 %')) resolve()
  }
  await run('scan docs', slowDaemon(promise), { interactive: true, columns: 100, redraw })
  assert.deepEqual(
    drawn.map((line) => /\d+ %/.exec(line)?.[0]),
    ['1 %', '50 %', '51 %', undefined],
  )
  assert.match(drawn[0]!, /^Documents {2}\[ +\] /)
  assert.equal(drawn.at(-1), '')
})

test('scan: without a terminal a line for every tenth, on standard error', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const lines: string[] = []
  const printError = (line: string) => {
    lines.push(line)
    resolve()
  }
  const { out } = await run('scan docs', slowDaemon(promise), { printError })
  assert.deepEqual(lines, ['docs: 50 %  500 B of 1000 B, 10 B/s, 50 s left'])
  assert.match(out, /^Scanned "docs"/)
})

test('an interrupt ends the command with a message and exit code 130', async () => {
  const stop = new AbortController()
  const daemon = newDaemon()
  daemon.scanAnswer = new Promise(() => {})
  const done = run('scan docs --json', daemon, { signal: stop.signal })
  while (!daemon.requests.some((request) => request.startsWith('POST /rest/db/scan')))
    await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  const { code, err } = await done
  assert.equal(code, CLI_EXIT.interrupted)
  assert.match(err, /interrupted; the daemon completes/)
})

test('a wrong API key: the message names the flag', async () => {
  const { code, err } = await run('status', newDaemon(), { apiKey: 'wrong' })
  assert.equal(code, CLI_EXIT.failed)
  assert.match(err, /does not accept the API key \(home \/the\/home\): .*--home.*--gui-apikey/)
})

test('no daemon: the message names the address and the command that starts one', async () => {
  const client = new Client({
    transport: async () => {
      throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
    },
    apiKey: '',
  })
  const { code, err } = await run('status', newDaemon(), {
    connect: async () => ({ client, address: 'http://127.0.0.1:9', home: '/the/home' }),
  })
  assert.equal(code, CLI_EXIT.noDaemon)
  assert.match(
    err,
    /^twinfold: error: no daemon responds at http:\/\/127\.0\.0\.1:9 \(home \/the\/home\): ECONNREFUSED\. Start /,
  )
  assert.match(err, / Start it with "twinfold serve --home \/the\/home"/)
})

test('no home: the same exit code, and the reason', async () => {
  const { code, err } = await run('status', newDaemon(), {
    connect: async () => {
      throw noHome('there is no config.xml in /h')
    },
  })
  assert.deepEqual({ code, err }, { code: CLI_EXIT.noDaemon, err: 'twinfold: error: there is no config.xml in /h' })
})

test('status: the device, then its folders', async () => {
  const { code, out } = await run('status')
  assert.equal(code, CLI_EXIT.done)
  for (const part of [
    /Version: +v1\.0\.0/,
    new RegExp(`Device ID: +${DEVICE}`),
    /Home: +\/the\/home/,
    /Running for: 1 h 6 min/,
    /docs \(Documents\) +idle +3 +4\.00 KiB/,
  ])
    assert.match(out, part)
  const json = JSON.parse((await run('status --json')).out)
  assert.deepEqual([json.myID, json.folders.length, json.folders[0].localFiles], [DEVICE, 2, 3])
})

test('status FOLDER: one folder in full', async () => {
  const { out } = await run('status docs')
  for (const part of [
    /Path: +\/data\/docs/,
    /State: +idle/,
    /Here: +3 files, 1 directory, 4\.00 KiB/,
    /Needed: +0 items, 0 B/,
  ])
    assert.match(out, part)
  assert.equal(JSON.parse((await run('status docs --json')).out).localBytes, 4096)
})

test('prio: prints the queue position', async () => {
  const daemon = newDaemon()
  daemon.need.queued = [entry('a'), entry('b')]
  assert.equal((await run('prio docs a', daemon)).out, 'a is the next to be downloaded')
  assert.equal(JSON.parse((await run('prio docs a --json', daemon)).out).queued[0].name, 'a')
})

const places: [file: string, expected: string][] = [
  ['p', 'is being downloaded now'],
  ['q1', 'is the next to be downloaded'],
  ['q2', 'is number 2 in the queue'],
  ['r', 'is needed, but no device offers it now'],
  ['x', 'is not waiting to be downloaded'],
]
for (const [file, expected] of places) {
  test(`placeOf ${file}: ${expected}`, () => {
    const names = (...list: string[]) =>
      list.map((name) => ({ ...({} as Parameters<typeof placeOf>[0]['rest'][number]), name }))
    assert.equal(
      placeOf({ page: 1, perpage: 9, progress: names('p'), queued: names('q1', 'q2'), rest: names('r') }, file),
      expected,
    )
  })
}

test('debug: lists all, switches the given ones, accepts old names', async () => {
  const daemon = newDaemon()
  const { out } = await run('debug --enable api,scanner', daemon)
  assert.ok(
    daemon.requests.includes('POST /rest/system/debug?enable=http%2Cscanner&disable='),
    daemon.requests.join('\n'),
  )
  assert.match(out, /^FACILITY +DEBUG +WHAT IT LOGS\n/)
  assert.match(out, /\nhttp +on +/)
  assert.match(out, /\nmodel +off +/)
  assert.deepEqual(Object.keys(JSON.parse((await run('debug --json')).out)), ['enabled', 'facilities'])
})

test('events: one line each, JSON lines with --json, the query as given', async () => {
  const daemon = newDaemon()
  daemon.events = [
    { id: 5, globalID: 9, time: '2026-11-15T01:02:03.4Z', type: 'StateChanged', data: { folder: NASTY } },
  ]
  const { out } = await run('events --since 4 --types StateChanged,Failure --limit 2', daemon)
  assert.equal(out, '2026-11-15 01:02:03  5  StateChanged  {"folder":"evil\\u001b[2J\\nname"}')
  assert.ok(
    daemon.requests.includes('GET /rest/events?since=4&limit=2&timeout=0&events=StateChanged%2CFailure'),
    daemon.requests.join('\n'),
  )
  assert.equal(JSON.parse((await run('events --json', daemon)).out).id, 5)
})

test('logs: one line each, and --follow continues after the last one', async () => {
  const daemon = newDaemon()
  daemon.log = [{ when: '2026-11-15T01:02:03Z', message: NASTY, level: 3 }]
  assert.equal((await run('logs', daemon)).out, '2026-11-15 01:02:03 WARN  evil\\x1b[2J\\nname')
  const stop = new AbortController()
  let polls = 0
  const sleep = async () => {
    if (++polls === 2) stop.abort()
    stop.signal.throwIfAborted()
  }
  assert.equal((await run('logs --follow --json', daemon, { signal: stop.signal, sleep })).code, CLI_EXIT.done)
  assert.ok(daemon.requests.includes('GET /rest/system/log?since=2026-11-15T01%3A02%3A03Z'))
})

test('logLine: unknown levels are shown unchanged', () => {
  assert.equal(logLine({ when: 'x', message: 'm', level: 9 }), 'x 9     m')
})

test('network: shows every switch; a flag sets one, --all the rest', async () => {
  const daemon = newDaemon()
  await run('network --all off --relays on', daemon)
  const {
    globalAnnounceEnabled,
    localAnnounceEnabled,
    relaysEnabled,
    natEnabled,
    urAccepted,
    autoUpgradeIntervalH,
    crashReportingEnabled,
    stunKeepaliveStartS,
  } = daemon.options
  assert.deepEqual(
    {
      globalAnnounceEnabled,
      localAnnounceEnabled,
      relaysEnabled,
      natEnabled,
      urAccepted,
      autoUpgradeIntervalH,
      crashReportingEnabled,
      stunKeepaliveStartS,
    },
    {
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: true,
      natEnabled: false,
      urAccepted: -1,
      autoUpgradeIntervalH: 0,
      crashReportingEnabled: false,
      stunKeepaliveStartS: 0,
    },
  )
  assert.match((await run('network', daemon)).out, /discovery +off +Announces the addresses[\s\S]*relays +on /)
  assert.deepEqual(JSON.parse((await run('network --discovery on --json', daemon)).out), {
    discovery: true,
    'local-discovery': false,
    relays: true,
    nat: false,
    stun: false,
    'usage-reports': false,
    'crash-reports': false,
    'upgrade-checks': false,
  })
})

test('network without a flag changes nothing', async () => {
  const daemon = newDaemon()
  await run('network', daemon)
  assert.ok(daemon.requests.every((request) => request.startsWith('GET ')))
})

for (const command of [
  'folder',
  'folder add',
  'folder list',
  'folder remove',
  'scan',
  'prio',
  'status',
  'debug',
  'events',
  'logs',
  'network',
]) {
  test(`${command} --help has an example and needs no daemon`, async () => {
    const daemon = newDaemon()
    const { code, out, err } = await run(`${command} --help`, daemon)
    assert.deepEqual({ code, err, requests: daemon.requests.length }, { code: CLI_EXIT.done, err: '', requests: 0 })
    assert.ok(out.includes(`Example:\n  twinfold ${command}`), out)
    assert.match(out, /--home DIR/)
    if (command !== 'folder') assert.match(out, /--json/)
  })
}

test('insideFolder: absolute paths in the folder become relative, others are refused', () => {
  const at = { ...folder('docs'), path: '/data/docs/' }
  assert.deepEqual(
    ['a', '/data/docs', '/data/docs/', '/data/docs/a/b'].map((sub) => insideFolder(at, sub)),
    ['a', '', '', 'a/b'],
  )
  assert.throws(() => insideFolder(at, '/data/docs2/a'), /is not in folder/)
})

test('events: a text line never holds the configuration, a JSON line does', async () => {
  const daemon = newDaemon()
  daemon.events = [
    { id: 1, globalID: 1, time: '2026-11-15T00:00:00Z', type: 'ConfigSaved', data: { gui: { apiKey: 'secret' } } },
  ]
  assert.match((await run('events', daemon)).out, /^2026-11-15 00:00:00 +1 +ConfigSaved$/)
  assert.match((await run('events --json', daemon)).out, /secret/)
})
