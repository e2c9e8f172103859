import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { settingName } from '../../src/cli/config-names.ts'
import { noHome } from '../../src/cli/context.ts'
import { splitShellWords } from '../../src/cli/shell-words.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { ESCAPE, config, run } from './tree-run.ts'

test('get, list and dump print plain values for scripts', async () => {
  assert.equal((await run('config folders list')).out, 'photos\na/b c\nbeach')
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
