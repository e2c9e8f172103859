import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import type { Profile } from '../../../src/platform/process.ts'
import { simProcess, simSystem } from '../../../src/platform/sim/system.ts'
import { bytesOf } from '../bytes-of.ts'
import { fakeRest } from '../fakes.ts'

const DEBUG = { gui: { debugging: true } }
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

const NODES: Profile['nodes'] = [
  { name: '(root)', file: '', line: 0, parent: undefined, count: 0, amount: 0 },
  { name: 'scan', file: 'file:///scan.ts', line: 7, parent: 0, count: 2, amount: 2_500 },
  { name: 'hash', file: 'file:///hash.ts', line: 9, parent: 1, count: 1, amount: 5_000_000_000 },
  { name: 'scan', file: 'file:///scan.ts', line: 8, parent: 2, count: 0, amount: 0 },
]

/** A server whose process takes the profile of NODES; `taken` are the calls. */
function profiled() {
  const taken: unknown[] = []
  const process = {
    ...simProcess,
    profile: async (kind: 'cpu' | 'heap', durationMs: number) => (
      taken.push([kind, durationMs]),
      { kind, durationMs, nodes: NODES }
    ),
  }
  return { taken, rest: fakeRest({ ...DEBUG, deps: { system: { ...simSystem('host'), process } } }) }
}

test('profiles: the names of Syncthing, and a duration within limits', async () => {
  const { taken, rest } = profiled()
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
})

test('profiles: in the format of pprof', async () => {
  const { rest } = profiled()
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

/** The part of the format that a parser needs. */
const PPROF = protobuf
  .parse(`
  syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
    repeated Function function = 5;
    repeated string string_table = 6; int64 time_nanos = 9; int64 duration_nanos = 10;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Location { uint64 id = 1; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 filename = 4; }
`)
  .root.lookupType('Profile')
