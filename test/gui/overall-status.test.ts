/** The overall status: the most severe state, and the link to its cause. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overallStatus, type OverallStatus } from '../../gui/facts/overall-status.ts'
import { INITIAL } from '../../gui/live/state.ts'
import { LAPTOP, SERVER } from '../support/config.ts'
import { completion, liveState, type FolderSketch, type StateSketch } from '../support/live-state.ts'

const LAPTOP_ON = { id: LAPTOP, connected: true, config: { name: 'laptop' } }
const LAPTOP_OFF = { id: LAPTOP, connected: false, config: { name: 'laptop' } }

function statusOf(
  folders: Readonly<Record<string, FolderSketch>>,
  more: Omit<StateSketch, 'folders'> = {},
): OverallStatus {
  return overallStatus(liveState({ devices: [LAPTOP_ON], ...more, folders }))
}

const CALM: FolderSketch = { completion: { [LAPTOP]: completion() } }

interface Case {
  readonly folders: Readonly<Record<string, FolderSketch>>
  readonly more?: Omit<StateSketch, 'folders'>
  readonly expected: Pick<OverallStatus, 'tone' | 'key' | 'place'> & Partial<Pick<OverallStatus, 'values' | 'leftS'>>
}

const CASES: Readonly<Record<string, Case>> = {
  'everything is up to date': {
    folders: { a: CALM, b: CALM },
    expected: { tone: 'good', key: 'status.upToDate', place: [] },
  },
  'no folder yet': { folders: {}, expected: { tone: 'wait', key: 'status.noFolders', place: [] } },
  'no device yet': {
    folders: { a: CALM },
    more: { devices: [] },
    expected: { tone: 'wait', key: 'status.noDevices', place: ['devices'] },
  },
  'no device connected': {
    folders: { a: CALM },
    more: { devices: [LAPTOP_OFF] },
    expected: { tone: 'wait', key: 'status.noneConnected', place: ['devices'] },
  },
  'all paused': {
    folders: { a: { config: { paused: true } } },
    expected: { tone: 'off', key: 'status.allPaused', place: ['folders'] },
  },
  'the daemon is gone': {
    folders: { a: CALM },
    more: { link: 'lost' },
    expected: { tone: 'off', key: 'status.lost', place: [] },
  },
  'a folder without a status yet': {
    folders: { a: CALM, b: { isUntold: true } },
    expected: { tone: 'wait', key: 'status.starting', place: [] },
  },
  'a folder that stopped': {
    folders: { a: { status: { state: 'error', error: 'folder marker missing' } } },
    expected: {
      tone: 'bad',
      key: 'status.stopped',
      values: { folder: 'A', reason: 'folder marker missing' },
      place: ['folders', 'a'],
    },
  },
  'problems of pulling': {
    folders: { a: CALM, b: { status: { pullErrors: 2, errors: 2, needTotalItems: 2 } } },
    expected: {
      tone: 'bad',
      key: 'status.problems',
      values: { n: 2, folder: 'B' },
      place: ['folders', 'b', 'problems'],
    },
  },
  'problems of scanning': {
    folders: { a: { status: { errors: 1 } } },
    expected: {
      tone: 'bad',
      key: 'status.problems',
      values: { n: 1, folder: 'A' },
      place: ['folders', 'a', 'problems'],
    },
  },
  'downloading, with the time left': {
    folders: { a: { status: { state: 'syncing', needTotalItems: 3, needBytes: 6_000 } } },
    more: {
      history: [
        { atMs: 1, inBps: 100, outBps: 0 },
        { atMs: 2, inBps: 200, outBps: 0 },
      ],
    },
    expected: {
      tone: 'busy',
      key: 'status.downloading',
      values: { n: 3, folder: 'A' },
      leftS: 40,
      place: ['folders', 'a', 'waiting'],
    },
  },
  'downloading to several folders: the one with the most to come': {
    folders: {
      a: { status: { state: 'syncing', needTotalItems: 9, needBytes: 10 } },
      b: { status: { state: 'syncing', needTotalItems: 1, needBytes: 6_000 } },
    },
    expected: {
      tone: 'busy',
      key: 'status.downloading',
      values: { n: 1, folder: 'B' },
      leftS: undefined,
      place: ['folders', 'b', 'waiting'],
    },
  },
  'downloading, and nothing moves yet': {
    folders: { a: { status: { state: 'syncing', needTotalItems: 3, needBytes: 6_000 } } },
    expected: {
      tone: 'busy',
      key: 'status.downloading',
      values: { n: 3, folder: 'A' },
      leftS: undefined,
      place: ['folders', 'a', 'waiting'],
    },
  },
  'about to download': {
    folders: { a: { status: { state: 'sync-preparing', needTotalItems: 3 } } },
    expected: { tone: 'busy', key: 'status.queued', values: { n: 3, folder: 'A' }, place: ['folders', 'a', 'waiting'] },
  },
  'waiting: those who are connected have not got it': {
    folders: { a: { status: { needTotalItems: 3 } } },
    expected: { tone: 'wait', key: 'status.waiting', values: { n: 3 }, place: ['folders', 'a', 'waiting'] },
  },
  'waiting: no device that shares the folder is connected': {
    folders: {
      a: {
        status: { needTotalItems: 3 },
        config: { devices: [{ deviceID: SERVER, introducedBy: '', encryptionPassword: '' }] },
      },
    },
    expected: {
      tone: 'wait',
      key: 'status.waitingNoneConnected',
      values: { n: 3 },
      place: ['folders', 'a', 'waiting'],
    },
  },
  'waiting in several folders': {
    folders: { a: { status: { needTotalItems: 3 } }, b: { status: { needTotalItems: 4 } } },
    expected: { tone: 'wait', key: 'status.waiting', values: { n: 7 }, place: ['folders'] },
  },
  'what others changed in a folder that only sends': {
    folders: { a: { status: { needTotalItems: 2 }, config: { type: 'sendonly' } } },
    expected: {
      tone: 'wait',
      key: 'status.sendOnly',
      values: { n: 2, folder: 'A' },
      place: ['folders', 'a', 'waiting'],
    },
  },
  'what was changed here in a folder that only receives': {
    folders: { a: { status: { receiveOnlyTotalItems: 2 }, config: { type: 'receiveonly' } } },
    expected: { tone: 'wait', key: 'status.extra', values: { n: 2, folder: 'A' }, place: ['folders', 'a'] },
  },
  scanning: {
    folders: { a: { status: { state: 'scanning' } } },
    expected: { tone: 'busy', key: 'status.scanning', values: { folder: 'A' }, place: ['folders', 'a'] },
  },
  'a connected device is behind': {
    folders: { a: { completion: { [LAPTOP]: completion({ needItems: 2, needDeletes: 1 }) } } },
    expected: { tone: 'busy', key: 'status.sending', values: { n: 3, device: 'laptop' }, place: ['devices', LAPTOP] },
  },
  'a disconnected device is behind': {
    folders: { a: { completion: { [LAPTOP]: completion({ needItems: 2 }) } } },
    more: { devices: [LAPTOP_OFF] },
    expected: { tone: 'wait', key: 'status.noneConnected', place: ['devices'] },
  },
}

for (const [name, { folders, more, expected }] of Object.entries(CASES)) {
  test(`overall status: ${name}`, () => assert.deepEqual(statusOf(folders, more), { values: {}, ...expected }))
}

test('the status is starting before the first load', () => assert.equal(overallStatus(INITIAL).key, 'status.starting'))

test('the most severe state wins', () => {
  const from: readonly (readonly [string, FolderSketch])[] = [
    ['status.stopped', { status: { state: 'error', error: 'no disk' } }],
    ['status.problems', { status: { pullErrors: 1 } }],
    ['status.downloading', { status: { state: 'syncing', needTotalItems: 1 } }],
    ['status.waiting', { status: { needTotalItems: 1 } }],
    ['status.extra', { status: { receiveOnlyTotalItems: 1 } }],
    ['status.scanning', { status: { state: 'scanning' } }],
    ['status.sending', { completion: { [LAPTOP]: completion({ needItems: 1 }) } }],
  ]
  for (const [index, [key]] of from.entries()) {
    const rest = from.slice(index).toReversed() // the order of the folders must not matter
    assert.equal(statusOf(Object.fromEntries(rest.map(([, folder], at) => [`f${at}`, folder]))).key, key)
  }
})

test('a device with other encryption settings is worse than a pending download', () => {
  const state = liveState({ devices: [LAPTOP_OFF], folders: { a: { status: { needTotalItems: 1 } } } })
  const found = { deviceID: LAPTOP, code: 'other-password', reason: '', remedy: '' } as const
  const values = { device: 'laptop' }
  assert.deepEqual(overallStatus({ ...state, disagreements: [{ ...found, folder: 'a' }] }), {
    tone: 'bad',
    key: 'status.disagreement',
    values,
    place: ['folders', 'a'],
  })
  const { place } = overallStatus({ ...state, disagreements: [{ ...found, folder: null }] })
  assert.deepEqual(place, ['devices', LAPTOP])
})

test('a paused folder does not affect the status', () => {
  const paused: FolderSketch = { config: { paused: true }, status: { error: 'x', pullErrors: 3, needTotalItems: 5 } }
  assert.equal(statusOf({ a: paused, b: CALM }).key, 'status.upToDate')
})
