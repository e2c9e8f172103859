/** Every check, with its fault planted in the facts of a healthy device. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { spanText } from '../../../src/core/doctor/check.ts'
import { diagnose, DOCTOR_CHECKS, worstSeverity } from '../../../src/core/doctor/diagnose.ts'
import type { DeviceFacts, DoctorFacts, FolderFacts, TroubleFacts } from '../../../src/core/doctor/facts.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { deviceFacts, folderFacts, HEALTHY_FACTS, NOW_MS, OTHER_DEVICE } from '../../support/healthy-facts.ts'

const DAY_MS = 86_400_000
const { defaults } = await import('../../support/config.ts').then(({ newConfig }) => newConfig())
const { versioning } = defaults.folder

const folder = (more: Partial<FolderFacts>, config: Partial<FolderConfig> = {}): Partial<DoctorFacts> => ({
  folders: [folderFacts(more, config)],
})
const device = (more: Partial<DeviceFacts>): Partial<DoctorFacts> => ({ devices: [deviceFacts(more)] })
const disk = (freeBytes: number, totalBytes: number, daysLeft?: number): Partial<DoctorFacts> => ({
  disks: [{ path: '/data', folders: ['photos'], freeBytes, totalBytes, daysLeft }],
})
const trouble = (about: TroubleFacts['about'], more: Partial<TroubleFacts> = {}): Partial<DoctorFacts> => ({
  troubles: [
    {
      folder: 'photos',
      about,
      cause: 'marker',
      items: 3,
      message: 'the marker',
      remedy: 'mount',
      command: undefined,
      ...more,
    },
  ],
})
const certificate = (what: 'page' | 'device', fromDays: number, toDays: number): Partial<DoctorFacts> => ({
  certificates: [
    { what, file: '/c.pem', notBeforeMs: NOW_MS + fromDays * DAY_MS, notAfterMs: NOW_MS + toDays * DAY_MS },
  ],
})
const everlasting = { versions: { files: 4_000, sizeBytes: 7e9 } }
const warning = (code: string): Partial<DoctorFacts> => ({
  warnings: [{ code, message: 'it is open to all', remedy: 'close it' }],
})

/** By check: what is planted, and what the evidence says. */
const PLANTED: Readonly<Record<string, readonly [planted: Partial<DoctorFacts>, evidence: RegExp]>> = {
  'folder-stopped': [trouble('folder'), /marker/],
  'items-failed': [trouble('items'), /3 items/],
  'watch-failed': [trouble('watch', { cause: 'watches' }), /scanned every 1 hour/],
  'changes-not-found': [folder({}, { rescanIntervalS: 0, fsWatcherEnabled: false }), /not watched/],
  'folder-inside-folder': [
    { folders: [folderFacts(), folderFacts({ root: '/data/photos/2026' }, { id: 'inner' as FolderId })] },
    /at or below \/data\/photos/,
  ],
  'ignore-error': [folder({ ignoreError: 'line 3: bad pattern' }), /line 3/],
  'losses-held': [folder({ heldFiles: 412 }), /412 files/],
  conflicts: [folder({ conflicts: 2 }), /2 conflict copies/],
  'conflicts-discarded': [folder({}, { maxConflicts: 0 }), /maxConflicts is 0/],
  'fsync-off': [folder({}, { disableFsync: true }), /disableFsync/],
  'versions-never-cleaned': [
    folder(everlasting, { versioning: { ...versioning, type: 'trashcan', params: { cleanoutDays: '0' } } }),
    /4000 versions, 7.00? GB|4000 versions, 7 GB/,
  ],
  'paused-long': [folder({ lastScanMs: NOW_MS - 90 * DAY_MS }, { paused: true }), /90 days ago/],
  'folder-not-shared': [folder({ sharedWith: [] }), /no device/],
  'deletions-ignored': [folder({}, { ignoreDelete: true }), /ignoreDelete/],
  'local-changes-not-sent': [folder({ receiveOnlyChanged: 5 }), /5 items/],
  'space-below-minimum': [
    { ...disk(20e9, 100e9), ...folder({}, { minDiskFree: { value: 80, unit: '%' } }) },
    /20(\.0+)? GB of .*\(20\.0 %\).*keeps 80 % free/,
  ],
  'disk-nearly-full': [disk(3e9, 100e9), /\(3\.0 %\)/],
  'disk-full-soon': [disk(40e9, 100e9, 9.6), /40/],
  'home-space': [
    { home: { ...HEALTHY_FACTS.home, space: { freeBytes: 1e6, totalBytes: 100e9 } } },
    /1 % are kept free/,
  ],
  'index-on-network-disk': [{ home: { ...HEALTHY_FACTS.home, fileSystem: 'nfs4' } }, /nfs4/],
  'owner-differs': [
    folder({ owner: { userId: 1234, mode: 0o755 } }),
    /user 1234 \(mode 755\), this program is user 1000/,
  ],
  'directory-read-only': [folder({ owner: { userId: 1000, mode: 0o555 } }), /mode 555/],
  'disk-cannot-sleep': [folder({}, { rescanIntervalS: 60 }), /every 1 minute/],
  'names-fold-case': [folder({ foldsCase: true }, { caseSensitiveFS: true }), /other letters/],
  'names-fold-unicode': [folder({ foldsUnicode: true }, { autoNormalize: false }), /other normalization form/],
  'temporary-files-left': [folder({ oldTemporaryFiles: 1 }), /1 file /],
  'settings-disagree': [
    { disagreements: [{ device: 'nas', folder: 'photos', code: 'plain-for-untrusted' }] },
    /folder "photos"/,
  ],
  'clock-differs': [device({ clockAheadMs: -400 * DAY_MS }), /nas is 400 days behind/],
  'clock-before-certificate': [certificate('device', 20, 7_000), /20 days before the certificate/],
  'listen-failed': [{ listeners: [{ address: 'tcp://:22000', error: 'EADDRINUSE' }] }, /EADDRINUSE/],
  'relay-failed': [
    {
      options: { ...HEALTHY_FACTS.options, relaysEnabled: true },
      listeners: [{ address: 'dynamic+https://relays.example/endpoint', error: 'no relay replied' }],
    },
    /no relay replied/,
  ],
  'discovery-failed': [{ discovery: [{ name: 'global@https://d.example', error: 'timed out' }] }, /timed out/],
  'device-without-address': [
    {
      ...device({ isConnected: false, hasAddress: false, lastSeenMs: 0 }),
      options: { ...HEALTHY_FACTS.options, globalAnnounceEnabled: false, localAnnounceEnabled: false },
    },
    /never connected/,
  ],
  'device-never-seen': [device({ isConnected: false, lastSeenMs: 0 }), /1 folder is shared/],
  'device-away': [device({ isConnected: false, lastSeenMs: NOW_MS - 90 * DAY_MS }), /cannot be reached/],
  'device-shares-nothing': [device({ folders: 0 }), /0 folders/],
  'page-open': [warning('gui-open'), /no user name/],
  'folder-contains-home': [warning('folder-contains-home'), /the home is/],
  'proxy-not-trusted': [warning('proxy-not-trusted'), /proxy-not-trusted/],
  'page-without-tls': [{ plainPage: '0.0.0.0:8384' }, /0\.0\.0\.0:8384 without TLS/],
  'running-as-root': [{ isRoot: true }, /user ID is 0/],
  'few-open-files': [{ openFiles: { used: 60, max: 256 } }, /60 of 256/],
  'watches-nearly-used': [{ watches: { used: 7_900, allowed: 8_000 } }, /7900 of 8000/],
  'unhandled-failures': [{ unhandledFailures: 2 }, /2 failures/],
  'certificate-expires': [certificate('page', -900, -3), /expired 3 days ago/],
  'key-expired': [{ grants: [{ kind: 'key', name: 'grafana', expiresMs: NOW_MS - 5 * DAY_MS }] }, /5 days/],
  'index-replaced': [
    { recoveries: [{ folder: 'photos', reason: 'row 3 is missing', keptAt: '/home/x.damaged' }] },
    /row 3 is missing; .*x\.damaged/,
  ],
  'upgrade-available': [{ release: { version: '9.9.9', command: 'npm install -g twinfold' } }, /last check/],
}

test('a healthy device has no findings', () => {
  assert.deepEqual(diagnose(HEALTHY_FACTS), [])
  assert.equal(worstSeverity([]), undefined)
})

test('there are at least 24 checks, each of them planted here', () => {
  assert.ok(DOCTOR_CHECKS.length >= 24)
  assert.deepEqual(DOCTOR_CHECKS.map(({ code }) => code).sort(), Object.keys(PLANTED).sort())
})

describe('a planted fault is found by its check, and by no other', () => {
  for (const { code } of DOCTOR_CHECKS) {
    test(code, () => {
      const [planted, evidence] = PLANTED[code]!
      const findings = diagnose({ ...HEALTHY_FACTS, ...planted })
      assert.deepEqual(
        findings.map((each) => each.code),
        [code],
      )
      const [finding] = findings
      assert.match(finding!.evidence, evidence)
      assert.ok(finding!.message.length > 10 && finding!.remedy.length > 3, 'it says what, and what to do')
      const hasCommand = finding!.command !== undefined
      assert.ok(hasCommand || code === 'folder-contains-home' || code === 'proxy-not-trusted', 'it has a command')
    })
  }
})

test('the most severe comes first, and decides', () => {
  const findings = diagnose({
    ...HEALTHY_FACTS,
    ...trouble('folder'),
    isRoot: true,
    folders: [folderFacts({ sharedWith: [] })],
  })
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['error', 'warning', 'notice'],
  )
  assert.equal(worstSeverity(findings), 'error')
  assert.equal(worstSeverity(findings.slice(2)), 'notice')
})

test('one wrong clock of several is that of the other device; if all differ, it is ours', () => {
  const others = (ahead: readonly number[]) =>
    ahead.map((clockAheadMs, at) => deviceFacts({ clockAheadMs }, at === 0 ? {} : OTHER_DEVICE))
  const message = (ahead: readonly number[]) => diagnose({ ...HEALTHY_FACTS, devices: others(ahead) })[0]?.message
  assert.match(message([DAY_MS, 100]) ?? '', /clocks of two devices differ/)
  assert.match(message([DAY_MS, DAY_MS]) ?? '', /clock of this device is wrong/)
  assert.equal(message([2_000, -2_000]), undefined)
})

test('versions with a limit, few versions, and an owner who shares his directory are no findings', () => {
  const trash = { ...versioning, type: 'trashcan', params: { cleanoutDays: '30' } }
  const unlimited = { ...trash, params: { cleanoutDays: '0' } }
  const limited = { ...everlasting, extensions: { ...FOLDER_EXTENSIONS, versionsPercentMax: 10 } }
  const fine = [
    folder(everlasting, { versioning: trash }),
    folder(limited, { versioning: unlimited }),
    folder({ versions: { files: 2, sizeBytes: 10 } }, { versioning: unlimited }),
    folder({ owner: { userId: 1234, mode: 0o775 } }),
  ]
  for (const each of fine) assert.deepEqual(diagnose({ ...HEALTHY_FACTS, ...each }), [])
})

test('a directory of another user is read-only for an ordinary user, and a trap for root', () => {
  const facts = { ...HEALTHY_FACTS, ...folder({ owner: { userId: 1234, mode: 0o755 } }) }
  assert.equal(diagnose(facts)[0]?.severity, 'error')
  const [asRoot] = diagnose({ ...facts, userId: 0 })
  assert.deepEqual([asRoot?.severity, asRoot?.code], ['warning', 'owner-differs'])
  assert.match(asRoot?.message ?? '', /belong to root/)
})

test('names of folders and paths are single words of the commands', () => {
  const evil = "x'; rm -rf ~ #" as FolderId
  const facts = { ...HEALTHY_FACTS, folders: [folderFacts({ conflicts: 1 }, { id: evil })] }
  assert.equal(diagnose(facts)[0]?.command, "twinfold conflicts 'x'\\''; rm -rf ~ #'")
})

test('spans of time are in the unit that fits', () => {
  assert.deepEqual([spanText(90_000), spanText(3_600_000), spanText(3 * DAY_MS)], ['90 seconds', '1 hour', '3 days'])
})
