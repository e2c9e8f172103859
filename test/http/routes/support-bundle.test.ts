import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import { bytesOf } from '../bytes-of.ts'
import { fakeRest, KEY, LOCAL_ID } from '../fakes.ts'
import { unzip } from '../unzip.ts'

const DEBUG = { gui: { debugging: true } }
const PEER = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId

const SECRETS = [
  'hunter2-folder-password',
  'k-of-the-environment',
  '$2a$10$abcdefghijklmnopqrstuvwxyz012345678901234567890123456',
  'cn=admin,dc=example',
  'relay-token-xyz',
  'se"cret\\pass',
]

test('support bundle: it has every part and no secret (W-14)', async () => {
  const [folderPassword = '', environmentKey = '', hash = '', bindDN = '', token = '', odd = ''] = SECRETS
  const rest = fakeRest({
    gui: { debugging: true, user: 'alice-user', password: hash },
    folder: {
      devices: [
        { deviceID: LOCAL_ID, introducedBy: '' as never, encryptionPassword: folderPassword },
        { deviceID: PEER, introducedBy: '' as never, encryptionPassword: odd },
      ],
    },
    options: { guiApiKey: environmentKey },
    hub: { status: () => Promise.reject(new Error(`disk error ${folderPassword}`)) },
  })
  await rest.config.change((current) => ({
    ...current,
    ldap: { ...current.ldap, bindDN },
    options: {
      ...current.options,
      urUniqueId: 'uniqueid',
      listenAddresses: [`relay://bob:pw@relay.example/?id=1&token=${token}`],
    },
  }))
  rest.log.all = [
    {
      timeMs: 1,
      level: 'INFO',
      facility: 'main',
      message: `key ${KEY} and ${environmentKey} and ${JSON.stringify(odd)} and ${token}`,
    },
  ]
  rest.log.shown = [{ timeMs: 1, level: 'WARN', facility: 'main', message: `password ${folderPassword} ${odd}` }]

  const head = await rest.send('GET', '/rest/debug/support')
  assert.match(
    String(head.headers['content-disposition']),
    /^attachment; filename=support-bundle-GHKTHBX-\d{4}-\d\d-\d\dT\d{6}\.zip$/,
  )
  assert.equal(head.headers['content-type'], 'application/zip')
  const files = unzip(await bytesOf(rest, '/rest/debug/support'))
  assert.deepEqual(
    [...files.keys()],
    [
      'config.json.txt',
      'log-inmemory.txt',
      'errors.json.txt',
      'version-platform.json.txt',
      'usage-reporting.json.txt',
      'metrics.txt',
      'connection-stats.json.txt',
      'http-stats.json.txt',
    ],
  )
  let leaks = 0
  for (const [name, content] of files) {
    for (const secret of [...SECRETS, KEY, 'alice-user', 'uniqueid', 'bob:pw', JSON.stringify(odd).slice(1, -1)]) {
      if (content.includes(secret)) leaks++
      assert.ok(!content.includes(secret), `${name} contains ${secret}`)
    }
  }
  assert.equal(JSON.parse(files.get('config.json.txt')!).gui.apiKey, 'REDACTED')
  assert.match(files.get('log-inmemory.txt')!, /key REDACTED and REDACTED/)
  console.log(JSON.stringify({ id: 'W-14', part: 'bundle', tried: SECRETS.length + 5, leaks }))
})

test('support bundle: a failed part has its error, the others are complete', async () => {
  const rest = fakeRest({
    ...DEBUG,
    deps: {
      connections: {
        status: () => {
          throw new Error('broken')
        },
      },
    },
  })
  const files = unzip(await bytesOf(rest, '/rest/debug/support'))
  assert.equal(JSON.parse(files.get('version-platform.json.txt')!).arch, 'amd64', 'the name Go gives to x64')
  assert.equal(files.get('connection-stats.json.txt'), 'could not be made: broken\n')
  assert.equal(files.size, 8)
})

test('usage report: values without names, by version', async () => {
  const rest = fakeRest({ peers: [PEER] })
  const report = JSON.parse((await rest.send('GET', '/rest/svc/report')).body)
  assert.deepEqual(
    [report.urVersion, report.numDevices, report.numFolders, report.folderUses],
    [3, 2, 1, { sendreceive: 1, autoNormalize: 1 }],
  )
  for (const [query, version] of [
    ['version=2', 2],
    ['version=0', 3],
    ['version=x', 3],
    ['version=99', 99],
  ] as const) {
    assert.equal(JSON.parse((await rest.send('GET', `/rest/svc/report?${query}`)).body).urVersion, version)
  }
  const text = JSON.stringify(report)
  for (const name of [LOCAL_ID, PEER, 'Shared', '/home', KEY]) assert.ok(!text.includes(name), name)
})
