import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiskFacts } from '../../../src/core/records/disk-reasons.ts'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY } from '../../../src/core/records/file-info.ts'
import {
  waitReason,
  itemReasons,
  type FolderFacts,
  type WaitFacts,
  type WhyFacts,
} from '../../../src/core/records/reasons.ts'
import { deletion, file, version } from '../../db/records.ts'

const FOLDER: FolderFacts = { paused: false, type: 'sendreceive', error: '', scanning: false }
const WAITING: WaitFacts = { folder: FOLDER, stage: 'waiting', action: 'download', problem: undefined, held: true }

const WAITS: readonly (readonly [what: string, facts: Partial<WaitFacts>, code: string, text: RegExp])[] = [
  [
    'a paused folder',
    { folder: { ...FOLDER, paused: true, error: 'x' }, stage: 'downloading' },
    'paused',
    /the folder is paused/,
  ],
  [
    'a folder in error',
    { folder: { ...FOLDER, error: 'marker missing', type: 'sendonly' } },
    'folder-error',
    /stopped: marker missing$/,
  ],
  ['a send-only folder', { folder: { ...FOLDER, type: 'sendonly' } }, 'send-only', /send-only/],
  ['a download', { stage: 'downloading', problem: 'old' }, 'downloading', /being downloaded now/],
  ['a failure', { stage: 'queued', problem: 'disk is full', held: false }, 'failed', /failed: disk is full$/],
  ['no device that has it', { stage: 'queued', held: false }, 'no-device', /no connected device/],
  ['the queue', { stage: 'queued' }, 'queued', /in the queue/],
  ['a scan', { folder: { ...FOLDER, scanning: true } }, 'scanning', /scanned first/],
  ['not queued yet', {}, 'waiting', /waiting to be queued/],
  ['a deletion, which needs no sender', { action: 'delete', held: false }, 'waiting', /queued/],
]

for (const [what, facts, code, text] of WAITS) {
  test(`wait reason: ${what}`, () => {
    const reason = waitReason({ ...WAITING, ...facts })
    assert.equal(reason.code, code)
    assert.match(reason.text, text)
    assert.equal(reason.cause, { 'folder-error': 'marker missing', failed: 'disk is full' }[code])
  })
}

const now = file('a', { version: version(1) })
const later = file('a', { version: version(2) })
const AWAY = {
  isMetered: true,
  pausedHolders: [{ name: 'desk', pause: { by: 'rule', rule: 'night' } }],
} as const
const KNOWN: WhyFacts = {
  folder: FOLDER,
  records: { local: now, global: now },
  problem: undefined,
  queue: undefined,
  offeredBy: [],
}

/** What the disk shows of a name without a record, and the expected reason. */
const ON_DISK: readonly (readonly [disk: DiskFacts, code: string, text: RegExp, state: string])[] = [
  [{ kind: 'outside' }, 'outside', /not a path inside the folder/, 'unknown'],
  [{ kind: 'behind-symlink', symlink: 'out' }, 'outside', /^"out" is a symlink/, 'unknown'],
  [{ kind: 'reserved' }, 'reserved', /reserved for the program/, 'unknown'],
  [{ kind: 'ignored', line: '*.tmp' }, 'ignored', /by the line "\*\.tmp" of \.stignore/, 'ignored'],
  [{ kind: 'ignored', line: 'x', isIncluded: true }, 'ignored', /"x" of a file that \.stignore includes$/, 'ignored'],
  [{ kind: 'unreadable', error: 'EACCES' }, 'unreadable', /cannot be read here: EACCES/, 'unknown'],
  [{ kind: 'special' }, 'special', /a pipe, a socket or a device/, 'unknown'],
  [{ kind: 'present' }, 'new', /new since the last scan/, 'unknown'],
  [{ kind: 'absent', nearest: [] }, 'absent', /no device has announced one$/, 'unknown'],
  [{ kind: 'absent', nearest: ['b', 'c'] }, 'absent', /similar names: b, c$/, 'unknown'],
]
for (const [disk, code, text, state] of ON_DISK) {
  test(`why: no record, ${disk.kind} on the disk`, () => {
    const why = itemReasons({ ...KNOWN, records: undefined, disk })
    assert.deepEqual([why.state, why.upToDate, why.reasons.length, why.reasons[0]?.code], [state, false, 1, code])
    assert.match(why.reasons[0]?.text ?? '', text)
  })
}

const NO_DEVICE = 'no connected device has the newest version'

/** Facts about a file, and the expected result. */
const REASONS: readonly (readonly [
  what: string,
  facts: Partial<WhyFacts>,
  state: string,
  codes: string,
  reasons: readonly string[],
])[] = [
  [
    'in sync',
    { offeredBy: ['ben'] },
    'here',
    'here offered',
    ['it is here, in the newest version', 'connected devices that have the newest version: ben'],
  ],
  [
    'in sync that the last scan could not read',
    { problem: 'scan: permission denied' },
    'here',
    'here failed',
    ['it is here, in the newest version', 'the last attempt failed: scan: permission denied'],
  ],
  [
    'kept against a later deletion',
    { contestedBy: 'ben' },
    'here',
    'here kept',
    [
      'it is here, in the newest version',
      'ben deleted it without having received this version: the deletion is later, but the file is kept',
    ],
  ],
  [
    'deleted everywhere',
    { records: { local: deletion('a'), global: deletion('a') } },
    'deleted',
    'deleted',
    ['it was deleted, here and elsewhere'],
  ],
  [
    'deleted, and never here',
    { records: { local: undefined, global: deletion('a') } },
    'deleted',
    'deleted-elsewhere',
    ['it was deleted elsewhere and never existed here'],
  ],
  [
    'ignored',
    { records: { local: file('a', { localFlags: FLAG_IGNORED }), global: later } },
    'ignored',
    'ignored',
    ['it is ignored here'],
  ],
  [
    'changed here only',
    { records: { local: file('a', { localFlags: FLAG_RECEIVE_ONLY }), global: later }, offeredBy: ['ben'] },
    'extra',
    'extra offered',
    [
      'it was changed here, in a receive-only folder: the change is not sent to other devices',
      'connected devices that have the newest version: ben',
    ],
  ],
  [
    'next in the queue',
    {
      records: { local: undefined, global: now },
      queue: { stage: 'queued', place: 0 },
      offeredBy: ['ben', 'UNKNOWN'],
    },
    'missing',
    'missing queued offered',
    [
      'it is not here yet',
      'it is the next to be downloaded',
      'connected devices that have the newest version: ben, UNKNOWN',
    ],
  ],
  [
    'far back in the queue',
    { records: { local: now, global: later }, queue: { stage: 'queued', place: 6 } },
    'older',
    'older queued no-device',
    ['it is here in an older version', 'it is number 7 in the queue', NO_DEVICE],
  ],
  [
    'being downloaded',
    { records: { local: deletion('a'), global: later }, queue: { stage: 'downloading' }, offeredBy: ['ben'] },
    'missing',
    'missing downloading offered',
    ['it is not here yet', 'it is being downloaded now', 'connected devices that have the newest version: ben'],
  ],
  [
    'failing',
    { records: { local: now, global: later }, problem: 'disk is full', queue: { stage: 'waiting' } },
    'older',
    'older failed waiting no-device',
    [
      'it is here in an older version',
      'the last attempt failed: disk is full',
      'it is waiting to be queued',
      NO_DEVICE,
    ],
  ],
  [
    'deleted elsewhere',
    { records: { local: now, global: deletion('a', { version: version(2) }) } },
    'older',
    'still-here',
    ['it is here, but was deleted elsewhere'],
  ],
  [
    'of a folder that has stopped',
    { folder: { ...FOLDER, error: 'folder marker missing' } },
    'here',
    'folder-error',
    ['the folder has stopped: folder marker missing'],
  ],
  [
    'of a paused folder',
    { folder: { ...FOLDER, paused: true }, records: { local: undefined, global: now }, problem: 'old' },
    'missing',
    'paused missing no-device',
    ['the folder is paused: nothing in it is scanned or downloaded', 'it is not here yet', NO_DEVICE],
  ],
  [
    'of a folder that a rule pauses',
    { folder: { ...FOLDER, paused: true, pause: { by: 'rule', rule: 'night', until: '2026-07-02T06:00:00Z' } } },
    'here',
    'paused here',
    [
      'the folder is paused by the rule night until 2026-07-02T06:00:00Z: nothing in it is scanned or downloaded',
      'it is here, in the newest version',
    ],
  ],
  [
    'of a folder that pauses on battery',
    { folder: { ...FOLDER, paused: true, pause: { by: 'battery' } } },
    'here',
    'paused here',
    [
      'the folder is paused while the machine runs on its battery: nothing in it is scanned or downloaded',
      'it is here, in the newest version',
    ],
  ],
  [
    'whose devices are not connected by a rule and by a condition',
    { records: { local: undefined, global: now }, absence: AWAY },
    'missing',
    'missing no-device device-paused metered',
    [
      'it is not here yet',
      NO_DEVICE,
      'desk has the newest version, and is paused by the rule night',
      'the connection is metered: only devices at local addresses are connected',
    ],
  ],
  ['that is here, whatever is not connected', { absence: AWAY }, 'here', 'here', ['it is here, in the newest version']],
  [
    'of a send-only folder',
    { folder: { ...FOLDER, type: 'sendonly' }, records: { local: undefined, global: now } },
    'missing',
    'send-only missing no-device',
    ['the folder is send-only: changes of other devices are not applied', 'it is not here yet', NO_DEVICE],
  ],
  [
    'that is unknown',
    { records: undefined },
    'unknown',
    'unknown',
    ['no device has announced it, and no scan has seen it here: it is ignored, new since the last scan, or misspelt'],
  ],
]

for (const [what, facts, state, codes, reasons] of REASONS) {
  test(`why: a file ${what}`, () => {
    const why = itemReasons({ ...KNOWN, ...facts })
    assert.deepEqual(
      why.reasons.map(({ text }) => text),
      reasons,
    )
    assert.deepEqual([why.state, why.reasons.map(({ code }) => code).join(' ')], [state, codes])
    assert.deepEqual(
      why.reasons.flatMap(({ code, cause = [] }) => (code === 'kept' ? [] : cause)),
      facts.folder?.error || (codes.includes('failed') && facts.problem) ? [facts.folder?.error || facts.problem] : [],
    )
    assert.deepEqual(
      why.reasons.flatMap(({ place = [] }) => place),
      facts.queue?.stage === 'queued' ? [facts.queue.place + 1] : [],
    )
    const UP_TO_DATE = [
      'in sync',
      'in sync that the last scan could not read',
      'of a folder that a rule pauses',
      'of a folder that pauses on battery',
      'that is here, whatever is not connected',
      'kept against a later deletion',
      'deleted everywhere',
    ]
    assert.equal(why.upToDate, UP_TO_DATE.includes(what))
  })
}

/** A file that is up to date by its record; what the disk shows of it now. */
const SHOULD_BE_HERE: readonly (readonly [disk: DiskFacts, codes: string, text: RegExp, upToDate: boolean])[] = [
  [{ kind: 'present' }, 'here', /^it is here, in the newest version$/, true],
  [{ kind: 'absent', nearest: [] }, 'gone', /^it was here at the last scan and is not now$/, false],
  [{ kind: 'unreadable', error: 'permission denied' }, 'unreadable', /^it cannot be read here: permission d/, false],
  [{ kind: 'special' }, 'special', /^it is a pipe/, false],
  [{ kind: 'ignored', line: '/a' }, 'ignored', /by the line "\/a"/, false],
]
for (const [disk, codes, text, upToDate] of SHOULD_BE_HERE) {
  test(`why: in sync by its record, ${disk.kind} on the disk`, () => {
    const problem = disk.kind === 'unreadable' ? 'scan: permission denied' : undefined
    const why = itemReasons({ ...KNOWN, disk, problem })
    assert.deepEqual([why.reasons.map(({ code }) => code).join(' '), why.upToDate], [codes, upToDate])
    assert.match(why.reasons[0]?.text ?? '', text)
  })
}

test('why: no file of a folder that has stopped is called here', () => {
  const folder = { ...FOLDER, error: 'the folder marker is missing: the disk is probably not mounted at /mnt' }
  const states = [
    { local: now, global: now },
    { local: now, global: later },
    { local: now, global: deletion('a', { version: version(2) }) },
    { local: file('a', { localFlags: FLAG_RECEIVE_ONLY }), global: later },
  ]
  for (const records of states) {
    const why = itemReasons({ ...KNOWN, folder, records })
    assert.equal(why.upToDate, false)
    assert.doesNotMatch(why.reasons.map(({ text }) => text).join('; '), /\bhere\b/)
    const gone = itemReasons({ ...KNOWN, folder, records, disk: { kind: 'absent', nearest: [] } })
    assert.deepEqual(gone.reasons.map(({ code }) => code).slice(0, 1), ['folder-error'])
    assert.ok(!gone.reasons.some(({ code }) => code === 'gone'))
  }
})

test('why: a device that has another opinion about the encryption of the folder is named, with the remedy', () => {
  const [first] = itemReasons({ ...KNOWN, disagreements: [{ device: 'nas', code: 'plain-there' }] }).reasons
  assert.deepEqual([first?.code, first?.cause, first?.device], ['disagreement', 'plain-there', 'nas'])
  assert.match(first?.text ?? '', /^nas does not exchange the folder: remote expects .*\. On the other device, remove/)
})
