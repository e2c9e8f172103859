/** The state of a folder: one function decides it, here for each combination. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderState, type FolderState } from '../../gui/view-model/folder-state.ts'
import { lastKnownCode, noItemsText } from '../../gui/view-model/last-known.ts'
import type { LiveState } from '../../gui/live/state.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../support/config.ts'
import { completion, liveState, type FolderSketch, type StateSketch } from '../support/live-state.ts'

const ON = { id: LAPTOP, connected: true, config: { name: 'laptop' } }
const OFF = { id: LAPTOP, connected: false, config: { name: 'laptop' } }
const NAS_OFF = { id: SERVER, connected: false, config: { name: 'nas' } }
const WHOLE = { [LAPTOP]: completion() }
const NO_SOURCE = 'no connected device has the required version of this file'

function stateOf(folder: FolderSketch, devices: StateSketch['devices'] = [ON]): FolderState {
  const state = liveState({ devices, folders: { a: folder } })
  return folderState(state, state.config!.folders[0]!)
}

interface Case {
  readonly folder: FolderSketch
  readonly devices?: StateSketch['devices']
  readonly expected: Partial<FolderState>
}

const failed = (n: number, error: string) => Array.from({ length: n }, (_, at) => ({ path: `p${at}`, error }))

const CASES: Readonly<Record<string, Case>> = {
  'nothing to do, shared': { folder: { completion: WHOLE }, expected: { code: 'upToDate', tone: 'good' } },
  'nothing to do, shared with no device': { folder: {}, devices: [], expected: { code: 'unshared', tone: 'off' } },
  'paused: its counts are unknown, not zero': {
    folder: { config: { paused: true }, status: { needTotalItems: 3, errors: 2, error: 'x' } },
    expected: { code: 'paused', tone: 'paused', isCounted: false, waiting: 0, problems: 0, fraction: undefined },
  },
  'not reported yet': { folder: { isUnreported: true }, expected: { code: 'starting', isCounted: false } },
  'not running yet': { folder: { status: { state: '' } }, expected: { code: 'starting', isCounted: false } },
  'not running, with an error': {
    folder: { status: { state: '', error: 'folder marker missing' } },
    expected: { code: 'stopped', tone: 'bad', cause: 'marker' },
  },
  'stopped: the disk is gone': {
    folder: { status: { state: 'error', error: 'folder path missing' } },
    expected: { code: 'stopped', tone: 'bad', cause: 'missing' },
  },
  'idle, but with an error: never green': {
    folder: { status: { state: 'idle', error: 'folder path missing' } },
    expected: { code: 'stopped', tone: 'bad', cause: 'missing' },
  },
  'in error without a reason': {
    folder: { status: { state: 'error' } },
    expected: { code: 'stopped', cause: 'other' },
  },
  'the watched directory vanished before the next scan': {
    folder: { status: { watchError: 'ENOENT: no such file or directory' } },
    expected: { code: 'stopped', tone: 'bad', cause: 'missing' },
  },
  'not watched for another reason': {
    folder: { status: { watchError: 'ENOSPC: System limit for number of file watchers reached' } },
    expected: { code: 'upToDate' },
  },
  'problems, by their largest cause': {
    folder: {
      status: { errors: 3, pullErrors: 3, needTotalItems: 3 },
      errors: [...failed(1, 'EACCES: permission denied'), ...failed(2, 'ENOSPC: no space left')],
    },
    expected: { code: 'problems', tone: 'bad', problems: 3, cause: 'full' },
  },
  'problems, their list not loaded yet': {
    folder: { status: { errors: 2 } },
    expected: { code: 'problems', problems: 2, cause: 'other' },
  },
  'problems stay while they are retried': {
    folder: { status: { state: 'syncing', errors: 2, needTotalItems: 2 }, errors: failed(2, 'EIO: i/o error') },
    expected: { code: 'problems', tone: 'bad', problems: 2, cause: 'io' },
  },
  'items without a source are no problems': {
    folder: { status: { errors: 197, needTotalItems: 197 }, errors: failed(197, NO_SOURCE), completion: WHOLE },
    devices: [OFF],
    expected: { code: 'sourceOffline', tone: 'away', problems: 0, waiting: 197, source: LAPTOP, cause: undefined },
  },
  'a real problem among items without a source': {
    folder: { status: { errors: 3, needTotalItems: 3 }, errors: [...failed(2, NO_SOURCE), ...failed(1, 'EACCES')] },
    devices: [OFF],
    expected: { code: 'problems', problems: 1, cause: 'permission' },
  },
  'only one device is whole, and offline': {
    folder: {
      status: { needTotalItems: 5 },
      completion: { [LAPTOP]: completion({ needItems: 5 }), [SERVER]: completion() },
    },
    devices: [ON, NAS_OFF],
    expected: { code: 'sourceOffline', source: SERVER },
  },
  'several are whole, all offline': {
    folder: { status: { needTotalItems: 5 }, completion: { ...WHOLE, [SERVER]: completion() } },
    devices: [OFF, NAS_OFF],
    expected: { code: 'sourceOffline', source: '' },
  },
  'a connected device has everything: it only waits': {
    folder: { status: { needTotalItems: 5 }, completion: WHOLE },
    expected: { code: 'waiting', tone: 'wait', waiting: 5 },
  },
  'who has it is unknown, and somebody is connected': {
    folder: { status: { needTotalItems: 5 } },
    expected: { code: 'waiting' },
  },
  'who has it is unknown, and no device is connected': {
    folder: { status: { needTotalItems: 5 } },
    devices: [OFF],
    expected: { code: 'sourceOffline', source: LAPTOP },
  },
  downloading: {
    folder: { status: { state: 'syncing', needTotalItems: 2, needBytes: 250 }, completion: WHOLE },
    expected: { code: 'downloading', tone: 'busy', fraction: 0.75, bytesLeft: 250 },
  },
  'downloading the last empty file is not complete': {
    folder: { status: { state: 'syncing', needTotalItems: 1 }, completion: WHOLE },
    expected: { code: 'downloading', fraction: 0.99 },
  },
  'about to download': {
    folder: { status: { state: 'sync-preparing', needTotalItems: 2 }, completion: WHOLE },
    expected: { code: 'preparing', tone: 'busy' },
  },
  'send-only: what others changed is no download': {
    folder: { config: { type: 'sendonly' }, status: { needTotalItems: 2 }, completion: WHOLE },
    expected: { code: 'sendOnly', tone: 'wait', waiting: 2 },
  },
  'send-only, its source offline: still no download': {
    folder: { config: { type: 'sendonly' }, status: { needTotalItems: 2 } },
    devices: [OFF],
    expected: { code: 'sendOnly' },
  },
  'receive-only with local changes': {
    folder: { config: { type: 'receiveonly' }, status: { receiveOnlyTotalItems: 4 } },
    expected: { code: 'extra', tone: 'wait', extra: 4 },
  },
  scanning: { folder: { status: { state: 'scanning' } }, expected: { code: 'scanning', tone: 'busy' } },
  'queued for a scan': { folder: { status: { state: 'scan-waiting' } }, expected: { code: 'scanWaiting' } },
  'scanning while items are missing and their source is offline': {
    folder: { status: { state: 'scanning', needTotalItems: 2 } },
    devices: [OFF],
    expected: { code: 'sourceOffline' },
  },
  'cleaning up': { folder: { status: { state: 'cleaning' } }, expected: { code: 'cleaning', tone: 'busy' } },
}

for (const [name, { folder, devices, expected }] of Object.entries(CASES)) {
  test(`folder state: ${name}`, () => {
    const got = stateOf(folder, devices)
    assert.deepEqual({ ...got, ...expected }, got)
  })
}

test('the current configuration counts, not the one that the caller holds', () => {
  const state = liveState({ devices: [ON], folders: { a: { config: { paused: true } } } })
  const older = { ...state.config!.folders[0]!, paused: false, devices: [{ deviceID: LOCAL_ID }] as never }
  assert.equal(folderState(state, older).code, 'paused')
})

test('a folder with conflicts is not green, and not while it is scanned', () => {
  for (const state of ['idle', 'scanning']) {
    const live = liveState({ devices: [ON], folders: { a: { completion: WHOLE, status: { state } } } })
    const facts = folderState({ ...live, conflicts: { a: 32 } }, live.config!.folders[0]!)
    assert.deepEqual([facts.code, facts.tone, facts.conflicts], ['conflicts', 'wait', 32])
  }
})

test('a folder is called empty only after a scan; paused or stopped it is what was last known', () => {
  const scanned = { a: { lastScan: '2026-11-15T12:00:00Z', lastFile: { at: '', filename: '', deleted: false } } }
  const texts = (folder: FolderSketch, folderStats: LiveState['folderStats']) => {
    const state = { ...liveState({ devices: [ON], folders: { a: folder } }), folderStats }
    const [config] = state.config!.folders
    return [noItemsText(state, config!), lastKnownCode(state, config)]
  }
  const paused = { config: { paused: true } }
  const stopped = { status: { state: 'error', error: 'folder marker missing' } }
  assert.deepEqual(texts({}, scanned), ['files.empty', undefined])
  assert.deepEqual(texts({}, {}), ['files.unscanned', undefined])
  assert.deepEqual(texts(paused, {}), ['files.pausedUnscanned', 'paused'])
  assert.deepEqual(texts(paused, scanned), ['files.noneKnown', 'paused'])
  assert.deepEqual(texts(stopped, scanned), ['files.noneKnown', 'stopped'])
})
