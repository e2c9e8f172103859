/** Pending requests, remedies for warnings, and rates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ignoringDevice,
  ignoringFolder,
  deviceRequestsOf,
  offersOf,
  sharingWith,
} from '../../gui/view-model/pending.ts'
import { meanRate, peakRate, secondsLeft, seriesOf } from '../../gui/view-model/rates.ts'
import { warningRemedy } from '../../gui/view-model/remedy.ts'
import { otherWarnings } from '../../gui/view-model/risks.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../support/config.ts'
import { liveState } from '../support/live-state.ts'

const NOW = '2026-01-02T03:04:05Z'
const OFFER = { time: NOW, receiveEncrypted: false, remoteEncrypted: false }

test('a device that connects again keeps its position', () => {
  const requests = (laptopTime: string) =>
    deviceRequestsOf({
      pendingDevices: {
        [SERVER]: { time: NOW, name: 'server', address: 'a' },
        [LAPTOP]: { time: laptopTime, name: 'laptop', address: 'b' },
      },
    }).map(({ name }) => name)
  assert.deepEqual(requests('2020-01-01T00:00:00Z'), ['laptop', 'server'])
  assert.deepEqual(requests('2030-01-01T00:00:00Z'), ['laptop', 'server'])
})

test('every offer of every device is one request, and an existing folder only needs sharing', () => {
  const { config } = liveState({ folders: { docs: {} } })
  const offers = offersOf({
    config,
    pendingFolders: {
      docs: { offeredBy: { [LAPTOP]: { ...OFFER, label: 'Docs' } } },
      photos: { offeredBy: { [LAPTOP]: { ...OFFER, label: 'Photos' }, [SERVER]: { ...OFFER, label: '' } } },
    },
  })
  assert.deepEqual(
    offers.map(({ folderID, deviceID, isHere }) => [folderID, deviceID, isHere]),
    [
      ['photos', SERVER, false],
      ['docs', LAPTOP, true],
      ['photos', LAPTOP, false],
    ],
  )
})

test('a device is ignored once, and nothing else changes', () => {
  const config = liveState({ devices: [{ id: SERVER }] }).config!
  const request = { deviceID: LAPTOP, name: 'laptop', address: '1.2.3.4:5', time: NOW }
  const first = ignoringDevice(config, request, NOW)
  assert.deepEqual(first, { ...config, remoteIgnoredDevices: [request] })
  const again = ignoringDevice({ ...config, remoteIgnoredDevices: [{ ...request, deviceID: LAPTOP }] }, request, NOW)
  assert.equal(again.remoteIgnoredDevices?.length, 1)
})

test('a folder is added to those already ignored', () => {
  const config = liveState({
    devices: [{ id: LAPTOP, config: { ignoredFolders: [{ id: 'old', label: '', time: NOW }] } }],
  }).config!
  const offer = {
    folderID: 'new',
    label: 'New',
    deviceID: LAPTOP,
    time: NOW,
    isHere: false,
    isEncrypted: false,
    needsPassword: false,
  }
  assert.deepEqual(
    ignoringFolder(config, offer, NOW).ignoredFolders?.map(({ id }) => id),
    ['old', 'new'],
  )
})

test('a folder is shared with one more, and with one less; an existing password is kept', () => {
  const config = liveState({
    folders: {
      a: {
        config: {
          devices: [
            { deviceID: LOCAL_ID, introducedBy: '', encryptionPassword: '' },
            { deviceID: SERVER, introducedBy: '', encryptionPassword: 'secret' },
          ],
        },
      },
    },
  }).config!
  const ids = (change: ReturnType<typeof sharingWith>) =>
    change.devices?.map(({ deviceID, encryptionPassword }) => [deviceID, encryptionPassword])
  assert.deepEqual(ids(sharingWith(config, 'a', LAPTOP, true)), [
    [LOCAL_ID, ''],
    [SERVER, 'secret'],
    [LAPTOP, ''],
  ])
  assert.deepEqual(ids(sharingWith(config, 'a', SERVER, true)), [
    [LOCAL_ID, ''],
    [SERVER, 'secret'],
  ])
  assert.deepEqual(ids(sharingWith(config, 'a', SERVER, false)), [[LOCAL_ID, '']])
})

const MARKER_ADVICE = 'this indicates potential data loss, search docs/forum to get information about how to proceed'
const WATCH_LIMIT =
  'watching needs 9 directories or more, the system allows 8 for all programs of a user: ' +
  'raise fs.inotify.max_user_watches'
const REMEDIES: Readonly<Record<string, string | undefined>> = {
  [`folder docs stopped: folder marker missing (${MARKER_ADVICE})`]: 'remedy.marker',
  'folder docs stopped: folder path missing': 'remedy.missing',
  'folder docs stopped: folder path not a directory': 'remedy.notDirectory',
  [`folder docs: changes are not watched: ${WATCH_LIMIT}; rescans find them`]: 'notice.watch',
  'folder docs stopped: insufficient space on disk for database (/home): current 0.52 % < required 1 %':
    'remedy.lowHome',
  'folder docs: a.bin: ENOSPC: no space left on device, write': 'remedy.full',
  'cannot listen on tcp://:22000: listen EADDRINUSE: address already in use :::22000 (retrying in 1 s)': 'notice.port',
  'folder docs: secret: EACCES: permission denied': 'remedy.permission',
  'folder docs: a: EROFS: read-only file system': 'remedy.readOnly',
  'Wrong credentials supplied during API authorization from 10.0.0.1': 'notice.credentials',
  'folder "docs" is not shared with untrusted device X: no password': 'notice.untrusted',
  '/home/config.xml was changed by another program; that version is kept as /home/config.xml.v1': 'notice.configCopy',
  'something else': undefined,
}

for (const [message, remedy] of Object.entries(REMEDIES)) {
  test(`warningRemedy: ${message.slice(0, 60)}`, () => assert.equal(warningRemedy(message), remedy))
}

const point = (atMs: number, inBps: number, outBps = 0) => ({ atMs, inBps, outBps })

test('the rate is the mean of the last moments, and the peak that of all', () => {
  const history = [point(1, 9_000, 70), ...[100, 200, 300, 400, 500].map((rate, at) => point(at + 2, rate, 10))]
  assert.deepEqual(meanRate(history), { inBps: 300, outBps: 10 })
  assert.deepEqual(peakRate(history), { inBps: 9_000, outBps: 70 })
  assert.deepEqual(meanRate([]), { inBps: 0, outBps: 0 })
})

test('the remaining time is undefined while nothing is transferred', () => {
  assert.equal(secondsLeft(1_000, 0), undefined)
  assert.equal(secondsLeft(1_000, 100), 10)
  assert.equal(secondsLeft(1, 100), 1)
})

test('a time without readings is a gap, not a line', () => {
  assert.deepEqual(seriesOf([point(2_000, 1), point(4_000, 2), point(60_000, 3)]), [
    [2, 4, 4.001, 60],
    [1, 2, null, 3],
    [0, 0, null, 0],
  ])
})

test('a warning of the log that is shown as a risk is not shown twice', () => {
  const risks = [{ code: 'gui-open' as const, message: 'the page is open', remedy: 'set a password' }]
  const lines = [{ message: 'the page is open; set a password' }, { message: 'the disk is full' }]
  assert.deepEqual(otherWarnings(lines, risks), [lines[1]])
  assert.deepEqual(otherWarnings(lines, []), lines)
})
