import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLI_EXIT, noHome } from '../../src/cli/context.ts'
import { insideFolder } from '../../src/cli/scan-command.ts'
import { Client } from '../../src/client/client.ts'

import { DEVICE, NASTY, folder, type Daemon, newDaemon, run } from './fake-daemon.ts'

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
    label: 'm',
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
  ['prio docs', /missing required argument 'file'/],
  ['status nope', /there is no folder "nope"/],
  ['debug --enable nope', /there is no facility "nope"; known: beacon, config/],
  ['events --since x', /whole number/],
  ['network on everything', /unexpected argument everything; use local, global/],
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

test('insideFolder: absolute paths in the folder become relative, others are refused', () => {
  const at = { ...folder('docs'), path: '/data/docs/' }
  assert.deepEqual(
    ['a', '/data/docs', '/data/docs/', '/data/docs/a/b'].map((sub) => insideFolder(at, sub)),
    ['a', '', '', 'a/b'],
  )
  assert.throws(() => insideFolder(at, '/data/docs2/a'), /is not in folder/)
})
