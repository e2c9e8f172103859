import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { Profile } from '../../../src/platform/process.ts'
import { simProcess, simSystem } from '../../../src/platform/sim/system.ts'
import { bytesOf } from '../bytes-of.ts'
import { fakeRest, KEY, OWN, SHARE } from '../fakes.ts'
import { unzip } from '../unzip.ts'

const DEBUG = { gui: { debugging: true } }
const PEER = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId
const DEBUG_PATHS = ['file?folder=share&file=x', 'peerCompletion', 'httpmetrics', 'cpuprof', 'heapprof', 'support']

test("debugging: refused with Syncthing's text while it is off, and always without a key", async () => {
  for (const path of DEBUG_PATHS) {
    const off = await fakeRest().send('GET', `/rest/debug/${path}`)
    assert.deepEqual([off.status, off.body], [403, 'Debugging disabled\n'], path)
    assert.equal((await fakeRest(DEBUG).call({ target: `/rest/debug/${path}` })).body, 'CSRF Error\n')
  }
})

test('requests are counted by path, whatever their parameters', async () => {
  const rest = fakeRest(DEBUG)
  await rest.send('GET', '/rest/system/ping?x=1')
  await rest.send('GET', '/rest/system/ping')
  await rest.send('GET', '/rest/config/folders/nope')
  const response = await rest.send('GET', '/rest/debug/httpmetrics')
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  const shown = JSON.parse(response.body)
  assert.deepEqual(Object.keys(shown), ['/rest/config/folders/:id', '/rest/system/ping'])
  const { count, sumMs, percentilesMs, ratesPerS } = shown['/rest/system/ping']
  assert.deepEqual([count, sumMs, percentilesMs], [2, 0, [0, 0, 0]])
  assert.deepEqual(
    ratesPerS.map((rate: number) => Math.round(rate * 900)),
    [30, 6, 2],
  )
})

test('profiles: in the format of pprof, with the names of Syncthing', async () => {
  const taken: unknown[] = []
  const nodes: Profile['nodes'] = [
    { name: '(root)', file: '', line: 0, parent: undefined, count: 0, amount: 0 },
    { name: 'scan', file: 'file:///scan.ts', line: 7, parent: 0, count: 2, amount: 2_500 },
    { name: 'hash', file: 'file:///hash.ts', line: 9, parent: 1, count: 1, amount: 5_000_000_000 },
    { name: 'scan', file: 'file:///scan.ts', line: 8, parent: 2, count: 0, amount: 0 },
  ]
  const process = {
    ...simProcess,
    profile: async (kind: 'cpu' | 'heap', durationMs: number) => (
      taken.push([kind, durationMs]),
      { kind, durationMs, nodes }
    ),
  }
  const rest = fakeRest({ ...DEBUG, deps: { system: { ...simSystem('host'), process } } })
  const head = await rest.send('GET', '/rest/debug/cpuprof?duration=1m30s')
  assert.match(
    String(head.headers['content-disposition']),
    /^attachment; filename=syncthing-cpu-linux-amd64-v1\.0\.0-\d{6}\.pprof$/,
  )
  assert.equal(head.headers['content-type'], 'application/octet-stream')
  for (const given of ['', '?duration=x', '?duration=-5s', '?duration=0s', '?duration=99h', '?duration=250ms']) {
    await rest.send('GET', `/rest/debug/cpuprof${given}`)
  }
  await rest.send('GET', '/rest/debug/heapprof')
  assert.deepEqual(taken, [
    ['cpu', 90_000],
    ['cpu', 30_000],
    ['cpu', 30_000],
    ['cpu', 30_000],
    ['cpu', 30_000],
    ['cpu', 600_000],
    ['cpu', 250],
    ['heap', 5_000],
  ])

  rest.time.nowMs = 1_795_000_000_123
  const decoded = PPROF.decode(gunzipSync(await bytesOf(rest, '/rest/debug/cpuprof?duration=1s')))
  const value = PPROF.toObject(decoded, { longs: Number, arrays: true })
  const name = (index: number) => value['stringTable'][index]
  assert.deepEqual(
    value['sampleType'].map((type: { type: number; unit: number }) => [name(type.type), name(type.unit)]),
    [
      ['samples', 'count'],
      ['cpu', 'nanoseconds'],
    ],
  )
  const functionName = (location: number) => {
    const line = value['location'].find(({ id }: { id: number }) => id === location).line[0]
    const found = value['function'].find(({ id }: { id: number }) => id === line.functionId)
    return `${name(found.name)}@${name(found.filename ?? 0)}:${line.line ?? 0}`
  }
  assert.deepEqual(
    value['sample'].map((sample: { locationId: number[]; value: number[] }) => [
      sample.locationId.map(functionName),
      sample.value,
    ]),
    [
      [
        ['scan@file:///scan.ts:7', '(root)@:0'],
        [2, 2_500_000],
      ],
      [
        ['hash@file:///hash.ts:9', 'scan@file:///scan.ts:7', '(root)@:0'],
        [1, 5_000_000_000_000],
      ],
    ],
  )
  assert.equal(value['function'].length, 3)
  assert.equal(value['durationNanos'], 1_000_000_000)
  assert.equal(
    PPROF.toObject(decoded, { longs: String })['timeNanos'],
    '1795000000123000000',
    'exact, though no number holds it',
  )
})

test('profiles: one at a time', async () => {
  const busy = () => Promise.reject(Object.assign(new Error('x'), { code: 'EBUSY' }))
  const rest = fakeRest({
    ...DEBUG,
    deps: { system: { ...simSystem('host'), process: { ...simProcess, profile: busy } } },
  })
  assert.equal((await rest.send('GET', '/rest/debug/heapprof')).status, 503)
})

test('support bundle: it has every part and no secret (W-14)', async () => {
  const SECRETS = [
    'hunter2-folder-password',
    'k-of-the-environment',
    '$2a$10$abcdefghijklmnopqrstuvwxyz012345678901234567890123456',
    'cn=admin,dc=example',
    'relay-token-xyz',
    'se"cret\\pass',
  ]
  const [folderPassword = '', environmentKey = '', hash = '', bindDN = '', token = '', odd = ''] = SECRETS
  const rest = fakeRest({
    gui: { debugging: true, user: 'alice-user', password: hash },
    folder: {
      devices: [
        { deviceID: OWN, introducedBy: '' as never, encryptionPassword: folderPassword },
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
  for (const name of [OWN, PEER, 'Shared', '/home', KEY]) assert.ok(!text.includes(name), name)
})

test('metrics: the names of Syncthing that make sense here, with its types and labels', async () => {
  const { body } = await fullMetrics()
  const ours = parseMetrics(body)
  const theirs = parseMetrics(readFileSync(new URL('../../fixtures/rest/metrics.txt', import.meta.url), 'utf8'))
  const missing: string[] = []
  let matched = 0
  for (const [name, metric] of theirs) {
    if (!name.startsWith('syncthing_') && !name.startsWith('process_')) continue
    const own = ours.get(name)
    if (own === undefined) missing.push(name)
    else {
      assert.equal(own.type, metric.type, name)
      assert.deepEqual(own.labels, metric.labels, name)
      matched++
    }
  }
  console.log(JSON.stringify({ metricsMatched: matched, leftOut: missing }))
  assert.match(body, /^syncthing_model_folder_conflicts_total\{folder="share"\} 6$/m)
  assert.deepEqual(
    missing.filter((name) => !LEFT_OUT.test(name)),
    [],
  )
})

/** Metrics of Go's runtime, and those that would need the clock for every file operation. */
const LEFT_OUT = /^(process_(max_fds|network|virtual)|syncthing_(fs_|protocol_.*(messages|compressed|decompressed)))/

test('metrics: the key is needed only with a password, unless the settings allow access without', async () => {
  const rest = fakeRest()
  const open = await rest.call({ target: '/metrics' })
  assert.equal(open.status, 200)
  assert.match(String(open.headers['content-type']), /^text\/plain; version=0\.0\.4/)
  assert.equal(open.headers['set-cookie'], undefined)
  const guarded = { user: 'a', password: 'b' }
  assert.equal((await fakeRest({ gui: guarded }).call({ target: '/metrics' })).status, 403)
  assert.equal((await fakeRest({ gui: guarded }).send('GET', '/metrics')).status, 200)
  assert.equal(
    (await fakeRest({ gui: { ...guarded, metricsWithoutAuth: true } }).call({ target: '/metrics' })).status,
    200,
  )
})

test('metrics: no label can break out of its line, no secret is shown', async () => {
  const rest = fakeRest({ folder: { label: 'a"b\\c\nfake_metric 1\n' } })
  const { body } = await rest.send('GET', '/metrics')
  assert.ok(body.includes('label="a\\"b\\\\c\\nfake_metric 1\\n"'))
  for (const line of body.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? (-?[\d.]+(e[+-]?\d+)?|\+Inf|NaN))$/)
  assert.ok(!body.includes(KEY))
})

async function fullMetrics() {
  const figures = {
    startedMs: 1,
    inBytesTotal: 6,
    outBytesTotal: 158,
    address: 'x',
    type: 'tcp-client',
    isLocal: true,
    crypto: 'TLS1.3',
  }
  const devices = new Map([[PEER, { clientVersion: 'v1', primary: figures, secondary: [] }]])
  const work = {
    scans: 1,
    scanMs: 5,
    pulls: 2,
    pullMs: 7,
    scannedItems: 3,
    hashedBytes: 4,
    pulledBytes: { network: 5, local_origin: 0, local_other: 0, skipped: 0 },
    conflicts: 6,
    scanRate: 0,
  }
  return await fakeRest({
    peers: [PEER],
    deps: {
      connections: {
        status: () => ({ listeners: new Map(), lastDials: new Map(), devices, inBytesTotal: 6, outBytesTotal: 158 }),
      },
      folderWork: () => new Map([[SHARE, work]]),
      eventCounts: () =>
        new Map([
          ['StateChanged', { created: 3, delivered: 2, dropped: 0 }],
          ['Starting', { created: 0, delivered: 0, dropped: 0 }],
        ]),
    },
  }).send('GET', '/metrics')
}

function parseMetrics(text: string): Map<string, { type: string; labels: string[] }> {
  const found = new Map<string, { type: string; labels: string[] }>()
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\w+) (\w+)$/.exec(line)
    if (type !== null) found.set(type[1]!, { type: type[2]!, labels: [] })
    const sample = /^(\w+)\{(.*)\} /.exec(line)
    const metric = sample === null ? undefined : found.get(sample[1]!)
    if (metric !== undefined && metric.labels.length === 0)
      metric.labels = [...sample![2]!.matchAll(/(\w+)="/g)].map((match) => match[1]!).sort()
  }
  return found
}

/** The part of the format that a parser needs. */
const PPROF = protobuf
  .parse(`
  syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4; repeated Function function = 5;
    repeated string string_table = 6; int64 time_nanos = 9; int64 duration_nanos = 10;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Location { uint64 id = 1; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 filename = 4; }
`)
  .root.lookupType('Profile')
