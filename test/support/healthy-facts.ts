import type { DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import type { DeviceFacts, DoctorFacts, FolderFacts } from '../../src/core/doctor/facts.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { LAPTOP, newConfig, SERVER } from './config.ts'

export const NOW_MS = Date.UTC(2026, 10, 18)
const DAY_MS = 86_400_000

const { defaults, options } = newConfig()

export function folderFacts(more: Partial<FolderFacts> = {}, config: Partial<FolderConfig> = {}): FolderFacts {
  const id = config.id ?? ('photos' as FolderId)
  return {
    config: { ...defaults.folder, id, path: `/data/${id}`, ...config },
    extensions: FOLDER_EXTENSIONS,
    root: `/data/${id}`,
    owner: { userId: 1000, mode: 0o755 },
    foldsCase: false,
    foldsUnicode: false,
    oldTemporaryFiles: 0,
    ignoreError: undefined,
    conflicts: 0,
    heldFiles: 0,
    versions: undefined,
    lastScanMs: NOW_MS - 1_000,
    receiveOnlyChanged: 0,
    sharedWith: [SERVER],
    ...more,
  }
}

export function deviceFacts(more: Partial<DeviceFacts> = {}, config: Partial<DeviceConfig> = {}): DeviceFacts {
  return {
    config: { ...defaults.device, deviceID: SERVER, name: 'nas', addresses: ['tcp://192.0.2.1:22000'], ...config },
    isConnected: true,
    lastSeenMs: NOW_MS,
    clockAheadMs: 300,
    folders: 1,
    hasAddress: true,
    ...more,
  }
}

export const OTHER_DEVICE = { deviceID: LAPTOP, name: 'laptop' }

/** Of a device with nothing to complain about. */
export const HEALTHY_FACTS: DoctorFacts = {
  nowMs: NOW_MS,
  isRoot: false,
  userId: 1000,
  openFiles: { used: 40, max: 524_288 },
  watches: { used: 100, allowed: 500_000 },
  unhandledFailures: 0,
  warnings: [],
  plainPage: undefined,
  home: {
    path: '/home/me/.local/state/syncthing',
    space: { freeBytes: 50e9, totalBytes: 100e9 },
    minFree: { value: 1, unit: '%' },
    fileSystem: 'ext4',
  },
  certificates: [
    {
      what: 'device',
      file: '/home/me/cert.pem',
      notBeforeMs: NOW_MS - 100 * DAY_MS,
      notAfterMs: NOW_MS + 7_000 * DAY_MS,
    },
  ],
  options,
  listeners: [{ address: 'tcp://0.0.0.0:22000', error: null }],
  discovery: [{ name: 'IPv4 local', error: null }],
  release: undefined,
  grants: [],
  recoveries: [],
  disks: [{ path: '/', folders: ['photos'], freeBytes: 50e9, totalBytes: 100e9, daysLeft: undefined }],
  folders: [folderFacts()],
  devices: [deviceFacts()],
  disagreements: [],
  troubles: [],
}
