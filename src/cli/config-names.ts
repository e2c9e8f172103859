import { GUI } from '../core/config/config-fields.ts'

/** Settings whose name on the command line is not derived from their JSON name. Scripts for Syncthing use them. */
const NAMES: Readonly<Record<string, string>> = {
  remoteIgnoredDevices: 'ignored-devices',
  // Folders
  fsWatcherEnabled: 'fswatcher-enabled',
  fsWatcherDelayS: 'fswatcher-delays',
  fsWatcherTimeoutS: 'fswatcher-timeouts',
  modTimeWindowS: 'raw-mod-time-windows',
  fsPath: 'fspath',
  fsType: 'fstype',
  // Devices
  numConnections: 'raw-num-connections',
  // Options
  listenAddresses: 'raw-listen-addresses',
  globalAnnounceServers: 'raw-global-ann-servers',
  globalAnnounceEnabled: 'global-ann-enabled',
  localAnnounceEnabled: 'local-ann-enabled',
  localAnnouncePort: 'local-ann-port',
  localAnnounceMCAddr: 'local-ann-mcaddr',
  reconnectionIntervalS: 'reconnect-intervals',
  natEnabled: 'natenabled',
  natLeaseMinutes: 'natleasem',
  natRenewalMinutes: 'natrenewalm',
  natTimeoutSeconds: 'nattimeouts',
  urAccepted: 'uraccepted',
  urSeen: 'urseen',
  urUniqueId: 'urunique-id',
  urURL: 'ururl',
  urPostInsecurely: 'urpost-insecurely',
  urInitialDelayS: 'urinitial-delays',
  overwriteRemoteDeviceNamesOnConnect: 'overwrite-remote-dev-names',
  maxFolderConcurrency: 'raw-max-folder-concurrency',
  crURL: 'crurl',
  crashReportingEnabled: 'crenabled',
  stunServers: 'raw-stun-servers',
  maxConcurrentIncomingRequestKiB: 'raw-max-cirequest-kib',
  connectionPriorityTcpLan: 'connection-priority-tcplan',
  connectionPriorityQuicLan: 'connection-priority-quiclan',
  connectionPriorityTcpWan: 'connection-priority-tcpwan',
  connectionPriorityQuicWan: 'connection-priority-quicwan',
}

/** The same for the GUI settings, some of which share their JSON name with other parts. */
const GUI_NAMES: Readonly<Record<string, string>> = {
  address: 'raw-address',
  unixSocketPermissions: 'raw-unix-socket-permissions',
  useTLS: 'raw-use-tls',
  apiKey: 'apikey',
  insecureSkipHostcheck: 'insecure-skip-host-check',
}

/** The command-line name: `rescanIntervalS` is `rescan-intervals`, `caseSensitiveFS` is `case-sensitive-fs`. */
export function settingName(table: object, key: string): string {
  const known = table === GUI ? { ...NAMES, ...GUI_NAMES } : NAMES
  return Object.hasOwn(known, key) ? known[key]! : key.replace(/([a-z\d])([A-Z])(?!$)/g, '$1-$2').toLowerCase()
}
