import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCAL_ID, run } from './tree-run.ts'

/** Each change is sent for the smallest part the daemon can change alone. */
const CHANGES: readonly (readonly [args: string, sent: string])[] = [
  ['config folders Holidays label set Pictures', 'PATCH /rest/config/folders/beach {"label":"Pictures"}'],
  ['config devices desk paused set true', `PATCH /rest/config/devices/${LOCAL_ID} {"paused":true}`],
  [
    'config folders beach devices desk encryption-password set p',
    'PATCH /rest/config/folders/beach ' +
      `{"devices":[{"deviceID":"${LOCAL_ID}","introducedBy":"","encryptionPassword":"p"}]}`,
  ],
  ['config folders photos label set Pictures', 'PATCH /rest/config/folders/photos {"label":"Pictures"}'],
  ['config folders photos rescan-intervals set 60', 'PATCH /rest/config/folders/photos {"rescanIntervalS":60}'],
  ['config folders photos fswatcher-delays set 2.5', 'PATCH /rest/config/folders/photos {"fsWatcherDelayS":2.5}'],
  ['config folders photos paused set true', 'PATCH /rest/config/folders/photos {"paused":true}'],
  ['config folders photos paused set F', 'PATCH /rest/config/folders/photos {"paused":false}'],
  ['config folders photos max-conflicts set -1', 'PATCH /rest/config/folders/photos {"maxConflicts":-1}'],
  ['config folders photos max-conflicts set -- -1', 'PATCH /rest/config/folders/photos {"maxConflicts":-1}'],
  [
    'config folders photos min-disk-free value set 3',
    'PATCH /rest/config/folders/photos {"minDiskFree":{"value":3,"unit":"%"}}',
  ],
  [
    'config folders photos versioning params set keep 9',
    'PATCH /rest/config/folders/photos {"versioning":{"type":"simple","params":{"keep":"9","x":"y"}}}',
  ],
  [
    `config folders photos devices add --device-id ${LOCAL_ID} --encryption-password=p`,
    `PATCH /rest/config/folders/photos {"devices":[{"deviceID":"${LOCAL_ID}","encryptionPassword":"p"}]}`,
  ],
  [
    'config folders photos xattr-filter entries add --match user.* --permit',
    'PATCH /rest/config/folders/photos {"xattrFilter":{"entries":[{"match":"user.*","permit":true}],' +
      '"maxSingleEntrySize":1024,"maxTotalSize":4096}}',
  ],
  ['config folders photos delete', 'DELETE /rest/config/folders/photos'],
  [
    'config folders add --id=docs -path=/docs --label --paused --fswatcher-enabled=false',
    'POST /rest/config/folders {"id":"docs","path":"/docs","label":"--paused","fsWatcherEnabled":false}',
  ],
  ['config folders add-json {"id":"docs"}', 'POST /rest/config/folders {"id":"docs"}'],
  [
    'config devices add --device-id X --addresses tcp://a --addresses tcp://b',
    'POST /rest/config/devices {"deviceID":"X","addresses":["tcp://a","tcp://b"]}',
  ],
  [
    `config devices ${LOCAL_ID} addresses add tcp://a`,
    `PATCH /rest/config/devices/${LOCAL_ID} {"addresses":["dynamic","tcp://a"]}`,
  ],
  [
    `config devices ${LOCAL_ID} addresses 0 set tcp://b`,
    `PATCH /rest/config/devices/${LOCAL_ID} {"addresses":["tcp://b"]}`,
  ],
  [`config devices ${LOCAL_ID} addresses 0 delete`, `PATCH /rest/config/devices/${LOCAL_ID} {"addresses":[]}`],
  ['config options max-send-kbps set 7', 'PATCH /rest/config/options {"maxSendKbps":7}'],
  ['config gui raw-use-tls set true', 'PATCH /rest/config/gui {"useTLS":true}'],
  ['config ldap bind-dn set cn=x', 'PATCH /rest/config/ldap {"bindDN":"cn=x"}'],
  ['config defaults folder label set new', 'PATCH /rest/config/defaults/folder {"label":"new"}'],
  ['config defaults device introducer set 1', 'PATCH /rest/config/defaults/device {"introducer":true}'],
  ['config defaults ignores lines add *.tmp', 'PUT /rest/config/defaults/ignores {"lines":["*.tmp"]}'],
  ['operations restart', 'POST /rest/system/restart'],
  ['operations shutdown', 'POST /rest/system/shutdown'],
  ['operations upgrade', 'POST /rest/system/upgrade'],
  ['operations folder-override photos', 'POST /rest/db/override?folder=photos'],
  ['operations default-ignores file', 'PUT /rest/config/defaults/ignores {"lines":["one","","#two"]}'],
  ['errors push trouble', 'POST /rest/system/error trouble'],
  ['errors clear', 'POST /rest/system/error/clear'],
]

for (const [args, sent] of CHANGES) {
  test(`cli ${args}: one request, no output`, async () => {
    assert.deepEqual(await run(args), { code: 0, out: '', err: '', sent: [sent] })
  })
}

test('a part without its own route is changed through its parent', async () => {
  const unset = await run('config folders photos versioning params unset x')
  assert.match(unset.sent.join('\n'), /^PUT \/rest\/config\/folders\/photos \{.*"params":\{"keep":"5"\}/)
  const renamed = await run('config folders photos id set images')
  assert.match(
    renamed.sent.join('\n'),
    /^PUT \/rest\/config \{"version":37,"folders":\[\{"id":"images",.*\{"id":"a\/b c"/,
  )
  const ignored = await run('config ignored-devices add --device-id X --name x')
  assert.match(
    ignored.sent.join('\n'),
    /^PUT \/rest\/config \{.*"remoteIgnoredDevices":\[\{"deviceID":"X","name":"x"\}\]/,
  )
})

test('a key is escaped in the URL and cannot change the path', async () => {
  assert.deepEqual((await run(['config', 'folders', 'a/b c', 'paused', 'set', '1'])).sent, [
    'PATCH /rest/config/folders/a%2Fb%20c {"paused":true}',
  ])
})

/** Refused before anything is sent: the command, the exit code, the message. */
const REFUSED: readonly (readonly [args: string, code: number, message: RegExp])[] = [
  ['config nope', 3, /^No help topic for 'nope'$/],
  ['config folders nope label get', 3, /^No help topic for 'nope'$/],
  ['config folders photos __proto__ get', 3, /^No help topic/],
  ['config folders dump-json', 3, /^No help topic for 'dump-json'$/],
  ['nope', 1, /error: unexpected argument nope$/],
  ['show nope', 1, /error: unexpected argument nope$/],
  ['operations nope', 1, /error: unexpected argument nope$/],
  ['config folders photos paused set maybe', 1, /error: "maybe" is not true or false$/],
  ['config folders photos rescan-intervals set 1.5', 1, /error: "1.5" is not a whole number$/],
  ['config folders photos rescan-intervals set 99999999999999999999', 1, /is not a whole number$/],
  ['config folders photos fswatcher-delays set NaN', 1, /error: "NaN" is not a number$/],
  ['config folders photos label set', 1, /error: expected 1 argument, got 0$/],
  ['config folders photos label set a b', 1, /error: expected 1 argument, got 2$/],
  ['config folders photos label get x', 1, /error: expected 0 arguments, got 1$/],
  ['config folders add', 1, /error: no properties specified$/],
  ['config folders add --nope x', 1, /error: unknown flag --nope$/],
  ['config folders add --id', 1, /error: flag --id: expected a value$/],
  ['config folders add stray', 1, /error: unexpected argument stray$/],
  ['config folders add --id photos', 1, /error: "photos" already exists$/],
  ['config folders add-json {"id":"photos"}', 1, /error: "photos" already exists$/],
  ['config folders add-json [', 1, /error: invalid JSON/],
  ['config folders add-json []', 1, /error: an item is a JSON object/],
  ['config folders photos versioning params get zz', 1, /error: there is no value for "zz"$/],
  ['config version set 3', 1, /is set by the daemon alone$/],
  ['operations folder-override nope', 1, /error: Folder "nope" not found$/],
  ['show pending folders --nope', 1, /error: unexpected argument --nope$/],
]

for (const [args, code, message] of REFUSED) {
  test(`cli ${args}: refused with ${code}`, async () => {
    const ran = await run(args)
    assert.deepEqual({ code: ran.code, out: ran.out, sent: ran.sent }, { code, out: '', sent: [] })
    assert.match(ran.err, message)
  })
}
