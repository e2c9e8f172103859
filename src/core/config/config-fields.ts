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
  Size,
  VersioningConfig,
  XattrFilter,
} from './config.ts'
import type { DeviceId, FolderId } from '../ids.ts'

/** The version that Syncthing 1.x writes, and the one we write for new homes: Syncthing 1.x and 2.x open it. */
export const CONFIG_VERSION = 37
/** From here on a file belongs to Syncthing 2.x. */
export const CONFIG_VERSION_2X = 50
export const CONFIG_VERSION_MAX = 52
export const CONFIG_VERSION_MIN = 10

/** The time that means "never". */
export const TIME_ZERO = '0001-01-01T00:00:00Z'

export type Kind =
  | { readonly is: 'bool' | 'int' | 'float' | 'text' | 'device' | 'time' | 'size' | 'params' }
  | { readonly is: 'choice'; readonly values: readonly string[]; readonly old?: Readonly<Record<string, string>> }
  | { readonly is: 'texts' }
  | { readonly is: 'section'; readonly table: AnyTable }
  | { readonly is: 'sections'; readonly table: AnyTable; readonly identity?: string }

/** One setting, declared once. Its JSON name is its key in the table. */
export interface Field<V> {
  readonly kind: Kind
  readonly xml: string
  readonly attribute: boolean
  readonly default: V
  /** Left out of the file while it is empty, zero, false or the first choice. */
  readonly omitEmpty: boolean
  /** Supported by Syncthing 2.x only, or by 1.x only; undefined for both. */
  readonly only?: '1.x' | '2.x'
}

/** Every field of a part, in the order of the JSON form; the file has the same order, attributes first. */
export type Table<T> = { readonly [K in keyof T]-?: Field<T[K]> }
export type AnyTable = Readonly<Record<string, Field<unknown>>>

export type Fields = Readonly<Record<string, unknown>>

type FieldOptions = Partial<Pick<Field<unknown>, 'xml' | 'attribute' | 'omitEmpty' | 'only'>>

function field<V>(kind: Kind, value: V, options: FieldOptions): Field<V> {
  // The name in the file defaults to the JSON name; `named` fills it in.
  return { xml: '', attribute: false, omitEmpty: false, ...options, kind, default: value }
}

const bool = (value: boolean, options: FieldOptions = {}) => field({ is: 'bool' }, value, options)
const int = (value: number, options: FieldOptions = {}) => field({ is: 'int' }, value, options)
const float = (value: number, options: FieldOptions = {}) => field({ is: 'float' }, value, options)
const text = (value: string, options: FieldOptions = {}) => field({ is: 'text' }, value, options)
const texts = (value: readonly string[], xml: string, options: FieldOptions = {}) =>
  field({ is: 'texts' }, value, { ...options, xml })
const time = (options: FieldOptions = {}) => field({ is: 'time' }, TIME_ZERO, options)
const size = (value: Size) => field({ is: 'size' }, value, {})

/** The first value is the default, also for unknown values. */
function choice<V extends string>(
  values: readonly [V, ...V[]],
  options: FieldOptions & { readonly old?: Readonly<Record<string, V>> } = {},
): Field<V> {
  const { old, ...rest } = options
  return field<V>({ is: 'choice', values, ...(old && { old }) }, values[0], rest)
}

function sections<T>(table: Table<T>, xml: string, identity?: string): Field<readonly T[]> {
  return field<readonly T[]>({ is: 'sections', table, ...(identity !== undefined && { identity }) }, [], { xml })
}

function section<T>(table: Table<T>): Field<T> {
  return field<T>({ is: 'section', table }, defaultsOf(table), {})
}

/** The hard defaults of a part, as a value. */
export function defaultsOf<T>(table: Table<T>): T {
  const entries = Object.entries<Field<unknown>>(table).map(([key, one]) => [key, one.default])
  return Object.fromEntries(entries) as T
}

/** A part as fields by name, for code that works with every table. */
export function fieldsOf(value: unknown): Fields {
  return Object(value)
}

/** Gives every field its name in the file, once, when the program starts. */
function named<T>(table: Table<T>): Table<T> {
  const entries = Object.entries<Field<unknown>>(table)
  return Object.fromEntries(entries.map(([key, one]) => [key, { ...one, xml: one.xml || key }])) as Table<T>
}

const attribute = true
const omitEmpty = true
const noDevice = '' as DeviceId

const FOLDER_DEVICE = named<FolderDeviceConfig>({
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  introducedBy: field<DeviceId | ''>({ is: 'device' }, '', { attribute }),
  encryptionPassword: text(''),
})

const VERSIONING = named<VersioningConfig>({
  type: text('', { attribute, omitEmpty }),
  params: field<Readonly<Record<string, string>>>({ is: 'params' }, {}, { xml: 'param' }),
  cleanupIntervalS: int(3600),
  fsPath: text(''),
  fsType: text('basic'),
})

const XATTR_ENTRY = named<XattrFilter['entries'][number]>({
  match: text('', { attribute }),
  permit: bool(false, { attribute }),
})

const XATTR_FILTER = named<XattrFilter>({
  entries: sections(XATTR_ENTRY, 'entry'),
  maxSingleEntrySize: int(1024),
  maxTotalSize: int(4096),
})

export const FOLDER = named<FolderConfig>({
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

const OBSERVED_FOLDER = named<ObservedFolder>({
  time: time({ attribute }),
  id: text('', { attribute }),
  label: text('', { attribute }),
})

export const DEVICE = named<DeviceConfig>({
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  name: text('', { attribute, omitEmpty }),
  group: text('', { attribute, omitEmpty, only: '2.x' }),
  addresses: texts(['dynamic'], 'address'),
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

export const OBSERVED_DEVICE = named<ObservedDevice>({
  time: time({ attribute }),
  deviceID: field<DeviceId>({ is: 'device' }, noDevice, { xml: 'id', attribute }),
  name: text('', { attribute }),
  address: text('', { attribute }),
})

export const GUI = named<GuiConfig>({
  enabled: bool(true, { attribute }),
  address: text('127.0.0.1:8384'),
  unixSocketPermissions: text('', { omitEmpty }),
  user: text('', { omitEmpty }),
  password: text('', { omitEmpty }),
  authMode: choice(['static', 'ldap'], { omitEmpty }),
  metricsWithoutAuth: bool(false, { only: '2.x' }),
  useTLS: bool(false, { xml: 'tls', attribute }),
  apiKey: text('', { xml: 'apikey', omitEmpty }),
  insecureAdminAccess: bool(false, { omitEmpty }),
  theme: text('default'),
  debugging: bool(false, { attribute, only: '1.x' }),
  insecureSkipHostcheck: bool(false, { omitEmpty }),
  insecureAllowFrameLoading: bool(false, { omitEmpty }),
  sendBasicAuthPrompt: bool(false, { attribute }),
  sessionCookieDurationS: int(604_800, { omitEmpty, only: '2.x' }),
  sessionCookiePath: text('/', { omitEmpty, only: '2.x' }),
})

export const LDAP = named<LdapConfig>({
  address: text('', { omitEmpty }),
  bindDN: text('', { omitEmpty }),
  transport: choice(['plain', 'tls', 'starttls'], { omitEmpty }),
  insecureSkipVerify: bool(false, { omitEmpty }),
  searchBaseDN: text('', { omitEmpty }),
  searchFilter: text('', { omitEmpty }),
})

export const OPTIONS = named<OptionsConfig>({
  listenAddresses: texts(['default'], 'listenAddress'),
  globalAnnounceServers: texts(['default'], 'globalAnnounceServer'),
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
  urUniqueId: text('', { xml: 'urUniqueID' }),
  urURL: text('https://data.syncthing.net/newdata'),
  urPostInsecurely: bool(false),
  urInitialDelayS: int(1800),
  autoUpgradeIntervalH: int(12),
  upgradeToPreReleases: bool(false),
  keepTemporariesH: int(24),
  cacheIgnoredFiles: bool(false, { only: '1.x' }),
  progressUpdateIntervalS: int(5),
  limitBandwidthInLan: bool(false),
  minHomeDiskFree: size({ value: 1, unit: '%' }),
  releasesURL: text('https://upgrades.syncthing.net/meta.json'),
  alwaysLocalNets: texts([], 'alwaysLocalNet'),
  overwriteRemoteDeviceNamesOnConnect: bool(false),
  tempIndexMinBlocks: int(10),
  unackedNotificationIDs: texts([], 'unackedNotificationID'),
  trafficClass: int(0),
  setLowPriority: bool(true),
  maxFolderConcurrency: int(0),
  crURL: text('https://crash.syncthing.net/newcrash', { xml: 'crashReportingURL' }),
  crashReportingEnabled: bool(true),
  stunKeepaliveStartS: int(180),
  stunKeepaliveMinS: int(20),
  stunServers: texts(['default'], 'stunServer'),
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

const IGNORES = named<DefaultsConfig['ignores']>({ lines: texts([], 'line') })

export const DEFAULTS = named<DefaultsConfig>({
  folder: { ...section(FOLDER), default: { ...defaultsOf(FOLDER), path: '~' } },
  device: section(DEVICE),
  ignores: section(IGNORES),
})

export { IGNORES as DEFAULT_IGNORES }
