/** The headline: everything that is true, the most severe first, with the link to its cause; and the inbox. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionEntries } from '../../gui/view-model/attention.ts'
import { announce, NOT_ANNOUNCED } from '../../gui/view-model/announcement.ts'
import { nextDisplayed, DISPLAY_MS_MIN } from '../../gui/view-model/minimum-display.ts'
import { overallStatus, type OverallStatus } from '../../gui/view-model/overall-status.ts'
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
  readonly place: OverallStatus['place']
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

for (const [name, { folders, devices = [ON], more, tone, parts, place, leftS }] of Object.entries(CASES)) {
  test(`headline: ${name}`, () => {
    const status = overallStatus({ ...liveState({ devices, folders }), ...more })
    assert.deepEqual([status.tone, textOf(status), status.place, status.leftS], [tone, parts, place, leftS])
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
    'stopped marker: A, B: scan',
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
    parts: [{ key, values: { n } }],
    place: [],
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
