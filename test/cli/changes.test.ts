import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import { OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { shellWord, splitShellWords } from '../../src/cli/shell-words.ts'
import { BEN, folder, LOCAL_ID, run, safetyOf, TRASH } from './fake-replies.ts'

const toBen = (change: object) => `PATCH /rest/config/devices/${BEN} ${JSON.stringify(change)}`
const toDocs = (change: object) => `PATCH /rest/config/folders/docs ${JSON.stringify(change)}`
const { versioning } = folder()

test('device rename: by name or ID, this device too; not to a name that another has', async () => {
  const { out, sent } = await run('device rename ben Benno')
  assert.deepEqual([out, sent], ['Device "ben" is named "Benno" now.', [toBen({ name: 'Benno' })]])
  assert.deepEqual((await run('device rename me desk')).sent, [
    `PATCH /rest/config/devices/${LOCAL_ID} {"name":"desk"}`,
  ])
  assert.deepEqual((await run('device rename ben ben')).sent, [toBen({ name: 'ben' })])
  const same = await run('device rename ben me')
  assert.deepEqual([same.code, same.sent], [1, []])
  assert.match(same.err, /another device is named "me"/)
  assert.deepEqual((await run('device rename ben ')).sent, [], 'an empty name')
  assert.deepEqual(JSON.parse((await run('device rename ben x --json')).out), { deviceID: BEN, name: 'x' })
})

test('device set: only what is given, with on and off after a switch', async () => {
  const all = await run('device set ben --introducer on --auto-accept off --compression always --limits 500,2000')
  assert.deepEqual(all.sent, [
    toBen({
      introducer: true,
      autoAcceptFolders: false,
      compression: 'always',
      maxSendKbps: 500,
      maxRecvKbps: 2000,
    }),
  ])
  const text =
    'introducer on; auto-accept off; compression always; sends at most 500 KiB/s, receives at most 2000 KiB/s'
  assert.equal(all.out, `Device "ben": ${text}.`)
  for (const [flags, change] of [
    ['--introducer', { introducer: true }],
    ['--introducer off', { introducer: false }],
    ['--introducer=off', { introducer: false }],
    ['--no-introducer', { introducer: false }],
    ['--limits 7', { maxSendKbps: 7, maxRecvKbps: 7 }],
    ['--limits off', { maxSendKbps: 0, maxRecvKbps: 0 }],
  ] as const)
    assert.deepEqual((await run(`device set ben ${flags}`)).sent, [toBen(change)], flags)
})

test('device set: nothing to change, a wrong value, and this device itself, which has limits only', async () => {
  for (const [flags, message] of [
    ['ben', /nothing to change: use --introducer/],
    ['ben --limits 1,2,3', /--limits: '1,2,3' is invalid; use SEND,RECEIVE in KiB\/s/],
    ['ben --limits fast', /is invalid/],
    ['ben --compression most', /'most' is invalid; use metadata, always or never/],
    ['me --introducer on --limits 5', /only --limits apply to it/],
    ['unknown --introducer on', /there is no device "unknown"/],
  ] as const) {
    const { code, err, sent } = await run(`device set ${flags}`)
    assert.deepEqual([code, sent], [1, []], flags)
    assert.match(err, message)
  }
  const own = await run('device set me --limits 100')
  assert.deepEqual(own.sent, ['PATCH /rest/config/options {"maxSendKbps":100,"maxRecvKbps":100}'])
})

test('folder set: label, type, versioning, interval and watching', async () => {
  const { out, sent } = await run(
    'folder set Papers --label Letters --type receiveonly --versioning trashcan --rescan-interval 60 --watch off',
  )
  const change = {
    label: 'Letters',
    type: 'receiveonly',
    versioning: { ...versioning, type: 'trashcan' },
    rescanIntervalS: 60,
    fsWatcherEnabled: false,
  }
  assert.deepEqual(sent, [toDocs(change)])
  const text = 'label "Letters"; type receiveonly; versioning trashcan; a full scan every 60 s; watching off'
  assert.equal(out, `Folder "docs": ${text}.`)
  const kept = { ...versioning, type: 'simple', params: { keep: '9' } }
  const off = await run('folder set docs --versioning off', {
    'GET /rest/config/folders': [folder({ versioning: kept })],
  })
  assert.deepEqual(off.sent, [toDocs({ versioning: { ...kept, type: '' } })], 'the limits stay')
})

test('folder set: nothing, and a type that would need other data, are refused', async () => {
  for (const [args, message] of [
    ['folder set docs', /nothing to change: use --label/],
    ['folder set docs --type receiveencrypted', /cannot change from sendreceive to receiveencrypted/],
    ['folder set docs --versioning external', /'external' is invalid; use trashcan, simple, staggered or off/],
    ['folder set nope --label x', /there is no folder "nope"/],
  ] as const) {
    const { code, err, sent } = await run(args)
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, message)
  }
})

test('folder set --path: the files have to be there, unless there are none or it is forced', async () => {
  const status = { 'GET /rest/db/status?folder=docs': { localFiles: 3, localDirectories: 1 } }
  const browsed = (found: readonly string[]) => ({ 'GET /rest/system/browse?current=%2Fcwd%2Fnew%2F.stfolder': found })
  const there = await run('folder set docs --path new', { ...status, ...browsed(['/cwd/new/.stfolder/']) })
  assert.deepEqual([there.sent, there.err], [[toDocs({ path: '/cwd/new' })], ''])
  const missing = await run('folder set docs --path new', { ...status, ...browsed(['/cwd/new/.stfolder2/']) })
  assert.deepEqual([missing.code, missing.sent], [1, []])
  assert.match(
    missing.err,
    /has no \.stfolder, so the files of folder "docs" \(3 files\) are not there.*mv \/docs \/cwd\/new$/,
  )
  const forced = await run('folder set docs --path new --force', { ...status, ...browsed([]) })
  assert.deepEqual(forced.sent, [toDocs({ path: '/cwd/new' })])
  const empty = { 'GET /rest/db/status?folder=docs': { localFiles: 0, localDirectories: 0 } }
  assert.equal((await run('folder set docs --path new', { ...empty, ...browsed([]) })).sent.length, 1)
  const problem = { code: 'not-a-directory', text: '/x is not a directory' }
  const refused = await run('folder set docs --path new', { ...status, check: { problem } })
  assert.deepEqual([refused.code, refused.sent], [1, []])
})

test('versions on and off: the type with its limits; what is not given stays', async () => {
  const simple = await run('versions on docs --keep 3 --days 30')
  assert.deepEqual(simple.sent, [
    toDocs({ versioning: { ...versioning, type: 'simple', params: { keep: '3', cleanoutDays: '30' } } }),
  ])
  assert.match(simple.out, /^Folder "docs" keeps old versions: the last 3 of each file, for 30 days\.\nThey are of/)
  const before = { ...versioning, type: 'trashcan', params: { cleanoutDays: '7' } }
  const known = { 'GET /rest/config/folders': [folder({ versioning: before })] }
  const staggered = await run('versions on docs --type staggered --days 2', known)
  assert.deepEqual(staggered.sent, [
    toDocs({ versioning: { ...before, type: 'staggered', params: { cleanoutDays: '7', maxAge: '172800' } } }),
  ])
  assert.match((await run('versions on docs --type trashcan', known)).out, /the newest one of each file, for 7 days/)
  const off = await run('versions off docs', known)
  assert.deepEqual(off.sent, [toDocs({ versioning: { ...before, type: '' } })])
  assert.match(off.out, /stay in \.stversions/)
  for (const flags of ['--keep 0', '--keep x', '--type trashcan --keep 2', '--days 99999', '--type external'])
    assert.deepEqual((await run(`versions on docs ${flags}`)).sent, [], flags)
})

const options = (more: object) => ({ 'GET /rest/config/options': { ...defaultsOf(OPTIONS), ...more } })
const CERTIFICATE = `id=${LOCAL_ID}`

test('network servers: shown with whether they are used, and replaced', async () => {
  const shown = await run('network servers', options({ globalAnnounceEnabled: false, relaysEnabled: true }))
  assert.deepEqual(shown.out.split('\n'), [
    'discovery (off; "twinfold network on global" uses them):',
    '  default: those of the Syncthing project',
    'relays:',
    '  default: those of the Syncthing project',
  ])
  const disco = `https://disco.example:8443/?${CERTIFICATE}`
  const own = await run(`network servers discovery ${disco} default`, options({}))
  assert.deepEqual(own.sent, [`PATCH /rest/config/options {"globalAnnounceServers":["${disco}","default"]}`])
  assert.deepEqual(JSON.parse((await run('network servers --json', options({}))).out).servers, {
    discovery: ['default'],
    relays: ['default'],
  })
})

test('network servers relays: they are listen addresses in place of the public ones, and back', async () => {
  const relay = `relay://relay.example:22067/?${CERTIFICATE}`
  const sent = async (args: string, listenAddresses: readonly string[]) =>
    (await run(`network servers relays ${args}`, options({ listenAddresses }))).sent.map(
      (line) => (JSON.parse(line.replace(/^\S+ \S+ /, '')) as { listenAddresses: string[] }).listenAddresses,
    )
  assert.deepEqual(await sent(relay, ['default']), [['tcp://0.0.0.0:22000', 'quic://0.0.0.0:22000', relay]])
  assert.deepEqual(await sent('default', ['tcp://:22001', relay]), [
    ['tcp://:22001', 'dynamic+https://relays.syncthing.net/endpoint'],
  ])
  assert.deepEqual(await sent('default', ['default', relay]), [['default']])
  const { out } = await run(
    'network servers',
    options({ listenAddresses: ['tcp://:1', 'dynamic+https://relays.syncthing.net/endpoint'] }),
  )
  assert.match(out, /relays.*:\n {2}default: those of/)
})

test('network servers: what is no server is refused, with the form of one', async () => {
  for (const [args, message] of [
    ['discovery', /name the servers, or "default"/],
    ['discovery disco.example', /is no discovery server: .*https:\/\/HOST:8443\/\?id=ID/],
    ['discovery http://disco.example', /http without insecure/],
    ['relays tcp://relay.example', /is no relay server; a relay has the form relay:\/\//],
    ['stun x', /unexpected argument stun; use discovery or relays/],
  ] as const) {
    const { code, err, sent } = await run(`network servers ${args}`, options({}))
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, message)
  }
})

test('a path in a suggested command is one argument of a shell', () => {
  for (const path of ['/srv/docs', '~/My Photos', "/it's", '$(rm -rf)', ''])
    assert.deepEqual(splitShellWords(shellWord(path)), [path])
})

test('network: listeners are reachable at addresses that others can dial, not at a wildcard', async () => {
  const replies = (lanAddresses: readonly string[], wanAddresses: readonly string[]) => ({
    ...options({}),
    'GET /rest/system/status': {
      myID: LOCAL_ID,
      connectionServiceStatus: { 'tcp://0.0.0.0:22000': { error: null, lanAddresses, wanAddresses } },
    },
    'GET /rest/twinfold/network': { portMapping: { enabled: false, error: null, mappings: [] } },
    'GET /rest/config/restart-required': { requiresRestart: false },
  })
  const wildcard = 'tcp://0.0.0.0:22000'
  const found = await run(
    'network',
    replies([wildcard, 'tcp://192.0.2.7:22000'], [wildcard, 'tcp://[::]:22000', 'tcp://203.0.113.9:4000']),
  )
  assert.match(found.out, /: listening, reachable as tcp:\/\/192\.0\.2\.7:22000, tcp:\/\/203\.0\.113\.9:4000$/m)
  const alone = await run('network', replies([wildcard], [wildcard]))
  assert.match(alone.out, /: listening, but this machine has no address in a network$/m)
})

test('folder set --merge: the mode, names with both additions, and programs by pattern', async () => {
  const settings = (change: object) => `PATCH /rest/twinfold/settings ${JSON.stringify({ folders: { docs: change } })}`
  const mode = await run('folder set docs --merge on')
  assert.deepEqual([mode.out, mode.sent], ['Folder "docs": merge on.', [settings({ merge: 'on' })]])
  const union = await run('folder set docs --merge-union *.log --merge-union journal')
  assert.deepEqual(union.sent, [settings({ mergeUnion: ['*.log', 'journal'] })])
  const program = await run('folder set docs --merge-program *.x=["m","{left}","{output}"]')
  assert.deepEqual(program.sent, [settings({ mergePrograms: { '*.x': ['m', '{left}', '{output}'] } })])
  for (const wrong of ['--merge maybe', '--merge-program *.x', '--merge-program *.x=["m"]', '--merge-program =[]']) {
    const { code, sent } = await run(`folder set docs ${wrong}`)
    assert.notEqual(code, 0, wrong)
    assert.deepEqual(sent, [], wrong)
  }
})

test('folder set --safety: trash can, share of the disk and guard on and off, with one flag', async () => {
  const on = await run('folder set docs --safety on')
  assert.deepEqual([on.code, on.sent], [0, [safetyOf('docs'), `PATCH /rest/config/folders/docs {${TRASH}}`]])
  assert.match(on.out, /safety on/)
  const safe = { 'GET /rest/config/folders': [folder(JSON.parse(`{${TRASH}}`))] }
  const off = await run('folder set docs --safety off', safe)
  assert.match(off.sent[0]!, /"guard":false,"versionsPercentMax":0/)
  assert.match(off.sent[1]!, /"versioning":\{"type":"",/)
  const own = await run('folder set docs --safety on --versioning staggered')
  assert.match(own.sent[0]!, /\{"docs":\{"guard":true\}\}/)
  assert.match(own.sent[1]!, /"type":"staggered"/)
  const hidden = { 'GET /rest/config/folders': [folder({ type: 'receiveencrypted' })] }
  const refused = await run('folder set docs --safety on', hidden)
  assert.deepEqual([refused.code, refused.sent], [1, []])
  assert.match(refused.err, /is encrypted/)
})

test('doctor offers the safety for folders without it, with the command; that is no failure', async () => {
  const settings = { drive: false, folders: { music: { ...FOLDER_EXTENSIONS, guard: true } } }
  const replies = {
    'GET /rest/twinfold/settings': settings,
    'GET /rest/twinfold/warnings': [],
    'GET /rest/config/folders': [
      folder({ id: "Ben's", paused: true }),
      folder({ id: 'music', paused: true, ...JSON.parse(`{${TRASH}}`) }),
    ],
  }
  const { code, out } = await run('doctor', replies)
  assert.equal(code, 0)
  assert.equal(
    out,
    'No problems found.\nOffer: folder "Ben\'s" keeps no deleted or replaced files\n' +
      "  Command: twinfold folder set 'Ben'\\''s' --safety on",
  )
})
