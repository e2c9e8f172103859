import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderReasons, type FolderReport } from '../../src/cli/folder-reasons.ts'
import type { DeviceShare } from '../../src/cli/device-shares.ts'
import type { FolderConfig } from '../../src/core/config/config.ts'
import { MARKER_MISSING } from '../../src/core/folder-stop.ts'
import { REFUSALS } from '../../src/core/refusals.ts'
import type { FolderStatusJson } from '../../src/rest/db.ts'
import { simFolder } from '../support/model.ts'

const IDLE = { state: 'idle', error: '', watchError: '', localFiles: 3 } as const
const COUNTS = { needTotalItems: 0, needBytes: 0, needDeletes: 0, errors: 0, pullErrors: 0, receiveOnlyTotalItems: 0 }

function share(state: string, remoteState = 'valid', needItems = 0): DeviceShare {
  const completion = { completion: 100, needBytes: needItems * 1024, needItems, needDeletes: 0, remoteState }
  return { deviceID: 'BEN', name: 'ben', state, completion: completion as DeviceShare['completion'] }
}

function reasons(
  status: Partial<FolderStatusJson>,
  folder: Partial<FolderConfig> = {},
  more: Partial<FolderReport> = {},
) {
  return folderReasons(simFolder('docs', folder), {
    status: { ...IDLE, ...COUNTS, ...status } as FolderStatusJson,
    shares: [share('connected')],
    disagreements: [],
    conflicts: 0,
    held: [],
    schedule: { pauses: [], metered: 'off' },
    pausedUntil: '',
    ...more,
  }).join('\n')
}

const pauses = (kind: 'folder' | 'device', id: string, rule: string | null) => ({
  schedule: { metered: 'no', pauses: [{ kind, id, rule, until: null }] } as const,
})
const METERED = { schedule: { metered: 'yes', pauses: [] }, shares: [share('disconnected')] } as const

const HERE: readonly (readonly [what: string, text: string, expected: RegExp])[] = [
  ['in sync', reasons({}), /^it is in sync: 3 files here, none is missing\nben: connected, and has everything$/],
  ['paused', reasons({ error: 'x' }, { paused: true }), /^it is paused: .*"folder resume docs" continues$/],
  [
    'paused for a time',
    reasons({}, { paused: true }, { pausedUntil: ' until 2026-07-02 06:00' }),
    /^it is paused until 2026-07-02 06:00: .*"folder resume docs" continues$/,
  ],
  [
    'paused by a rule',
    reasons({}, {}, pauses('folder', 'docs', 'night')),
    /^it is paused by the rule night: .*"folder resume docs" continues$/,
  ],
  [
    'paused on battery',
    reasons({}, {}, pauses('folder', 'docs', null)),
    /^it is paused while the machine runs on its battery: .*"folder set docs --pause-on-battery off" continues$/,
  ],
  [
    'shared with a device that a rule pauses',
    reasons({}, {}, pauses('device', 'BEN', 'night')),
    /\nben: paused by the rule night$/,
  ],
  [
    'metered, with a device that is not connected',
    reasons({}, {}, METERED),
    /\nthe connection is metered: only devices at local addresses are connected; .*\nben: disconnected; "why ben"/,
  ],
  [
    'metered, with all devices connected',
    reasons({}, {}, { ...METERED, shares: [share('connected')] }),
    /none is missing\nben: connected, and has everything$/,
  ],
  ['stopped', reasons({ error: MARKER_MISSING }), /^it has stopped: .*not mounted at \/data\/docs\./],
  ['scanning', reasons({ state: 'scanning' }), /^it is being scanned/],
  [
    'downloading',
    reasons({ state: 'syncing', needTotalItems: 1, needBytes: 2048 }),
    /^missing here: 1 item, 2\.00 KiB; be/,
  ],
  ['waiting', reasons({ needTotalItems: 2 }), /^missing here: 2 items, 0 B; no transfer is running/],
  [
    'send-only',
    reasons({ needTotalItems: 2 }, { type: 'sendonly' }),
    /^changes .* send-only: 2 items; "folder override docs"/,
  ],
  [
    'deletions held back',
    reasons({ needTotalItems: 2, needDeletes: 2 }, { ignoreDelete: true }),
    /^deleted elsewhere and kept here, because ignoreDelete is set: 2 items/,
  ],
  ['failed items', reasons({ pullErrors: 4 }), /\ncould not be read or downloaded: 4 items; "status docs" lists them/],
  ['no watching', reasons({ watchError: 'no watches' }), /\nchanges are only found by full scans: no watches/],
  [
    'local changes',
    reasons({ receiveOnlyTotalItems: 1 }),
    /\nchanged here and not sent to others: 1 item; "folder revert docs"/,
  ],
  ['conflicts', reasons({}, {}, { conflicts: 2 }), /\n2 conflict copies; "conflicts docs" lists them/],
  [
    'not shared',
    reasons({}, {}, { shares: [] }),
    /\nit is shared with no device; "folder share docs DEVICE" shares it$/,
  ],
]
for (const [what, text, expected] of HERE) test(`why FOLDER: ${what}`, () => assert.match(text, expected))

const DEVICES: readonly (readonly [share: DeviceShare, expected: RegExp])[] = [
  [share('disconnected'), /ben: disconnected; "why ben" explains it$/],
  [share('paused'), /ben: paused; "why ben" explains it$/],
  [share('connected', 'notSharing'), /ben: connected, but it has not accepted the folder yet: "pending accept" there$/],
  [share('connected', 'paused'), /ben: connected, but the folder is paused there$/],
  [share('connected', 'unknown'), /ben: connected; it has not announced what it has yet$/],
  [{ ...share('connected'), completion: undefined }, /has not announced/],
  [share('connected', 'valid', 2), /ben: connected, and misses 2\.00 KiB$/],
]
for (const [one, expected] of DEVICES) {
  test(`why FOLDER: a device that is ${one.state}, ${one.completion?.remoteState ?? 'without counts'}`, () =>
    assert.match(reasons({}, {}, { shares: [one] }), expected))
}

test('why FOLDER: settings that contradict those of a device are its reason', () => {
  const code = 'other-password'
  for (const [folder, isReason] of [
    ['docs', true],
    [null, true],
    ['music', false],
  ] as const) {
    const disagreements = [{ deviceID: 'BEN', folder, code, ...REFUSALS[code], time: '' }] as const
    const text = reasons({}, {}, { shares: [share('disconnected')], disagreements })
    assert.equal(/ben: different encryption passwords used\. Set the same/.test(text), isReason, String(folder))
  }
})

test('a stopped folder has its cause with numbers, the remedy and the command', () => {
  const remedy = {
    folder: 'docs',
    about: 'folder',
    cause: 'marker',
    items: 0,
    error: 'x',
    message: 'the folder marker is missing: 4 of 4 known files are at /data/docs',
    remedy: 'create the marker',
    actions: [],
    command: null,
    path: null,
    files: null,
    space: null,
    watches: null,
  } as const
  const other = { ...remedy, folder: 'music', message: 'not of this folder' }
  const stopped = reasons({ error: MARKER_MISSING }, {}, { remedies: [other, remedy] })
  assert.equal(
    stopped,
    'it has stopped: the folder marker is missing: 4 of 4 known files are at /data/docs\n' +
      'remedy: create the marker: twinfold folder mark docs',
  )
  const line = 'echo fs.inotify.max_user_watches=524288 | sudo tee /etc/x'
  const watch = {
    ...remedy,
    about: 'watch',
    cause: 'watches',
    message: 'too few',
    remedy: `raise: ${line}`,
    command: line,
  } as const
  assert.match(
    reasons({ watchError: 'w' }, {}, { remedies: [watch] }),
    /only found by full scans: too few\nremedy: raise: echo fs[^:]*$/m,
  )
})
