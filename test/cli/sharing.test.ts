import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { NOTE_NETWORK } from '../../src/core/config/notes.ts'
import { BEN, NASTY, OFFERS, LOCAL_ID, TIME, TRASH, entry, run, settingsOfNew } from './fake-replies.ts'

/** The reasons themselves are tested in test/core/records/reasons.test.ts. */
const WHY = 'GET /rest/twinfold/why?folder=docs&file=a'
const reason = (text: string) => ({ code: 'missing', text })

test('why: the explanation of the daemon, escaped for a terminal', async () => {
  const reasons = ['it is not here yet', `connected devices that have the newest version: ${NASTY}`]
  const replies = {
    folder: 'docs',
    file: 'a',
    state: 'missing',
    upToDate: false,
    reasons: reasons.map(reason),
    local: null,
    global: entry(),
    devices: [],
  }
  const shown = [
    'a in folder "docs":',
    `  - ${reasons[0]}`,
    '  - connected devices that have the newest version: evil\\x1b[2J\\nname',
  ]
  assert.deepEqual(await run('why Papers a', { [WHY]: replies }), { code: 0, err: '', sent: [], out: shown.join('\n') })
  const { out } = await run('why docs a --json', { [WHY]: replies })
  assert.deepEqual(JSON.parse(out), {
    folder: 'docs',
    file: 'a',
    upToDate: false,
    reasons,
    global: entry(),
    local: null,
  })
})

test('why: an unknown folder, an error of the daemon', async () => {
  const { code, err } = await run('why nope a')
  assert.deepEqual([code, /there is no folder "nope"; known folders: docs/.test(err)], [1, true])
  assert.notEqual((await run('why docs a')).code, 0)
})

test('why: a folder without a file, by ID or label; a device of the same name comes first', async () => {
  const status = { state: 'idle', error: '', watchError: '', localFiles: 3, needTotalItems: 0, needBytes: 0 }
  const replies = { 'GET /rest/db/status?folder=docs': status }
  for (const name of ['docs', 'Papers']) {
    const { code, out } = await run(`why ${name}`, replies)
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n').slice(0, 2), [
      'Folder "docs":',
      '  - it is in sync: 3 files here, none is missing',
    ])
  }
  const { reasons, folder: id } = JSON.parse((await run('why docs --json', replies)).out)
  assert.deepEqual([id, reasons[0]], ['docs', 'it is in sync: 3 files here, none is missing'])
  const devices = [{ ...defaultsOf(DEVICE), deviceID: BEN, name: 'docs' }]
  assert.match((await run('why docs', { 'GET /rest/config/devices': devices })).out, /^Device "docs"/)
  assert.match((await run('why unknown')).err, /there is no device "unknown"/)
})

test('device add: only the given settings are sent, and the folders are shared after it', async () => {
  const args =
    `device add ${BEN.toLowerCase().replaceAll('-', '')} --name ben --address tcp://a:1 --address ` +
    `tcp://b:2 --folder Papers --introducer`
  const ran = await run(args, { 'GET /rest/config/devices': [] })
  assert.deepEqual(ran.sent, [
    `POST /rest/config/devices {"deviceID":"${BEN}","name":"ben","addresses":["tcp://a:1","tcp://b:2"],` +
      `"introducer":true}`,
    `PATCH /rest/config/folders/docs {"devices":[{"deviceID":"${LOCAL_ID}"},{"deviceID":"${BEN}"}]}`,
  ])
})

test('device add: without an address and with discovery off it says at once how the device is found', async () => {
  const off = { localAnnounceEnabled: false, globalAnnounceEnabled: false, unackedNotificationIDs: [NOTE_NETWORK, 'x'] }
  const replies = (options: object) => ({ 'GET /rest/config/devices': [], 'GET /rest/config/options': options })
  const alone = await run(`device add ${BEN} --name ben`, replies(off))
  assert.equal(alone.code, 0)
  assert.match(
    alone.err,
    /^Discovery is off.*"twinfold network on local".*"twinfold device address ben tcp:\/\/HOST:22000"/,
  )
  for (const [flags, options] of [
    ['--address tcp://a:1', off],
    ['', { ...off, localAnnounceEnabled: true }],
    ['', { ...off, globalAnnounceEnabled: true }],
  ] as const)
    assert.equal((await run(`device add ${BEN} --name ben ${flags}`.trim(), replies(options))).err, '')
  const dynamic = await run(`device add ${BEN} --address dynamic --json`, {
    ...replies(off),
    [`GET /rest/config/devices/${BEN}`]: {},
  })
  assert.match(dynamic.err, /^Discovery is off/)
})

test('device add --local: local discovery is switched on first, and the question of the page is answered', async () => {
  const off = { localAnnounceEnabled: false, globalAnnounceEnabled: false, unackedNotificationIDs: [NOTE_NETWORK, 'x'] }
  const { sent } = await run(`device add ${BEN} --local`, {
    'GET /rest/config/devices': [],
    'GET /rest/config/options': off,
  })
  assert.deepEqual(sent, [
    'PATCH /rest/config/options {"unackedNotificationIDs":["x"],"localAnnounceEnabled":true}',
    `POST /rest/config/devices {"deviceID":"${BEN}"}`,
  ])
})

test('device: nothing is sent for an invalid id, an existing device, a missing folder, or the own id', async () => {
  const refused = [
    ['device add ABC', /./],
    [`device add ${BEN}`, /already exists, as "ben"/],
    [`device add ${BEN.slice(0, -1)}A`, /./],
    [`device add ${BEN} --folder nope`, /there is no folder "nope"/],
    ['device remove me', /this is the ID of this device/],
    ['device pause unknown', /there is no device "unknown"/],
  ] as const
  for (const [args, message] of refused) {
    const { code, err, sent } = await run(args)
    assert.deepEqual([code, sent], [1, []], args)
    assert.match(err, message)
  }
})

test('device list: states, times and escaped names', async () => {
  const devices = [
    { ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'me' },
    { ...defaultsOf(DEVICE), deviceID: BEN, name: NASTY },
  ]
  const list = await run('device list', { 'GET /rest/config/devices': devices })
  assert.ok(!list.out.includes('\x1b') && list.out.includes('evil\\x1b[2J\\nname'), list.out)
  assert.match(list.out, /me +this device +MFZWI3D/)
  assert.match(list.out, /this device[^]*connected/, 'the own device comes first')
  assert.match(list.out, /connected +2026-11-15 10:00 +P56IOI7/)
  assert.match(list.out, /^NAME +STATE +LAST SEEN +NEXT TRY +LAST ERROR +ID +ADDRESSES$/m)
  const never = {
    'GET /rest/system/connections': { connections: {}, total: { at: TIME } },
    'GET /rest/stats/device': { [BEN]: { lastSeen: '1970-01-01T00:00:00Z' } },
  }
  assert.match(
    (await run('device list', never)).out,
    /ben +disconnected +never +when it connects +no address, and discovery is off +P56IOI7/,
  )
  assert.deepEqual((await run('device resume ben')).sent, [
    `PATCH /rest/config/devices/${BEN} {"paused":false}`,
    `POST /rest/twinfold/schedule/resume?device=${BEN}`,
  ])
  assert.deepEqual((await run('device remove ben')).sent, [`DELETE /rest/config/devices/${BEN}`])
})

test('pending: shows devices and their offers, with escaped names', async () => {
  const { out } = await run('pending', OFFERS)
  assert.ok(!out.includes('\x1b'), out)
  assert.match(out, /^device +STRANGER +evil\\x1b\[2J\\nname +192\.0\.2\.1:22000$/m)
  assert.match(out, /^folder +music +Music +ben$/m)
})

/** Commands on pending items, and the changes they send. */
const CHANGES: readonly (readonly [args: string, ...sent: string[]])[] = [
  ['pending accept STRANGER --name laptop', 'POST /rest/config/devices {"deviceID":"STRANGER","name":"laptop"}'],
  [
    'pending accept music --path here',
    'POST /rest/config/folders {"id":"music","path":"/cwd/here","label":"Music",' +
      `"devices":[{"deviceID":"${BEN}"}],${TRASH}}`,
    settingsOfNew('music'),
  ],
  [
    'pending accept vault --path ~/v --name Vault',
    `POST /rest/config/folders {"id":"vault","path":"~/v","label":"Vault","devices":[{"deviceID":"${BEN}"}],` +
      `"type":"receiveencrypted"}`,
  ],
  // An existing folder needs no path: it is shared with one more device.
  [
    'pending accept docs',
    `PATCH /rest/config/folders/docs {"devices":[{"deviceID":"${LOCAL_ID}"},{"deviceID":"${BEN}"}]}`,
  ],
  [
    'pending ignore music',
    `PATCH /rest/config/devices/${BEN} {"ignoredFolders":[{"time":"${TIME}","id":"music","label":"Music"}]}`,
  ],
]

for (const [args, ...sent] of CHANGES) {
  test(`${args}: what it changes`, async () => {
    const ran = await run(args, OFFERS)
    assert.deepEqual({ code: ran.code, err: ran.err, sent: ran.sent }, { code: 0, err: '', sent })
  })
}

test('pending ignore of a device keeps everything else in the configuration', async () => {
  const config = {
    version: 37,
    remoteIgnoredDevices: [{ deviceID: 'OLD', time: TIME, name: '', address: '' }],
    options: { x: 1 },
  }
  const { sent } = await run('pending ignore STRANGER', { ...OFFERS, 'GET /rest/config': config })
  assert.deepEqual(
    sent.map((each) => JSON.parse(each.replace('PUT /rest/config ', ''))),
    [
      {
        ...config,
        remoteIgnoredDevices: [
          ...config.remoteIgnoredDevices,
          { deviceID: 'STRANGER', time: TIME, name: NASTY, address: '192.0.2.1:22000' },
        ],
      },
    ],
  )
})

test('pending: an unknown id, or a folder without a path, changes nothing', async () => {
  for (const [args, message] of [
    ['pending accept __proto__', /no pending device or folder/],
    ['pending ignore constructor', /no pending device or folder/],
    ['pending accept nope', /no pending device or folder "nope"/],
    ['pending ignore nope', /no pending device or folder/],
    ['pending accept music', /a directory for the files is required/],
  ] as const) {
    const { code, err, sent } = await run(args, OFFERS)
    assert.deepEqual([code, sent], [1, []])
    assert.match(err, message)
  }
})
