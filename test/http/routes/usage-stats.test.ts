import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectionFigures } from '../../../src/connections/types.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { fakeRest, SHARE } from '../fakes.ts'
import { connected } from '../connected.ts'

const A = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId
const B = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId

const WORK = {
  scans: 0,
  scanMs: 0,
  pulls: 0,
  pullMs: 0,
  scannedItems: 0,
  hashedBytes: 0,
  pulledBytes: { network: 0, local_origin: 0, local_other: 0, skipped: 0 },
  conflicts: 0,
  scanRate: 0,
  behindSinceMs: undefined,
}

const LINES = ['// notes', '!(?i)/keep', '(?d)*.tmp', 'a/**/b*', '**/cache/**', '#include ../shared', '#include more']

test('a usage report has blocks by source, connections by transport and patterns by kind', async () => {
  const { primary } = connected(A).devices.get(A)!
  const at = (type: string, address: string): ConnectionFigures => ({ ...primary, type, address })
  const direct = at('tcp-client', '192.0.2.1:22000')
  const devices = new Map([
    [A, { clientVersion: '', primary: direct, secondary: [direct, at('tcp-server', '[2001:db8::1]:22000')] }],
    [B, { clientVersion: '', primary: at('relay-client', '198.51.100.1:22067'), secondary: [] }],
  ])
  const pulledBlocks = { network: 4, local_origin: 3, local_other: 2, skipped: 1 }
  const rest = fakeRest({
    hub: { ignores: async () => ({ ignore: LINES, expanded: [], error: null }) },
    deps: {
      connections: { status: () => ({ ...connected(), devices }) },
      folderWork: () => new Map([[SHARE, { ...WORK, pulledBlocks }]]),
    },
  })
  const { blockStats, transportStats, ignoreStats } = JSON.parse((await rest.send('GET', '/rest/svc/report')).body)
  assert.deepEqual(blockStats, { total: 10, reused: 1, pulled: 4, copyOrigin: 3, copyElsewhere: 2 })
  assert.deepEqual(transportStats, { tcp4: 2, tcp6: 1, relay4: 1 })
  assert.deepEqual(ignoreStats, {
    lines: 7,
    inverts: 1,
    folded: 1,
    deletable: 1,
    rooted: 2,
    includes: 2,
    escapedIncludes: 1,
    doubleStars: 1,
    stars: 2,
  })
})

test('a usage report of a device that did nothing has none of them', async () => {
  const rest = fakeRest({ hub: { ignores: async () => ({ ignore: null, expanded: null, error: null }) } })
  const report = JSON.parse((await rest.send('GET', '/rest/svc/report')).body)
  assert.deepEqual([report.blockStats, report.transportStats, report.ignoreStats], [{}, {}, {}])
})
