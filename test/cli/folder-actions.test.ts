import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { BEN, NASTY, OFFERS, LOCAL_ID, TIME, TRASH, folder, run, settingsOfNew } from './fake-replies.ts'

test('device add: an unusable address, or a name that another device has, is refused', async () => {
  const empty = { 'GET /rest/config/devices': [] }
  for (const [args, message] of [
    [`device add ${BEN} --address 192.168.1.20`, /did you mean tcp:\/\/192\.168\.1\.20\?/],
    [`device add ${BEN} --address tcp://x:99999`, /its port is too large/],
  ] as const) {
    const { code, err, sent } = await run(args, empty)
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, message)
  }
  const devices = [{ ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'me' }]
  const { err, sent } = await run(`device add ${BEN} --name me`, { 'GET /rest/config/devices': devices })
  assert.deepEqual(sent, [])
  assert.match(err, /another device is named "me"/)
  assert.deepEqual((await run('device address ben tcp://a:1 dynamic')).sent, [
    `PATCH /rest/config/devices/${BEN} {"addresses":["tcp://a:1","dynamic"]}`,
  ])
})

test('folder add: what the check of the daemon finds is refused, unless forced; nesting is a warning', async () => {
  const problem = { code: 'not-a-directory', text: '/x is not a directory' }
  const refused = await run('folder add letter.txt', { check: { problem } })
  assert.deepEqual([refused.code, refused.sent], [1, []])
  assert.match(refused.err, /\/x is not a directory\. Use --force to add it anyway/)
  const forced = await run('folder add Photos --id docs2 --force', { check: { problem } })
  assert.deepEqual(forced.sent, [
    `POST /rest/config/folders {"id":"docs2","path":"/cwd/Photos","label":"Photos",${TRASH}}`,
    settingsOfNew('docs2'),
  ])
  const nested = await run('folder add Photos --id docs2 --label ""', { check: { warnings: ['inside another'] } })
  assert.match(nested.err, /^Warning: inside another/)
  const accepted = await run('pending accept music --path here', { ...OFFERS, check: { problem } })
  assert.deepEqual([accepted.code, accepted.sent], [1, []])
  const anyway = await run('pending accept music --path here --force', { ...OFFERS, check: { problem } })
  assert.deepEqual([anyway.code, anyway.sent.length], [0, 2])
})

test('an empty path is not the working directory, whatever is forced', async () => {
  // An empty argument is between two spaces.
  for (const args of ['folder add  --force', 'pending accept music --path= --force']) {
    const { code, err, sent } = await run(args, OFFERS)
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, /the path of the directory is empty/)
  }
})

test('device add: an address of a relay is a warning while relays are off', async () => {
  const add = (relaysEnabled: boolean) =>
    run(`device add ${BEN} --address relay://192.0.2.1`, {
      'GET /rest/config/devices': [],
      'GET /rest/config/options': { relaysEnabled },
    })
  assert.match((await add(false)).err, /^Warning: relay:\/\/192\.0\.2\.1 is not dialled, because relays are off; /)
  assert.equal((await add(true)).err, '')
})

test('pending accept: a name that another device has is refused', async () => {
  const { code, err, sent } = await run('pending accept STRANGER --name ben', OFFERS)
  assert.deepEqual([code, sent], [1, []])
  assert.match(err, /another device is named "ben"; choose another --name/)
})

test('folder share and unshare: one change each, only for other devices', async () => {
  const both = `{"devices":[{"deviceID":"${LOCAL_ID}"},{"deviceID":"${BEN}"}]}`
  assert.deepEqual((await run('folder share Papers ben')).sent, [`PATCH /rest/config/folders/docs ${both}`])
  const shared = { 'GET /rest/config/folders': [folder({ devices: [{ deviceID: LOCAL_ID }, { deviceID: BEN }] })] }
  assert.deepEqual((await run('folder unshare docs ben', shared)).sent, [
    `PATCH /rest/config/folders/docs {"devices":[{"deviceID":"${LOCAL_ID}"}]}`,
  ])
  for (const [args, message] of [
    ['folder unshare docs ben', /is not shared with "ben"/],
    ['folder share docs me', /always shared with this device/],
    ['folder share dcos ben', /did you mean docs\?/],
    ['folder share docs bne', /did you mean ben\?/],
  ] as const) {
    const { code, err, sent } = await run(args)
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, message)
  }
})

test('folder revert and override: only for the type that has them', async () => {
  const typed = (type: string) => ({ 'GET /rest/config/folders': [folder({ type })] })
  for (const type of ['receiveonly', 'receiveencrypted'] as const)
    assert.deepEqual((await run('folder revert docs', typed(type))).sent, ['POST /rest/db/revert?folder=docs'])
  assert.deepEqual((await run('folder override docs', typed('sendonly'))).sent, ['POST /rest/db/override?folder=docs'])
  const { code, err, sent } = await run('folder revert docs')
  assert.deepEqual([code, sent], [1, []])
  assert.match(err, /docs" is sendreceive; only changes in a receiveonly or receiveencrypted folder/)
})

const VERSIONS = 'GET /rest/folder/versions?folder=docs'
const KEEPING = { 'GET /rest/config/folders': [folder({ versioning: { ...folder().versioning, type: 'simple' } })] }
const older = { versionTime: '2026-11-14T10:00:00Z', modTime: TIME, size: 5 }
const newer = { versionTime: '2026-11-15T10:00:00Z', modTime: TIME, size: 7 }

test('versions: the remedy for a folder without versioning', async () => {
  for (const args of ['versions list docs', 'versions restore docs a.txt']) {
    const { code, err } = await run(args)
    assert.equal(code, 1)
    assert.match(err, /folder "docs" keeps no old versions; "twinfold versions on docs" keeps those of later changes/)
  }
})

test('versions: listed, and restored by time or the newest', async () => {
  const kept = { ...KEEPING, [VERSIONS]: { 'a.txt': [newer, older] } }
  assert.match((await run('versions list docs', kept)).out, /a\.txt +2026-11-15T10:00:00Z +\S+ +7 B\na\.txt/)
  assert.match((await run('versions list docs a.txt', kept)).out, /5 B/)
  assert.equal(
    (await run('versions list docs', { ...KEEPING, [VERSIONS]: {} })).out,
    'Folder "docs" has no old versions.',
  )
  const sent = async (args: string) => (await run(args, kept)).sent
  assert.deepEqual(await sent('versions restore docs a.txt'), [
    `POST /rest/folder/versions?folder=docs {"a.txt":"${newer.versionTime}"}`,
  ])
  assert.deepEqual(await sent('versions restore docs a.txt --time 2026-11-14'), [
    `POST /rest/folder/versions?folder=docs {"a.txt":"${older.versionTime}"}`,
  ])
  assert.match((await run('versions restore docs a.txt --time 2020', kept)).err, /no version "2020"; known: 2026/)
  assert.match((await run('versions restore docs a.tx', kept)).err, /no old version of "a\.tx"; did you mean a\.txt\?/)
})

test('conflicts: of all folders, each with its two versions', async () => {
  const version = { sizeBytes: 3, modified: TIME, modifiedBy: 'P56IOI7', hash: 'h', isPicture: false }
  const conflict = { folder: 'docs', name: 'a.sync-conflict-1.txt', original: 'a.txt', ...version, file: null }
  const page = { total: 2, page: 1, perpage: 500, items: [conflict] }
  const { out, err } = await run('conflicts', { 'GET /rest/twinfold/conflicts?perpage=500': page })
  assert.match(out, /docs +a\.sync-conflict-1\.txt +a\.txt +none +.*3 B/)
  assert.equal(err, '… and 1 more')
})

test('why DEVICE: the reasons of the daemon, also as JSON', async () => {
  assert.match((await run('why ben')).out, /^Device "ben" \(P56IOI7.*\):\n  - it is connected/)
  const { out } = await run('why ben --json', {
    'GET /rest/system/connections': { connections: {}, total: { at: TIME } },
  })
  assert.deepEqual([JSON.parse(out).connected, JSON.parse(out).reasons.length > 0], [false, true])
})

test('complete-names: names of folders, devices, pending and nearby ones, without control characters', async () => {
  const near = { 'GET /rest/system/discovery': { [BEN]: { addresses: [] }, NEAR: { addresses: [] } } }
  assert.equal((await run('complete-names folders')).out, 'docs\nPapers')
  assert.equal((await run('complete-names both')).out, 'docs\nPapers\nme\nben')
  assert.equal((await run('complete-names pending', OFFERS)).out, 'STRANGER\ndocs\nmusic\nvault')
  assert.equal((await run('complete-names nearby', near)).out, 'NEAR')
  const devices = [{ ...defaultsOf(DEVICE), deviceID: BEN, name: NASTY }]
  assert.equal((await run('complete-names devices', { 'GET /rest/config/devices': devices })).out, '')
})

const MOVE = {
  folder: 'docs',
  from: '/docs',
  to: '/cwd/there',
  method: 'copy',
  state: 'done',
  files: 2,
  filesDone: 2,
  bytes: 20,
  bytesDone: 20,
  started: TIME,
  ended: TIME,
  cancellable: false,
  error: '',
  left: [],
  leftCount: 0,
}

test('folder move: looks first, then moves, and reports what stayed', async () => {
  const preview = { ...MOVE, freeBytes: 3_000, problem: null }
  const replies = (move: object, problem: object | null = null) => ({
    'POST /rest/twinfold/move?folder=docs&path=%2Fcwd%2Fthere&preview=true': {
      preview: { ...preview, problem },
      move: null,
    },
    'POST /rest/twinfold/move?folder=docs&path=%2Fcwd%2Fthere': { preview: null, move: MOVE },
    'GET /rest/twinfold/move?folder=docs': { move: { ...MOVE, ...move } },
    'DELETE /rest/twinfold/move?folder=docs': undefined,
  })
  const moved = await run('folder move docs there', replies({}))
  assert.deepEqual([moved.code, moved.err], [0, ''])
  assert.match(
    moved.out,
    /2 files \(20 B\) copied to another disk; 2\.93 KiB free there\.\nFolder "docs" is at \/cwd\/there/,
  )
  const left = await run('folder move docs there', replies({ left: [NASTY], leftCount: 1 }))
  assert.equal(left.code, 4)
  assert.match(left.err, /1 item stayed in \/docs[^]*evil\\x1b/)
  const refused = await run('folder move docs there', replies({}, { code: 'used', text: '/cwd/there is not empty' }))
  assert.deepEqual([refused.code, refused.sent.filter((line) => !line.includes('preview'))], [1, []])
  assert.match(refused.err, /is not empty/)
  const failed = await run('folder move docs', replies({ state: 'failed', error: 'no space' }))
  assert.deepEqual([failed.code, failed.err], [1, 'The move failed, folder "docs" is at /docs: no space'])
  const shown = await run('folder move docs --json', replies({}))
  assert.equal(JSON.parse(shown.out).state, 'done')
})
