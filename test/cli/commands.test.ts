import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLI_EXIT, noHome } from '../../src/cli/context.ts'
import { Client } from '../../src/client/client.ts'

import { DEVICE, NASTY, folder, newDaemon, run } from './fake-daemon.ts'

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

test('folder add: sends only the given settings, an absolute path and an id from the name', async () => {
  const daemon = newDaemon()
  const { code, out } = await run('folder add Music --label Songs', daemon)
  assert.equal(code, CLI_EXIT.done)
  assert.match(out, /Added folder "music" at \/cwd\/Music/)
  const added = daemon.folders.at(-1)!
  assert.deepEqual([added.id, added.path, added.label], ['music', '/cwd/Music', 'Songs'])
})

test('folder add: an id that a folder has, or another device offers, is not used again', async () => {
  const daemon = newDaemon()
  daemon.offers = { 'docs-2': { offeredBy: {} } }
  assert.match((await run('folder add /other/docs', daemon)).out, /Added folder "docs-3"/)
  assert.match((await run('folder add /other/Фото', daemon)).out, /Added folder "abcde-abcde"/)
})

test('folder add: all flags arrive', async () => {
  const daemon = newDaemon()
  await run(
    `folder add /m --id m --safety off --type receiveonly --device ${DEVICE} --paused --rescan-interval 60 ` +
      '--no-watch --json',
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
  ['cat docs a --range 5-2', /'5-2' is invalid; it must be A-B/],
  ['cat nope a', /there is no folder "nope"/],
  ['get docs', /missing required argument 'file'/],
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
