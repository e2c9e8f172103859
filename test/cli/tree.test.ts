import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { settingName } from '../../src/cli/config-names.ts'
import { noHome, type CliContext } from '../../src/cli/context.ts'
import { splitShellWords } from '../../src/cli/shell-words.ts'
import { runTree } from '../../src/cli/tree.ts'
import { Client } from '../../src/client/client.ts'
import type { ClientReply } from '../../src/client/transport.ts'
import { DEFAULTS, DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { recordingContext } from '../support/cli.ts'

const OWN = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const ESCAPE = '\x1b[2J'

function config(): Record<string, unknown> {
  const photos = {
    ...defaultsOf(FOLDER),
    id: 'photos',
    path: '/data/photos',
    versioning: { type: 'simple', params: { keep: '5', x: 'y' } },
  }
  return {
    version: 37,
    folders: [photos, { ...photos, id: 'a/b c', label: ESCAPE }],
    devices: [{ ...defaultsOf(DEVICE), deviceID: OWN }],
    gui: defaultsOf(GUI),
    ldap: defaultsOf(LDAP),
    options: defaultsOf(OPTIONS),
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The sent changes, without reads. */ readonly sent: readonly string[]
}
interface Given {
  readonly replies?: Readonly<Record<string, ClientReply>>
  readonly input?: readonly string[]
  readonly context?: Partial<CliContext>
}

async function run(args: string | readonly string[], given: Given = {}): Promise<Ran> {
  const sent: string[] = []
  const client = new Client({
    apiKey: 'key',
    transport: async ({ method, path, body }) => {
      const reply = given.replies?.[`${method} ${path}`]
      if (method !== 'GET') sent.push(`${method} ${path}${body === undefined ? '' : ` ${body}`}`)
      if (reply !== undefined) return reply
      if (method !== 'GET') return { status: 200, text: '' }
      return path === '/rest/config'
        ? { status: 200, text: JSON.stringify(config()) }
        : { status: 404, text: '404 page not found\n' }
    },
  })
  const { context, out, err } = recordingContext(client, {
    inputLines: async function* () {
      yield* given.input ?? []
    },
    readText: async () => 'one\r\n\r\n#two\n',
    ...given.context,
  })
  const code = await runTree(context, typeof args === 'string' ? args.split(' ').filter(Boolean) : args)
  return { code, out: out.join('\n'), err: err.join('\n'), sent }
}

/** Each change is sent for the smallest part the daemon can change alone. */
const CHANGES: readonly (readonly [args: string, sent: string])[] = [
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
    `config folders photos devices add --device-id ${OWN} --encryption-password=p`,
    `PATCH /rest/config/folders/photos {"devices":[{"deviceID":"${OWN}","encryptionPassword":"p"}]}`,
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
    `config devices ${OWN} addresses add tcp://a`,
    `PATCH /rest/config/devices/${OWN} {"addresses":["dynamic","tcp://a"]}`,
  ],
  [`config devices ${OWN} addresses 0 set tcp://b`, `PATCH /rest/config/devices/${OWN} {"addresses":["tcp://b"]}`],
  [`config devices ${OWN} addresses 0 delete`, `PATCH /rest/config/devices/${OWN} {"addresses":[]}`],
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

test('get, list and dump print plain values for scripts', async () => {
  assert.equal((await run('config folders list')).out, 'photos\na/b c')
  assert.equal((await run('config folders photos path get')).out, '/data/photos')
  assert.equal((await run('config folders photos paused get')).out, 'false')
  assert.equal((await run('config options raw-listen-addresses list')).out, '0')
  assert.equal((await run('config folders photos versioning params dump')).out, 'keep  =  5\nx  =  y')
  assert.deepEqual(JSON.parse((await run('config dump-json')).out), config())
})

test('a label is escaped on a terminal and unchanged in a pipe', async () => {
  const args = ['config', 'folders', 'a/b c', 'label', 'get']
  assert.equal((await run(args)).out, ESCAPE)
  assert.equal((await run(args, { context: { interactive: true } })).out, '\\x1b[2J')
})

test('show prints the response with its keys in order', async () => {
  const replies = { 'GET /rest/system/version': { status: 200, text: '{"b":[{"d":1,"c":2}],"a":null}' } }
  assert.equal(
    (await run('show version', { replies })).out,
    '{\n  "a": null,\n  "b": [\n    {\n      "c": 2,\n      "d": 1\n    }\n  ]\n}',
  )
  const pending = { 'GET /rest/cluster/pending/folders?device=X': { status: 200, text: '{}' } }
  for (const args of ['show pending folders --device X', 'show pending folders --device=X'])
    assert.equal((await run(args, { replies: pending })).out, '{}')
})

test('an error of the daemon: its status, its body, and exit code 1', async () => {
  const refused = await run('show version', {
    replies: { 'GET /rest/system/version': { status: 403, text: 'CSRF Error\n' } },
  })
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'twinfold: error: unexpected HTTP status returned: 403 Forbidden\nCSRF Error'],
  )
  const invalid = await run('config options max-send-kbps set 1', {
    replies: { 'PATCH /rest/config/options': { status: 400, text: `no${ESCAPE}\n` } },
  })
  assert.deepEqual(
    [invalid.code, invalid.err],
    [1, 'twinfold: error: unexpected HTTP status returned: 400 Bad Request\nno\\x1b[2J'],
  )
  const missing = await run('debug file photos x', {
    replies: { 'GET /rest/debug/file?folder=photos&file=x': { status: 404, text: 'no such object in the index\n' } },
  })
  assert.deepEqual([missing.code, missing.err], [1, 'twinfold: error: not found (folder/file not in database)'])
  const other = await run('show version', { replies: { 'GET /rest/system/version': { status: 200, text: '<html>' } } })
  assert.deepEqual([other.code, /is it another program/.test(other.err)], [1, true])
})

test('a profile is saved under the file name in the response, which cannot name a directory', async () => {
  for (const [contentDisposition, name] of [
    ['attachment; filename="syncthing-cpu-linux.pprof"', 'syncthing-cpu-linux.pprof'],
    ['attachment; filename=../../.bashrc', 'download'],
    [undefined, 'download'],
  ] as const) {
    const written: [string, string][] = []
    const writeNew = async (path: string, bytes: Uint8Array) =>
      void written.push([path, Buffer.from(bytes).toString('hex')])
    const replies = {
      'GET /rest/debug/cpuprof': { status: 200, text: '?', bytes: Uint8Array.of(0x1f, 0xff), contentDisposition },
    }
    const ran = await run('debug profile cpu', { replies, context: { writeNew } })
    assert.deepEqual([ran.code, ran.out, written], [0, `Wrote results to ${name}`, [[name, '1fff']]])
  }
  const off = await run('debug profile heap', {
    replies: { 'GET /rest/debug/heapprof': { status: 403, text: 'Debugging disabled\n' } },
  })
  assert.deepEqual(
    [off.code, off.err],
    [1, 'twinfold: error: unexpected HTTP status returned: 403 Forbidden\nDebugging disabled'],
  )
})

test('no daemon is exit code 1 in the cli tree', async () => {
  const connect = () => Promise.reject(noHome('there is no config.xml'))
  assert.deepEqual(await run('show version', { context: { connect } }), {
    code: 1,
    out: '',
    err: 'twinfold: error: there is no config.xml',
    sent: [],
  })
})

test('every node has a help, without a daemon if none is needed', async () => {
  const connect = () => Promise.reject(new Error('no request expected'))
  for (const args of [
    '',
    '--help',
    'show',
    'show --help',
    'show pending -h',
    'operations folder-override --help',
    'errors',
    'debug help',
  ]) {
    const { code, out } = await run(args, { context: { connect } })
    assert.deepEqual([code, out.startsWith('Usage: twinfold cli')], [0, true], args)
  }
  for (const args of [
    'config',
    'config folders',
    'config folders photos',
    'config folders photos label',
    'config folders add --help',
  ]) {
    const { code, out } = await run(args)
    assert.deepEqual([code, out.startsWith(`Usage: twinfold cli ${args.replace(' --help', '')}`)], [0, true], args)
  }
  assert.match((await run('config folders')).out, /Items:\n {2}photos\n {2}a\/b c\n/)
})

test('commands from standard input: an invalid line is reported and the next one runs', async () => {
  const ran = await run('-', {
    input: [
      'config version get',
      '',
      'nope',
      'config folders photos paused set maybe',
      `'open`,
      `config folders photos label set "two args"`,
    ],
  })
  assert.equal(ran.code, 0)
  assert.equal(ran.out, 'Reading commands from stdin... []\n37')
  assert.deepEqual(ran.err.split('\n'), [
    'Error: unexpected argument nope',
    'Error: "maybe" is not true or false',
    `Error: a ' is not closed`,
  ])
  assert.deepEqual(ran.sent, ['PATCH /rest/config/folders/photos {"label":"two args"}'])
})

test('names of settings: the rule and its exceptions', () => {
  const args = Object.keys(FOLDER).map((key) => settingName(FOLDER, key))
  for (const word of [
    'rescan-intervals',
    'fswatcher-enabled',
    'fswatcher-delays',
    'fswatcher-timeouts',
    'scan-progress-intervals',
    'puller-pauses',
    'raw-mod-time-windows',
    'puller-max-pending-kib',
    'case-sensitive-fs',
    'sync-xattrs',
    'xattr-filter',
    'weak-hash-threshold-pct',
  ])
    assert.ok(args.includes(word), word)
  assert.deepEqual(
    ['deviceID', 'remoteGUIPort', 'numConnections', 'maxSendKbps'].map((key) => settingName(DEVICE, key)),
    ['device-id', 'remote-guiport', 'raw-num-connections', 'max-send-kbps'],
  )
  assert.deepEqual([settingName(GUI, 'address'), settingName(LDAP, 'address')], ['raw-address', 'address'])
  for (const table of [FOLDER, DEVICE, GUI, LDAP, OPTIONS]) {
    const all = Object.keys(table).map((key) => settingName(table, key))
    assert.equal(new Set(all).size, all.length, 'no two settings share a word')
    for (const word of all) assert.match(word, /^[a-z][a-z-]*$/)
  }
})

test('shell words: quoted text is restored', () => {
  assert.deepEqual(splitShellWords(`a  "b c" 'd "e"' f\\ g "h\\"i" "j\\k" ''`), [
    'a',
    'b c',
    'd "e"',
    'f g',
    'h"i',
    'j\\k',
    '',
  ])
  assert.deepEqual(splitShellWords(' \t\r'), [])
  for (const line of [`"a`, `'a`, 'a\\']) assert.throws(() => splitShellWords(line), { code: 'usage' })
  fc.assert(
    fc.property(fc.array(fc.string()), (args) => {
      const quoted = args.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
      assert.deepEqual(splitShellWords(quoted), args)
    }),
  )
})
