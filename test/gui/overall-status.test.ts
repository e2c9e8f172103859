/** The headline: everything that is true, the most severe first, with the link to its cause; and the inbox. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionEntries } from '../../gui/view-model/attention.ts'
import { announce, NOT_ANNOUNCED } from '../../gui/view-model/announcement.ts'
import { nextDisplayed, DISPLAY_MS_MIN } from '../../gui/view-model/minimum-display.ts'
import { isWorse, overallStatus, type OverallStatus } from '../../gui/view-model/overall-status.ts'
import { INITIAL, type LiveState } from '../../gui/live/state.ts'
import { LAPTOP, SERVER } from '../support/config.ts'
import { completion, liveState, type FolderSketch, type StateSketch } from '../support/live-state.ts'

const ON = { id: LAPTOP, connected: true, config: { name: 'laptop' } }
const OFF = { id: LAPTOP, connected: false, config: { name: 'laptop' } }
const NAS_OFF = { id: SERVER, connected: false, config: { name: 'nas' } }
const UP_TO_DATE: FolderSketch = { completion: { [LAPTOP]: completion() } }
const STOPPED: FolderSketch = { status: { state: 'error', error: 'folder marker missing' } }
const FAILED: FolderSketch = { status: { errors: 2, needTotalItems: 2 } }

interface Case {
  readonly folders: Readonly<Record<string, FolderSketch>>
  readonly devices?: StateSketch['devices']
  readonly more?: Partial<LiveState>
  readonly tone: OverallStatus['tone']
  /** Each part as its key without `status.` and its values. */
  readonly parts: readonly string[]
  /** Of its first finding. */
  readonly place: readonly string[]
  /** Devices that were connected at some time. */
  readonly seen?: readonly string[]
  readonly leftS?: number
}

const OFFERED = { time: '', label: '', receiveEncrypted: false, remoteEncrypted: false }

const CASES: Readonly<Record<string, Case>> = {
  'everything is up to date': {
    folders: { a: UP_TO_DATE, b: UP_TO_DATE },
    tone: 'good',
    parts: ['upToDate'],
    place: [],
  },
  'no folder yet': { folders: {}, tone: 'wait', parts: ['noFolders'], place: [] },
  'no device yet': { folders: { a: UP_TO_DATE }, devices: [], tone: 'wait', parts: ['noDevices'], place: ['devices'] },
  'all paused': {
    folders: { a: { config: { paused: true } } },
    tone: 'paused',
    parts: ['allPaused'],
    place: ['folders'],
  },
  'one of two folders is paused': {
    folders: { a: UP_TO_DATE, b: { config: { paused: true } } },
    tone: 'paused',
    parts: ['upToDateHere', 'paused n=1'],
    place: ['folders'],
  },
  'the daemon is gone': { folders: { a: UP_TO_DATE }, more: { link: 'lost' }, tone: 'off', parts: ['lost'], place: [] },
  'a folder without a status yet': {
    folders: { a: UP_TO_DATE, b: { isUnreported: true } },
    tone: 'wait',
    parts: ['starting'],
    place: [],
  },
  'no device connected: offline is no error, but not everything is fine': {
    folders: { a: UP_TO_DATE },
    devices: [OFF],
    tone: 'away',
    parts: ['upToDateHere', 'offline n=1'],
    place: ['devices'],
  },
  'a disconnected device is behind': {
    folders: { a: { completion: { [LAPTOP]: completion({ needItems: 28_221 }) } } },
    devices: [OFF, NAS_OFF],
    tone: 'away',
    parts: ['upToDateHere', 'offline n=2', 'behind n=28221 device=laptop'],
    place: ['devices'],
  },
  'several are behind: how many, and which is most': {
    folders: {
      a: { completion: { [LAPTOP]: completion({ needItems: 5 }), [SERVER]: completion({ needItems: 93 }) } },
    },
    devices: [OFF, NAS_OFF],
    tone: 'away',
    parts: ['upToDateHere', 'offline n=2', 'behindMany n=93 device=nas devices=2'],
    place: ['devices'],
  },
  'what was never connected did not go offline, and is not behind': {
    folders: {
      a: { completion: { [LAPTOP]: completion({ needItems: 5 }), [SERVER]: completion({ needItems: 93 }) } },
    },
    devices: [OFF, NAS_OFF],
    seen: [LAPTOP],
    tone: 'away',
    parts: ['upToDateHere', 'offline n=1', 'never n=1', 'behind n=5 device=laptop'],
    place: ['devices'],
  },
  'not everything is loaded: nothing is called up to date': {
    folders: { a: UP_TO_DATE },
    more: { isComplete: false },
    tone: 'wait',
    parts: ['starting'],
    place: [],
  },
  'not everything is loaded: what is wrong already is shown': {
    folders: { a: STOPPED },
    more: { isComplete: false },
    tone: 'bad',
    parts: ['attention n=1'],
    place: ['attention'],
  },
  'all of it at once, the most severe first': {
    folders: {
      a: STOPPED,
      b: FAILED,
      c: UP_TO_DATE,
      d: { config: { paused: true } },
      e: { completion: { [LAPTOP]: completion({ needItems: 7 }) } },
    },
    devices: [OFF],
    more: { conflicts: { c: 30, d: 2 }, pendingDevices: { X: { time: '', name: 'phone', address: '' } } },
    tone: 'bad',
    parts: ['attention n=2', 'requests n=1', 'conflicts n=32', 'offline n=1', 'behind n=7 device=laptop', 'paused n=1'],
    place: ['attention'],
  },
  'a request alone': {
    folders: { a: UP_TO_DATE },
    more: { pendingFolders: { x: { offeredBy: { [LAPTOP]: OFFERED } } } },
    tone: 'wait',
    parts: ['requests n=1'],
    place: ['attention'],
  },
  'a risk': {
    folders: { a: UP_TO_DATE },
    more: { risks: [{ code: 'gui-open', message: 'm', remedy: 'r' }] },
    tone: 'bad',
    parts: ['risks n=1'],
    place: ['attention'],
  },
  'a device with other encryption settings is worse than a pending download': {
    folders: { a: { status: { needTotalItems: 1 } } },
    devices: [OFF],
    more: {
      disagreements: [{ deviceID: LAPTOP, code: 'other-password', reason: '', remedy: '', folder: 'a', time: '' }],
    },
    tone: 'bad',
    parts: ['disagreement device=laptop', 'waiting n=1', 'offline n=1'],
    place: ['attention'],
  },
  'downloading, with the time left': {
    folders: { a: { status: { state: 'syncing', needTotalItems: 3, needBytes: 6_000 } } },
    more: { history: [100, 200].map((inBps, atMs) => ({ atMs, inBps, outBps: 0 })) },
    tone: 'busy',
    parts: ['downloading n=3 folder=A'],
    place: ['folders', 'a', 'waiting'],
    leftS: 40,
  },
  'downloading to several folders': {
    folders: {
      a: { status: { state: 'syncing', needTotalItems: 9 } },
      b: { status: { state: 'syncing', needTotalItems: 1 } },
    },
    tone: 'busy',
    parts: ['downloadingMany n=10 folders=2'],
    place: ['folders'],
  },
  'about to download': {
    folders: { a: { status: { state: 'sync-preparing', needTotalItems: 3 } } },
    tone: 'busy',
    parts: ['queued n=3 folder=A'],
    place: ['folders', 'a', 'waiting'],
  },
  'a connected device gets items': {
    folders: { a: { completion: { [LAPTOP]: completion({ needItems: 2, needDeletes: 1 }) } } },
    tone: 'busy',
    parts: ['sending n=3 device=laptop'],
    place: ['devices', LAPTOP],
  },
  scanning: {
    folders: { a: { status: { state: 'scanning' } } },
    tone: 'busy',
    parts: ['scanning n=0 folder=A'],
    place: ['folders', 'a'],
  },
  'scanning several': {
    folders: { a: { status: { state: 'scanning' } }, b: { status: { state: 'scanning' } } },
    tone: 'busy',
    parts: ['scanningMany n=2'],
    place: ['folders'],
  },
  'items wait for an offline device: no error': {
    folders: { a: { status: { needTotalItems: 3 } } },
    devices: [OFF],
    tone: 'away',
    parts: ['waiting n=3', 'offline n=1'],
    place: ['folders', 'a', 'waiting'],
  },
  'items wait although a device is connected': {
    folders: { a: { status: { needTotalItems: 3 } }, b: { status: { needTotalItems: 4 } } },
    tone: 'wait',
    parts: ['waiting n=7'],
    place: ['folders'],
  },
  'what others changed in a folder that only sends': {
    folders: { a: { status: { needTotalItems: 2 }, config: { type: 'sendonly' } } },
    tone: 'wait',
    parts: ['attention n=1'],
    place: ['attention'],
  },
}

function textOf({ parts }: OverallStatus): readonly string[] {
  return parts.map(({ key, values }) =>
    [key.replace('status.', ''), ...Object.entries(values).map(([name, value]) => `${name}=${value}`)].join(' '),
  )
}

const SEEN = { lastSeen: '2026-11-15T12:00:00Z', lastConnectionDurationS: 1 }

for (const [
  name,
  { folders, devices = [ON], more, tone, parts, place, leftS, seen = [LAPTOP, SERVER] },
] of Object.entries(CASES)) {
  test(`headline: ${name}`, () => {
    const deviceStats = Object.fromEntries(seen.map((id) => [id, SEEN]))
    const status = overallStatus({ ...liveState({ devices, folders }), deviceStats, ...more })
    const found = status.parts.find(({ key }) => key !== 'status.upToDateHere')?.place
    assert.deepEqual([status.tone, textOf(status), found, status.leftS], [tone, parts, place, leftS])
  })
}

test('the headline is "starting" before the first load', () =>
  assert.equal(overallStatus(INITIAL).parts[0]?.key, 'status.starting'))

test('the inbox has one entry for each cause, with its remedy, and loses it with its cause', () => {
  const state = liveState({
    devices: [ON],
    folders: {
      a: STOPPED,
      b: { status: { state: 'error', error: 'folder marker missing' } },
      c: { status: { errors: 3 }, errors: [...failed(2, 'ENOSPC'), ...failed(1, 'EACCES')] },
      d: { status: { errors: 1 }, errors: failed(1, 'ENOSPC: no space left') },
      e: { status: { errors: 5 }, errors: failed(5, 'no connected device has the required version of this file') },
    },
  })
  const warnings = [
    { when: '', message: 'folder a: x: ENOSPC', level: 2 },
    { when: '', message: 'cannot listen: EADDRINUSE', level: 2 },
    { when: '', message: 'cannot listen again: EADDRINUSE', level: 2 },
  ]
  const seen = (one: LiveState) =>
    attentionEntries(one).map(
      ({ id, members, remedy }) =>
        `${id}: ${members.map(({ name, n }) => `${name} ${n ?? ''}`.trim()).join(', ')}: ${remedy.kind}`,
    )
  assert.deepEqual(seen({ ...state, warnings, conflicts: { a: 2 }, restartRequired: true }), [
    'stopped marker: A, B: none', // a rescan cannot bring a marker back
    'problems full: C 2, D 1: scan',
    'problems permission: C 1: scan',
    'conflicts all: A 2: go',
    'restart all: : restart',
    'warning notice.port: : clear',
  ])
  assert.deepEqual(seen(liveState({ devices: [ON], folders: { a: UP_TO_DATE } })), [])
  const found = { deviceID: LAPTOP, code: 'other-password', reason: '', remedy: '', time: '' } as const
  const places = [null, 'a'].map(
    (folder) => attentionEntries({ ...liveState(), disagreements: [{ ...found, folder }] })[0]?.remedy,
  )
  assert.deepEqual(places, [
    { kind: 'go', word: 'attention.show', place: ['devices', LAPTOP] },
    { kind: 'go', word: 'attention.show', place: ['folders', 'a'] },
  ])
})

test('a folder that has too few watches, or less space than its minimum, is named by its cause', () => {
  const state = liveState({
    devices: [ON],
    folders: {
      a: { status: { watchError: 'watching needs 9 directories or more, the system allows 8: raise fs.inotify.x' } },
      b: { status: { watchError: 'EIO: i/o error, watch' } },
      c: {
        status: { errors: 2 },
        errors: failed(2, 'insufficient space in folder c: current 27.61 % < required 80 %'),
      },
    },
  })
  const remedy = { folder: 'c', about: 'items', cause: 'lowSpace' } as LiveState['remedies'][number]
  const entries = attentionEntries({ ...state, remedies: [remedy] })
  assert.deepEqual(
    entries.map(({ id, title, remedy: { kind } }) => [id, title.key, kind]),
    [
      ['problems lowSpace', 'cause.lowSpace', 'none'],
      ['unwatched watches', 'cause.watches', 'none'],
      ['unwatched io', 'attention.unwatched', 'none'],
    ],
  )
  assert.equal(entries[0]?.members[0]?.remedy, remedy)
})

function failed(n: number, error: string) {
  return Array.from({ length: n }, (_, at) => ({ path: `p${at}`, error }))
}

test('a state is held for two seconds; numbers and errors are shown at once', () => {
  const rules = { kind: (text: string) => text[0] ?? '', isUrgent: (next: string) => next.startsWith('!') }
  const first = nextDisplayed(undefined, 'a1', 0, rules)
  assert.deepEqual(nextDisplayed(first, 'a2', 10, rules), { value: 'a2', sinceMs: 0 })
  assert.deepEqual(nextDisplayed(first, 'b1', DISPLAY_MS_MIN - 1, rules), first)
  assert.deepEqual(nextDisplayed(first, 'b1', DISPLAY_MS_MIN, rules), { value: 'b1', sinceMs: DISPLAY_MS_MIN })
  assert.deepEqual(nextDisplayed(first, '!', 10, rules), { value: '!', sinceMs: 10 })
})

test('a new kind of status is announced; a transfer or a start removes a text that is no longer true', () => {
  const status = (tone: OverallStatus['tone'], key: OverallStatus['parts'][number]['key'], n = 0): OverallStatus => ({
    tone,
    parts: [{ key, values: { n }, tone, place: [] }],
  })
  const textOf = ({ parts: [part] }: OverallStatus) => `${part?.key} ${part?.values['n']}`
  const texts: string[] = []
  let said = NOT_ANNOUNCED
  for (const next of [
    status('wait', 'status.starting'),
    status('good', 'status.upToDate'),
    status('busy', 'status.waiting', 1),
    status('good', 'status.upToDate'),
    status('away', 'status.offline', 1),
    status('away', 'status.offline', 2),
  ]) {
    said = announce(said, next, textOf)
    texts.push(said.text)
  }
  assert.deepEqual(texts, ['', 'status.upToDate 0', '', '', 'status.offline 1', 'status.offline 1'])
})

test('a worse state never waits for a better one to have had its time; a scan alone is not worse', () => {
  const shown = (sketch: StateSketch, more: Partial<LiveState> = {}) => overallStatus({ ...liveState(sketch), ...more })
  const good = shown({ devices: [ON], folders: { a: UP_TO_DATE } })
  const scanning = shown({ devices: [ON], folders: { a: { ...UP_TO_DATE, status: { state: 'scanning' } } } })
  const worse: Readonly<Record<string, OverallStatus>> = {
    conflicts: shown({ devices: [ON], folders: { a: UP_TO_DATE } }, { conflicts: { a: 1 } }),
    stopped: shown({ devices: [ON], folders: { a: STOPPED } }),
    'items wait': shown({ devices: [ON], folders: { a: { status: { needTotalItems: 3 } } } }),
    downloads: shown({ devices: [ON], folders: { a: { status: { state: 'syncing', needTotalItems: 3 } } } }),
    offline: shown({ devices: [OFF], folders: { a: UP_TO_DATE } }),
    gone: shown({ devices: [ON], folders: { a: UP_TO_DATE }, link: 'lost' }),
  }
  assert.equal(good.tone, 'good')
  for (const [name, next] of Object.entries(worse)) {
    assert.ok(isWorse(next, good), name)
    assert.ok(isWorse(next, scanning), `${name}, after a scan`)
    assert.ok(!isWorse(good, next), `good after ${name}`)
  }
  assert.ok(!isWorse(scanning, good))
})
