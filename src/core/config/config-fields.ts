import type {
  DefaultsConfig,
  DeviceConfig,
  FolderConfig,
  FolderDeviceConfig,
  GuiConfig,
  LdapConfig,
  ObservedDevice,
  ObservedFolder,
  OptionsConfig,
  VersioningConfig,
  XattrFilter,
} from './config.ts'
import {
  bool,
  choice,
  defaultsOf,
  field,
  float,
  int,
  withNames,
  section,
  sections,
  size,
  text,
  texts,
  time,
} from './field.ts'
import type { DeviceId, FolderId } from '../ids.ts'

/** The version that Syncthing 1.x writes, and the one we write for new homes: Syncthing 1.x and 2.x open it. */
export const CONFIG_VERSION = 37
/** Syncthing 1.19 refuses a later one. It differs from ours in the name of one setting, so its files keep it. */
export const CONFIG_VERSION_KEPT_MIN = 36
/** From here on a file belongs to Syncthing 2.x. */
export const CONFIG_VERSION_2X = 50
export const CONFIG_VERSION_MAX = 52
export const CONFIG_VERSION_MIN = 10

const attribute = true
const omitEmpty = true
const noDevice = '' as DeviceId

const FOLDER_DEVICE = withNames<FolderDeviceConfig>({
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  introducedBy: field<DeviceId | ''>({ is: 'device' }, '', { attribute }),
  encryptionPassword: text('', { secrecy: 'whole' }),
})

const VERSIONING = withNames<VersioningConfig>({
  type: text('', { attribute, omitEmpty }),
  params: field<Readonly<Record<string, string>>>({ is: 'params' }, {}, { xml: 'param', secrecy: 'params' }),
  cleanupIntervalS: int(3600),
  fsPath: text(''),
  fsType: text('basic'),
})

const XATTR_ENTRY = withNames<XattrFilter['entries'][number]>({
  match: text('', { attribute }),
  permit: bool(false, { attribute }),
})

const XATTR_FILTER = withNames<XattrFilter>({
  entries: sections(XATTR_ENTRY, 'entry'),
  maxSingleEntrySize: int(1024),
  maxTotalSize: int(4096),
})

export const FOLDER = withNames<FolderConfig>({
  id: field<FolderId>({ is: 'text' }, '' as FolderId, { attribute }),
  label: text('', { attribute }),
  group: text('', { attribute, omitEmpty, only: '2.x' }),
  filesystemType: text('basic'),
  path: text('', { attribute }),
  type: choice(['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted'], {
    attribute,
    old: { readwrite: 'sendreceive', readonly: 'sendonly' },
  }),
  devices: sections(FOLDER_DEVICE, 'device', 'deviceID'),
  rescanIntervalS: int(3600, { attribute }),
  fsWatcherEnabled: bool(true, { attribute }),
  fsWatcherDelayS: float(10, { attribute }),
  fsWatcherTimeoutS: float(0, { attribute }),
  ignorePerms: bool(false, { attribute }),
  autoNormalize: bool(true, { attribute }),
  minDiskFree: size({ value: 1, unit: '%' }),
  versioning: section(VERSIONING),
  copiers: int(0),
  pullerMaxPendingKiB: int(0),
  hashers: int(0),
  order: choice(['random', 'alphabetic', 'smallestFirst', 'largestFirst', 'oldestFirst', 'newestFirst']),
  ignoreDelete: bool(false),
  scanProgressIntervalS: int(0),
  pullerPauseS: int(0),
  pullerDelayS: float(1, { only: '2.x' }),
  maxConflicts: int(10),
  disableSparseFiles: bool(false),
  disableTempIndexes: bool(false, { only: '1.x' }),
  paused: bool(false),
  weakHashThresholdPct: int(25, { only: '1.x' }),
  markerName: text('.stfolder'),
  copyOwnershipFromParent: bool(false),
  modTimeWindowS: int(0),
  maxConcurrentWrites: int(2),
  disableFsync: bool(false),
  blockPullOrder: choice(['standard', 'random', 'inOrder']),
  copyRangeMethod: choice(['standard', 'ioctl', 'copy_file_range', 'sendfile', 'duplicate_extents', 'all']),
  caseSensitiveFS: bool(false),
  junctionsAsDirs: bool(false),
  syncOwnership: bool(false),
  sendOwnership: bool(false),
  syncXattrs: bool(false),
  sendXattrs: bool(false),
  blockIndexing: bool(true, { only: '2.x' }),
  xattrFilter: section(XATTR_FILTER),
})

const OBSERVED_FOLDER = withNames<ObservedFolder>({
  time: time({ attribute }),
  id: text('', { attribute }),
  label: text('', { attribute }),
})

export const DEVICE = withNames<DeviceConfig>({
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  name: text('', { attribute, omitEmpty }),
  group: text('', { attribute, omitEmpty, only: '2.x' }),
  addresses: texts(['dynamic'], 'address', { secrecy: 'address' }),
  compression: choice(['metadata', 'never', 'always'], { attribute, old: { true: 'metadata', false: 'never' } }),
  certName: text('', { attribute, omitEmpty }),
  introducer: bool(false, { attribute }),
  skipIntroductionRemovals: bool(false, { attribute }),
  introducedBy: field<DeviceId | ''>({ is: 'device' }, '', { attribute }),
  paused: bool(false),
  allowedNetworks: texts([], 'allowedNetwork'),
  autoAcceptFolders: bool(false),
  maxSendKbps: int(0),
  maxRecvKbps: int(0),
  ignoredFolders: sections(OBSERVED_FOLDER, 'ignoredFolder', 'id'),
  maxRequestKiB: int(0),
  untrusted: bool(false),
  remoteGUIPort: int(0),
  numConnections: int(0),
})

export const OBSERVED_DEVICE = withNames<ObservedDevice>({
  time: time({ attribute }),
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  name: text('', { attribute }),
  address: text('', { attribute }),
})

export const GUI = withNames<GuiConfig>({
  enabled: bool(true, { attribute }),
  address: text('127.0.0.1:8384'),
  unixSocketPermissions: text('', { omitEmpty }),
  user: text('', { omitEmpty, secrecy: 'personal' }),
  password: text('', { omitEmpty, secrecy: 'whole' }),
  authMode: choice(['static', 'ldap'], { omitEmpty }),
  metricsWithoutAuth: bool(false, { only: '2.x' }),
  useTLS: bool(false, { xml: 'tls', attribute }),
  apiKey: text('', { xml: 'apikey', omitEmpty, secrecy: 'whole' }),
  insecureAdminAccess: bool(false, { omitEmpty }),
  theme: text('default'),
  debugging: bool(false, { attribute, only: '1.x' }),
  insecureSkipHostcheck: bool(false, { omitEmpty }),
  insecureAllowFrameLoading: bool(false, { omitEmpty }),
  sendBasicAuthPrompt: bool(false, { attribute }),
  sessionCookieDurationS: int(604_800, { omitEmpty, only: '2.x' }),
  sessionCookiePath: text('/', { omitEmpty, only: '2.x' }),
})

export const LDAP = withNames<LdapConfig>({
  address: text('', { omitEmpty, secrecy: 'address' }),
  bindDN: text('', { omitEmpty, secrecy: 'personal' }),
  transport: choice(['plain', 'tls', 'starttls'], { omitEmpty }),
  insecureSkipVerify: bool(false, { omitEmpty }),
  searchBaseDN: text('', { omitEmpty, secrecy: 'personal' }),
  searchFilter: text('', { omitEmpty, secrecy: 'personal' }),
})

export const OPTIONS = withNames<OptionsConfig>({
  listenAddresses: texts(['default'], 'listenAddress', { secrecy: 'address' }),
  globalAnnounceServers: texts(['default'], 'globalAnnounceServer', { secrecy: 'address' }),
  globalAnnounceEnabled: bool(true),
  localAnnounceEnabled: bool(true),
  localAnnouncePort: int(21_027),
  localAnnounceMCAddr: text('[ff12::8384]:21027'),
  maxSendKbps: int(0),
  maxRecvKbps: int(0),
  reconnectionIntervalS: int(60),
  relaysEnabled: bool(true),
  relayReconnectIntervalM: int(10),
  startBrowser: bool(true),
  natEnabled: bool(true),
  natLeaseMinutes: int(60),
  natRenewalMinutes: int(30),
  natTimeoutSeconds: int(10),
  urAccepted: int(0),
  urSeen: int(0),
  urUniqueId: text('', { xml: 'urUniqueID', secrecy: 'personal' }),
  urURL: text('https://data.syncthing.net/newdata', { secrecy: 'address' }),
  urPostInsecurely: bool(false),
  urInitialDelayS: int(1800),
  autoUpgradeIntervalH: int(12),
  upgradeToPreReleases: bool(false),
  keepTemporariesH: int(24),
  cacheIgnoredFiles: bool(false, { only: '1.x' }),
  progressUpdateIntervalS: int(5),
  limitBandwidthInLan: bool(false),
  minHomeDiskFree: size({ value: 1, unit: '%' }),
  releasesURL: text('https://upgrades.syncthing.net/meta.json', { secrecy: 'address' }),
  alwaysLocalNets: texts([], 'alwaysLocalNet'),
  overwriteRemoteDeviceNamesOnConnect: bool(false),
  tempIndexMinBlocks: int(10),
  unackedNotificationIDs: texts([], 'unackedNotificationID'),
  trafficClass: int(0),
  setLowPriority: bool(true),
  maxFolderConcurrency: int(0),
  crURL: text('https://crash.syncthing.net/newcrash', { xml: 'crashReportingURL', secrecy: 'address' }),
  crashReportingEnabled: bool(true),
  stunKeepaliveStartS: int(180),
  stunKeepaliveMinS: int(20),
  stunServers: texts(['default'], 'stunServer', { secrecy: 'address' }),
  databaseTuning: choice(['auto', 'small', 'large'], { only: '1.x' }),
  maxConcurrentIncomingRequestKiB: int(0),
  announceLANAddresses: bool(true),
  sendFullIndexOnUpgrade: bool(false),
  featureFlags: texts([], 'featureFlag'),
  auditEnabled: bool(false, { only: '2.x' }),
  auditFile: text('', { only: '2.x' }),
  connectionLimitEnough: int(0),
  connectionLimitMax: int(0),
  insecureAllowOldTLSVersions: bool(false, { only: '1.x' }),
  connectionPriorityTcpLan: int(10),
  connectionPriorityQuicLan: int(20),
  connectionPriorityTcpWan: int(30),
  connectionPriorityQuicWan: int(40),
  connectionPriorityRelay: int(50),
  connectionPriorityUpgradeThreshold: int(0),
})

const IGNORES = withNames<DefaultsConfig['ignores']>({ lines: texts([], 'line') })

export const DEFAULTS = withNames<DefaultsConfig>({
  folder: { ...section(FOLDER), default: { ...defaultsOf(FOLDER), path: '~' } },
  device: section(DEVICE),
  ignores: section(IGNORES),
})

export { IGNORES as DEFAULT_IGNORES }
