import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { documentOf, xmlOf } from '../../support/config.ts'

function migrated(version: number, inner: string): Config {
  return documentOf(`<configuration version="${version}">${inner}</configuration>`).config
}

function folder(version: number, inner: string, attributes = '') {
  const [first] = migrated(version, `<folder id="a" path="/a" ${attributes}>${inner}</folder>`).folders
  assert.ok(first)
  return first
}

function options(version: number, inner: string) {
  return migrated(version, `<options>${inner}</options>`).options
}

const rows: [name: string, read: () => unknown, expected: unknown][] = [
  ['14: @ro becomes a type', () => folder(13, '', 'ro="true"').type, 'sendonly'],
  ['14: @ro false is sendreceive', () => folder(13, '', 'ro="false"').type, 'sendreceive'],
  [
    '20: a percentage becomes a size',
    () => folder(19, '<minDiskFreePct>3.5</minDiskFreePct>').minDiskFree,
    { value: 3.5, unit: '%' },
  ],
  [
    '20: of the home too',
    () => options(19, '<minHomeDiskFreePct>7</minHomeDiskFreePct>').minHomeDiskFree,
    { value: 7, unit: '%' },
  ],
  [
    '22: an external command gets its arguments',
    () =>
      folder(21, '<versioning type="external"><param key="command" val="/bin/x"></param></versioning>').versioning
        .params,
    { command: '/bin/x %FOLDER_PATH% %FILE_PATH%' },
  ],
  ['24: usage reports seen', () => options(23, '<urSeen>1</urSeen>').urSeen, 2],
  ['25: watcher delay', () => folder(24, '', 'fsWatcherDelayS="3"').fsWatcherDelayS, 10],
  ['27: pullers become kibibytes', () => folder(26, '<pullers>100</pullers>').pullerMaxPendingKiB, 12_800],
  [
    '28: a notification about watching',
    () => options(27, '').unackedNotificationIDs.includes('fsWatcherNotification'),
    true,
  ],
  [
    '29: crash reports follow discovery',
    () => options(28, '<globalAnnounceEnabled>true</globalAnnounceEnabled>').crashReportingEnabled,
    true,
  ],
  [
    '29: no discovery and no reports, no crash reports',
    () =>
      options(28, '<globalAnnounceEnabled>false</globalAnnounceEnabled><urAccepted>-1</urAccepted>')
        .crashReportingEnabled,
    false,
  ],
  [
    '29: accepted reports are enough',
    () =>
      options(28, '<globalAnnounceEnabled>false</globalAnnounceEnabled><urAccepted>3</urAccepted>')
        .crashReportingEnabled,
    true,
  ],
  [
    '29: with a notification',
    () => options(28, '<globalAnnounceEnabled>false</globalAnnounceEnabled>').unackedNotificationIDs,
    ['crAutoDisabled', 'authenticationUserAndPassword'],
  ],
  [
    '30: concurrency has a new name',
    () => options(29, '<maxConcurrentScans>4</maxConcurrentScans>').maxFolderConcurrency,
    4,
  ],
  [
    '31: a notification about the password, once',
    () =>
      options(30, '<unackedNotificationID>authenticationUserAndPassword</unackedNotificationID>')
        .unackedNotificationIDs,
    ['authenticationUserAndPassword'],
  ],
  ['32: junctions as before', () => folder(31, '').junctionsAsDirs, true],
  [
    '33: pending devices are removed',
    () =>
      /pending/.test(
        xmlOf(
          documentOf(
            '<configuration version="32"><pendingDevice id="x"></pendingDevice>' +
              '<device id=""><pendingFolder id="y"></pendingFolder></device></configuration>',
          ),
        ),
      ),
    false,
  ],
  [
    '34: the default path is moved',
    () => migrated(33, '<options><defaultFolderPath>/srv</defaultFolderPath></options>').defaults.folder.path,
    '/srv',
  ],
  [
    '34: and keeps the other defaults',
    () =>
      migrated(
        33,
        '<options><defaultFolderPath>/srv</defaultFolderPath></options>' +
          '<defaults><folder label="L"></folder></defaults>',
      ).defaults.folder.label,
    'L',
  ],
  [
    '35: the path of versions',
    () =>
      folder(
        34,
        '<versioning type="simple"><param key="versionsPath" val="/v"></param>' +
          '<param key="fsType" val="basic"></param><param key="keep" val="3"></param></versioning>',
      ).versioning,
    { type: 'simple', params: { keep: '3' }, cleanupIntervalS: 3600, fsPath: '/v', fsType: 'basic' },
  ],
  [
    '36: an unused parameter is removed',
    () =>
      folder(
        35,
        '<versioning type="staggered"><param key="cleanInterval" val="1"></param>' +
          '<param key="maxAge" val="2"></param></versioning>',
      ).versioning.params,
    { maxAge: '2' },
  ],
  ['37: ownership has a new name', () => folder(36, '<scanOwnership>true</scanOwnership>').sendOwnership, true],
]
for (const [name, read, expected] of rows) test(`migration to ${name}`, () => assert.deepEqual(read(), expected))

test('every old format is migrated to ours; that of Syncthing 1.19, ours and later ones keep their number', () => {
  for (let version = 0; version <= 35; version++) assert.equal(migrated(version, '').version, 37, `from ${version}`)
  for (const version of [36, 37, 38, 49, 50, 51, 52]) assert.equal(migrated(version, '').version, version)
})

test('a file of our format is not migrated', () => {
  assert.equal(folder(37, '').junctionsAsDirs, false)
  assert.deepEqual(options(37, '').unackedNotificationIDs, [])
})

test('no old name is left as an unknown one', () => {
  const old =
    '<folder id="a" path="/a" ro="true"><minDiskFreePct>1</minDiskFreePct><pullers>1</pullers>' +
    '<scanOwnership>true</scanOwnership></folder>' +
    '<options><maxConcurrentScans>1</maxConcurrentScans><defaultFolderPath>~</defaultFolderPath>' +
    '<minHomeDiskFreePct>1</minHomeDiskFreePct></options>'
  assert.doesNotMatch(
    xmlOf(documentOf(`<configuration version="10">${old}</configuration>`)),
    / ro=|Pct>1<|pullers>|scanOwnership|maxConcurrentScans|defaultFolderPath/,
  )
})
