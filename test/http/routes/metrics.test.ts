import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import { fakeRest, KEY, SHARE } from '../fakes.ts'

const AWAY = 'AAAAAAA-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId
const NEVER_SEEN = 'BBBBBBB-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId
const PEER = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId

test('metrics: the names of Syncthing that make sense here, with its types and labels', async () => {
  for (const file of ['metrics', 'metrics-2.1.3']) await compareWith(file)
})

async function compareWith(file: string): Promise<void> {
  const { body } = await fullMetrics()
  const ours = parseMetrics(body)
  const theirs = parseMetrics(readFileSync(new URL(`../../fixtures/rest/${file}.txt`, import.meta.url), 'utf8'))
  const missing: string[] = []
  let matched = 0
  for (const [name, metric] of theirs) {
    if (!name.startsWith('syncthing_') && !name.startsWith('process_')) continue
    const own = ours.get(name)
    if (own === undefined) missing.push(name)
    else {
      assert.equal(own.type, metric.type, name)
      if (name !== 'syncthing_build_info') assert.deepEqual(own.labels, metric.labels, name)
      else assert.deepEqual(notIn(own.labels, metric.labels), GO_BUILD)
      matched++
    }
  }
  console.log(JSON.stringify({ file, metricsMatched: matched, leftOut: missing }))
  assert.match(body, /^syncthing_model_folder_conflicts_total\{folder="share"\} 6$/m)
  assert.deepEqual(
    missing.filter((name) => !LEFT_OUT.test(name)),
    [],
  )
}

/** Labels of a build of Go: an exporter or a dashboard has no use for other values in them. */
const GO_BUILD = ['builddate', 'builduser', 'goversion']

function notIn(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  return theirs.filter((label) => !ours.includes(label))
}

/** Metrics of Go's runtime, and those that would need the clock for every file operation. */
const LEFT_OUT = /^(process_(max_fds|network|virtual)|syncthing_fs_)/

test('metrics: messages by device, and their bytes without compression', async () => {
  const { body } = await fullMetrics()
  const figures = { recv_messages: 1, sent_messages: 2, recv_decompressed_bytes: 4, sent_uncompressed_bytes: 150 }
  for (const [name, figure] of Object.entries(figures)) {
    const line = `syncthing_protocol_${name}_total{device="${PEER}"} ${figure}`
    assert.ok(body.split('\n').includes(line), line)
  }
})

test('metrics: the families of Syncthing 2.x', async () => {
  const { body } = await fullMetrics()
  for (const line of [
    'syncthing_db_operations_current{folder="share",operation="query"} 0',
    'syncthing_db_operations_total{folder="share",operation="query"} 7',
    'syncthing_db_operations_total{folder="share",operation="change"} 2',
    'syncthing_db_operation_seconds_total{folder="share",operation="query"} 1.5',
    'syncthing_db_operation_seconds_total{folder="share",operation="change"} 0.25',
    'syncthing_db_files_updated_total{folder="share"} 9',
  ])
    assert.ok(body.split('\n').includes(line), line)
  for (const name of ['syncthing_build_info', 'syncthing_config_folder_info', 'syncthing_config_device_info'])
    assert.match(body, new RegExp(`^${name}\\{`, 'm'))
})

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

test('metrics: who is behind, conflict copies, devices that are away, watches and waiting hooks', async () => {
  const { body } = await fullMetrics()
  for (const line of [
    'twinfold_folder_behind_seconds{folder="share"} 90',
    `twinfold_remote_need_items{folder="share",device="${PEER}"} 5`,
    `twinfold_remote_need_bytes{folder="share",device="${PEER}"} 700`,
    'twinfold_folder_conflict_copies{folder="share"} 3',
    `twinfold_device_away_seconds{device="${PEER}"} 0`,
    `twinfold_device_away_seconds{device="${AWAY}"} 60`,
    'twinfold_guard_held_items{folder="share",kind="deletions"} 42',
    'twinfold_guard_held_items{folder="share",kind="truncations"} 1',
    'twinfold_watches_used 12',
    'twinfold_watches_allowed 8192',
    'twinfold_hook_deliveries_waiting 0',
  ])
    assert.ok(body.split('\n').includes(line), `${line} in\n${body}`)
  assert.ok(!body.includes(`away_seconds{device="${NEVER_SEEN}"`))
  const bare = await fakeRest().send('GET', '/metrics')
  assert.doesNotMatch(bare.body, /twinfold_(?:watches|folder_behind|device_away|remote)/)
  const paused = await fakeRest({ folder: { paused: true } }).send('GET', '/metrics')
  assert.doesNotMatch(paused.body, /twinfold_folder/)
})

const COMPLETION = {
  completion: 50,
  globalBytes: 1,
  globalItems: 1,
  needBytes: 0,
  needDeletes: 0,
  needItems: 0,
  remoteState: 'valid',
  sequence: 1,
} as const

async function fullMetrics() {
  const figures = {
    startedMs: 1,
    inBytesTotal: 6,
    outBytesTotal: 158,
    messages: { sent: 2, sentBytes: 150, received: 1, receivedBytes: 4 },
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
    pulledBlocks: { network: 1, local_origin: 0, local_other: 0, skipped: 0 },
    conflicts: 6,
    scanRate: 0,
    behindSinceMs: 1_795_000_000_000 - 90_000,
  }
  return await fakeRest({
    peers: [PEER, AWAY, NEVER_SEEN],
    folder: { devices: [{ deviceID: PEER, introducedBy: '', encryptionPassword: '' }] },
    hub: {
      guard: async () => ({
        enabled: true,
        trash: false,
        held: [
          { side: 'local', sinceMs: 1, origin: 'local', deletions: 40, truncations: 0, examples: [] },
          { side: 'remote', sinceMs: 2, origin: PEER, deletions: 2, truncations: 1, examples: [] },
        ],
        notices: [],
      }),
    },
    explorer: { conflicts: async () => ({ total: 3, items: [] }) },
    deps: {
      completion: {
        completion: async () => ({ ...COMPLETION, needItems: 4, needDeletes: 1, needBytes: 700 }),
        remoteNeed: async () => [],
      },
      deviceStatistics: async () =>
        new Map([
          [AWAY, { lastSeenMs: 1_795_000_000_000 - 60_000, lastConnectionMs: 1 }],
          [NEVER_SEEN, { lastSeenMs: 0, lastConnectionMs: 0 }],
        ]),
      watchBudget: () => ({ used: 12, allowed: 8_192 }),
      connections: {
        status: () => ({ listeners: new Map(), lastDials: new Map(), devices, inBytesTotal: 6, outBytesTotal: 158 }),
      },
      folderWork: () => new Map([[SHARE, work]]),
      indexWork: () => new Map([[SHARE, { queries: 7, queryMs: 1_500, changes: 2, changeMs: 250, records: 9 }]]),
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
