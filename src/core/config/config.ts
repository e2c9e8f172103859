import type { DeviceId, FolderId } from '../ids.ts'

/**
 * The configuration as a value: immutable, complete, already normalised. Field names are those of the JSON form,
 * because `GET /rest/config` returns the same object.
 */
export interface Config {
  readonly version: number
  readonly folders: readonly FolderConfig[]
  readonly devices: readonly DeviceConfig[]
  readonly gui: GuiConfig
  readonly ldap: LdapConfig
  readonly options: OptionsConfig
  readonly remoteIgnoredDevices: readonly ObservedDevice[]
  readonly defaults: DefaultsConfig
}

export type FolderTypeName = 'sendreceive' | 'sendonly' | 'receiveonly' | 'receiveencrypted'
export type PullOrder = 'random' | 'alphabetic' | 'smallestFirst' | 'largestFirst' | 'oldestFirst' | 'newestFirst'
type BlockPullOrder = 'standard' | 'random' | 'inOrder'
type CopyRangeMethod = 'standard' | 'ioctl' | 'copy_file_range' | 'sendfile' | 'duplicate_extents' | 'all'
export type Compression = 'metadata' | 'always' | 'never'

export interface Size {
  readonly value: number
  readonly unit: string
}

export interface FolderConfig {
  readonly id: FolderId
  readonly label: string
  readonly group: string
  readonly filesystemType: string
  readonly path: string
  readonly type: FolderTypeName
  readonly devices: readonly FolderDeviceConfig[]
  readonly rescanIntervalS: number
  readonly fsWatcherEnabled: boolean
  readonly fsWatcherDelayS: number
  readonly fsWatcherTimeoutS: number
  readonly ignorePerms: boolean
  readonly autoNormalize: boolean
  readonly minDiskFree: Size
  readonly versioning: VersioningConfig
  readonly copiers: number
  readonly pullerMaxPendingKiB: number
  readonly hashers: number
  readonly order: PullOrder
  readonly ignoreDelete: boolean
  readonly scanProgressIntervalS: number
  readonly pullerPauseS: number
  readonly pullerDelayS: number
  readonly maxConflicts: number
  readonly disableSparseFiles: boolean
  readonly disableTempIndexes: boolean
  readonly paused: boolean
  readonly weakHashThresholdPct: number
  readonly markerName: string
  readonly copyOwnershipFromParent: boolean
  readonly modTimeWindowS: number
  readonly maxConcurrentWrites: number
  readonly disableFsync: boolean
  readonly blockPullOrder: BlockPullOrder
  readonly copyRangeMethod: CopyRangeMethod
  readonly caseSensitiveFS: boolean
  readonly junctionsAsDirs: boolean
  readonly syncOwnership: boolean
  readonly sendOwnership: boolean
  readonly syncXattrs: boolean
  readonly sendXattrs: boolean
  readonly blockIndexing: boolean
  readonly xattrFilter: XattrFilter
}

export interface FolderDeviceConfig {
  readonly deviceID: DeviceId
  readonly introducedBy: DeviceId | ''
  readonly encryptionPassword: string
}

export interface VersioningConfig {
  readonly type: string
  readonly params: Readonly<Record<string, string>>
  readonly cleanupIntervalS: number
  readonly fsPath: string
  readonly fsType: string
}

export interface XattrFilter {
  readonly entries: readonly { readonly match: string; readonly permit: boolean }[]
  readonly maxSingleEntrySize: number
  readonly maxTotalSize: number
}

export interface DeviceConfig {
  readonly deviceID: DeviceId
  readonly name: string
  readonly group: string
  readonly addresses: readonly string[]
  readonly compression: Compression
  readonly certName: string
  readonly introducer: boolean
  readonly skipIntroductionRemovals: boolean
  readonly introducedBy: DeviceId | ''
  readonly paused: boolean
  readonly allowedNetworks: readonly string[]
  readonly autoAcceptFolders: boolean
  readonly maxSendKbps: number
  readonly maxRecvKbps: number
  readonly ignoredFolders: readonly ObservedFolder[]
  readonly maxRequestKiB: number
  readonly untrusted: boolean
  readonly remoteGUIPort: number
  readonly numConnections: number
}

export interface ObservedFolder {
  readonly time: string
  readonly id: string
  readonly label: string
}

export interface ObservedDevice {
  readonly time: string
  readonly deviceID: DeviceId
  readonly name: string
  readonly address: string
}

export interface GuiConfig {
  readonly enabled: boolean
  readonly address: string
  readonly unixSocketPermissions: string
  readonly user: string
  readonly password: string
  readonly authMode: 'static' | 'ldap'
  readonly metricsWithoutAuth: boolean
  readonly useTLS: boolean
  readonly apiKey: string
  readonly insecureAdminAccess: boolean
  readonly theme: string
  readonly debugging: boolean
  readonly insecureSkipHostcheck: boolean
  readonly insecureAllowFrameLoading: boolean
  readonly sendBasicAuthPrompt: boolean
  readonly sessionCookieDurationS: number
  readonly sessionCookiePath: string
}

export interface LdapConfig {
  readonly address: string
  readonly bindDN: string
  readonly transport: 'plain' | 'tls' | 'starttls'
  readonly insecureSkipVerify: boolean
  readonly searchBaseDN: string
  readonly searchFilter: string
}

export interface OptionsConfig {
  readonly listenAddresses: readonly string[]
  readonly globalAnnounceServers: readonly string[]
  readonly globalAnnounceEnabled: boolean
  readonly localAnnounceEnabled: boolean
  readonly localAnnouncePort: number
  readonly localAnnounceMCAddr: string
  readonly maxSendKbps: number
  readonly maxRecvKbps: number
  readonly reconnectionIntervalS: number
  readonly relaysEnabled: boolean
  readonly relayReconnectIntervalM: number
  readonly startBrowser: boolean
  readonly natEnabled: boolean
  readonly natLeaseMinutes: number
  readonly natRenewalMinutes: number
  readonly natTimeoutSeconds: number
  readonly urAccepted: number
  readonly urSeen: number
  readonly urUniqueId: string
  readonly urURL: string
  readonly urPostInsecurely: boolean
  readonly urInitialDelayS: number
  readonly autoUpgradeIntervalH: number
  readonly upgradeToPreReleases: boolean
  readonly keepTemporariesH: number
  readonly cacheIgnoredFiles: boolean
  readonly progressUpdateIntervalS: number
  readonly limitBandwidthInLan: boolean
  readonly minHomeDiskFree: Size
  readonly releasesURL: string
  readonly alwaysLocalNets: readonly string[]
  readonly overwriteRemoteDeviceNamesOnConnect: boolean
  readonly tempIndexMinBlocks: number
  readonly unackedNotificationIDs: readonly string[]
  readonly trafficClass: number
  readonly setLowPriority: boolean
  readonly maxFolderConcurrency: number
  readonly crURL: string
  readonly crashReportingEnabled: boolean
  readonly stunKeepaliveStartS: number
  readonly stunKeepaliveMinS: number
  readonly stunServers: readonly string[]
  readonly databaseTuning: 'auto' | 'small' | 'large'
  readonly maxConcurrentIncomingRequestKiB: number
  readonly announceLANAddresses: boolean
  readonly sendFullIndexOnUpgrade: boolean
  readonly featureFlags: readonly string[]
  readonly auditEnabled: boolean
  readonly auditFile: string
  readonly connectionLimitEnough: number
  readonly connectionLimitMax: number
  readonly insecureAllowOldTLSVersions: boolean
  readonly connectionPriorityTcpLan: number
  readonly connectionPriorityQuicLan: number
  readonly connectionPriorityTcpWan: number
  readonly connectionPriorityQuicWan: number
  readonly connectionPriorityRelay: number
  readonly connectionPriorityUpgradeThreshold: number
}

export interface DefaultsConfig {
  readonly folder: FolderConfig
  readonly device: DeviceConfig
  readonly ignores: { readonly lines: readonly string[] }
}
