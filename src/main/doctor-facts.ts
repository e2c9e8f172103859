import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { Config, FolderConfig } from '../core/config/config.ts'
import { folderExtensions } from '../core/config/extensions.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import type { CertificateFacts, DeviceFacts, FolderFacts } from '../core/doctor/facts.ts'
import { isEverlasting } from '../core/doctor/folder-checks.ts'
import { NEVER } from '../core/never.ts'
import { isTemporary } from '../core/paths.ts'
import type { ImportingStore } from '../db/store.ts'
import { parseGuiAddress } from '../http/pipeline/address.ts'
import type { DeviceWarning, DoctorDeviceFacts } from '../http/types.ts'
import type { Model } from '../model/model.ts'
import type { Disk } from '../platform/disk.ts'
import { readFileOfHome } from '../platform/files/json-file.ts'
import { fileSystemOf, openFilesMax } from '../platform/mounts.ts'
import { withTimeout } from '../sync/timeout.ts'
import type { UpgradeView } from '../upgrade/types.ts'
import type { DeviceBase } from './device-base.ts'
import type { Network } from './network.ts'

/** For everything about one folder: a disk that does not reply is left out. */
const FOLDER_MS_MAX = 5_000
/** Checking more pages would keep other requests waiting for longer than half a second. */
const CHECKED_BYTES_MAX = 32 * 1_024 * 1_024
/** Of the names at the top of a folder. */
const NAMES_MAX = 20_000
const TEMPORARY_MAX = 100
const HOUR_MS = 3_600_000

interface DoctorParts {
  readonly store: ImportingStore
  readonly model: Model
  readonly network: Network
  readonly upgrade: UpgradeView
  warnings(): Promise<readonly DeviceWarning[]>
}

/** Collects what the checks of `core/doctor` decide on. */
export async function doctorFacts(base: DeviceBase, parts: DoctorParts): Promise<DoctorDeviceFacts> {
  const { platform, config, grants, options } = base
  const { disk, system, clock, watcher } = platform
  const { openFiles, unhandledRejections, unhandledExceptions } = system.process.figures()
  const { locations, guiAddress } = options
  const status = parts.network.connections.status()
  const damages = await parts.store.checkPages(CHECKED_BYTES_MAX)
  const { release, command } = parts.upgrade.state()
  return {
    nowMs: clock.nowMs(),
    isRoot: system.isRoot,
    userId: system.userId,
    openFiles: { used: openFiles, max: await openFilesMax(disk) },
    watches: watcher.budget?.(),
    unhandledFailures: unhandledRejections + unhandledExceptions,
    warnings: await parts.warnings(),
    plainPage: plainPage(config.current, guiAddress),
    home: {
      path: locations.dataDirectory,
      space: await disk.space(locations.dataDirectory).catch(() => undefined),
      minFree: config.current.options.minHomeDiskFree,
      fileSystem: await fileSystemOf(disk, locations.databaseDirectory),
    },
    certificates: await certificates(base),
    options: config.current.options,
    listeners: [...status.listeners].map(([address, { error }]) => ({ address, error })),
    discovery: [...parts.network.discovery.status()].map(([name, error]) => ({ name, error })),
    release: release?.relation === 'newer' ? { version: release.version, command } : undefined,
    grants: grants.all.flatMap(({ kind, name, expiresMs }) =>
      expiresMs === undefined ? [] : [{ kind, name, expiresMs }],
    ),
    recoveries: [
      ...parts.store.recoveries,
      ...damages.map(([folder, reason]) => ({ folder, reason, keptAt: locations.databaseDirectory })),
    ],
    folders: await allFolders(base, parts.model),
    devices: await deviceFacts(base, parts.network),
    disagreements: parts.network.peers.disagreements.map(({ device, folder, code }) => ({
      device: config.current.devices.find(({ deviceID }) => deviceID === device)?.name || device,
      folder,
      code,
    })),
  }
}

/** The page for other hosts without TLS; behind a proxy it listens on loopback. */
function plainPage({ gui }: Config, override: string | undefined): string | undefined {
  if (!gui.enabled && override === undefined) return undefined
  const address = override ?? gui.address
  const { listen, loopback, tls } = parseGuiAddress(address)
  return loopback || listen.startsWith('/') || (tls ?? gui.useTLS) ? undefined : address
}

async function certificates({ platform, options, config }: DeviceBase): Promise<readonly CertificateFacts[]> {
  const { certificateFile, httpsCertificateFile } = options.locations
  const files = [
    { what: 'device', file: certificateFile } as const,
    ...(config.current.gui.useTLS ? [{ what: 'page', file: httpsCertificateFile } as const] : []),
  ]
  const found: CertificateFacts[] = []
  for (const { what, file } of files) {
    const certificate = await readCertificate(platform.disk, file)
    if (certificate === undefined) continue
    const [notBeforeMs, notAfterMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
    found.push({ what, file, notBeforeMs, notAfterMs })
  }
  return found
}

/** Undefined for a file that is missing or no certificate: the start reports that. */
async function readCertificate(disk: Disk, file: string): Promise<X509Certificate | undefined> {
  const data = await readFileOfHome(disk, file).catch(() => undefined)
  try {
    return data === undefined ? undefined : new X509Certificate(data)
  } catch {
    return undefined
  }
}

async function deviceFacts({ config, identity }: DeviceBase, network: Network): Promise<readonly DeviceFacts[]> {
  const connected = network.connections.status().devices
  const statistics = await network.deviceStatistics()
  const { devices, folders } = config.current
  return devices
    .filter(({ deviceID }) => deviceID !== identity.deviceId)
    .map((device) => ({
      config: device,
      isConnected: connected.has(device.deviceID),
      lastSeenMs: statistics.get(device.deviceID)?.lastSeenMs ?? 0,
      clockAheadMs: connected.get(device.deviceID)?.clockAheadMs,
      folders: folders.filter((folder) => folder.devices.some(({ deviceID }) => deviceID === device.deviceID)).length,
      hasAddress: device.addresses.some((address) => address !== 'dynamic'),
    }))
}

async function allFolders(base: DeviceBase, model: Model): Promise<readonly FolderFacts[]> {
  const { platform, config } = base
  const statistics = await model.folderStatistics()
  const found: FolderFacts[] = []
  for (const folder of config.current.folders) {
    const { lastScanMs = 0 } = statistics.get(folder.id) ?? {}
    const bounded = <T>(work: () => Promise<T>, otherwise: T): Promise<T> =>
      withTimeout(platform.clock, FOLDER_MS_MAX, NEVER, work).catch(() => otherwise)
    const onDisk = await bounded(() => directoryFacts(base, folder), NOT_FOUND)
    const { error } = await bounded(() => model.ignores(folder.id), { ignore: null, expanded: null, error: null })
    found.push({
      config: folder,
      extensions: folderExtensions(base.extensions.current, folder.id),
      ...onDisk,
      ignoreError: onDisk.root === undefined ? undefined : (error ?? undefined),
      conflicts: await bounded(() => conflictCount(model, folder), 0),
      heldFiles: await bounded(() => heldFiles(model, folder), 0),
      versions: await bounded(() => versionsUsed(base, model, folder), undefined),
      lastScanMs,
      receiveOnlyChanged: await bounded(() => changedCount(model, folder), 0),
      sharedWith: folder.devices.map(({ deviceID }) => deviceID).filter((id) => id !== base.identity.deviceId),
    })
  }
  return found
}

async function conflictCount(model: Model, { id, paused }: FolderConfig): Promise<number> {
  if (paused) return 0
  return (await (await model.explorer()).conflicts(id, { page: 1, perPage: 1 }, NEVER)).total
}

async function heldFiles(model: Model, { id }: FolderConfig): Promise<number> {
  const { held } = await model.guard(id)
  return held.reduce((sum, { deletions, truncations }) => sum + deletions + truncations, 0)
}

/** They are only counted where nothing removes them. */
async function versionsUsed(
  { extensions }: DeviceBase,
  model: Model,
  folder: FolderConfig,
): Promise<FolderFacts['versions']> {
  if (!isEverlasting({ config: folder, extensions: folderExtensions(extensions.current, folder.id) })) return undefined
  return await model.versionsUsed(folder.id)
}

async function changedCount(model: Model, { id }: FolderConfig): Promise<number> {
  const { receiveOnlyChanged } = (model.statusNow(id) ?? (await model.status(id))).counts
  const { files, directories, symlinks, deleted } = receiveOnlyChanged
  return files + directories + symlinks + deleted
}

type DirectoryFacts = Pick<FolderFacts, 'root' | 'owner' | 'foldsCase' | 'foldsUnicode' | 'oldTemporaryFiles'>

const NOT_FOUND: DirectoryFacts = {
  root: undefined,
  owner: undefined,
  foldsCase: undefined,
  foldsUnicode: undefined,
  oldTemporaryFiles: 0,
}

async function directoryFacts(
  { platform, options, config }: DeviceBase,
  folder: FolderConfig,
): Promise<DirectoryFacts> {
  const { disk, clock } = platform
  const root = await disk.realPath(folderRoot(folder, options.locations.userHome))
  const { userId, mode } = await disk.stat(root)
  const names = (await disk.list(root)).slice(0, NAMES_MAX).map(({ name }) => name)
  const accented = names.find((name) => name.normalize('NFC') !== name.normalize('NFD'))
  const keptMs = config.current.options.keepTemporariesH * HOUR_MS
  return {
    root,
    owner: { userId, mode },
    foldsCase: await isSameItem(disk, root, folder.markerName, folder.markerName.toUpperCase()),
    foldsUnicode:
      accented === undefined
        ? undefined
        : await isSameItem(disk, root, accented.normalize('NFC'), accented.normalize('NFD')),
    oldTemporaryFiles: await countOlder(disk, root, names.filter(isTemporary), clock.nowMs() - keptMs),
  }
}

/** Whether two names lead to one item; undefined where they are equal, or neither is there. */
async function isSameItem(disk: Disk, root: string, one: string, other: string): Promise<boolean | undefined> {
  if (one === other) return undefined
  const [a, b] = await Promise.all([one, other].map((name) => disk.lstat(join(root, name)).catch(() => undefined)))
  if (a === undefined && b === undefined) return undefined
  return a !== undefined && b !== undefined && a.inode === b.inode && a.deviceId === b.deviceId
}

async function countOlder(disk: Disk, root: string, names: readonly string[], beforeMs: number): Promise<number> {
  let count = 0
  for (const name of names.slice(0, TEMPORARY_MAX)) {
    const stat = await disk.lstat(join(root, name)).catch(() => undefined)
    if (stat !== undefined && stat.modifiedS * 1_000 < beforeMs) count++
  }
  return count
}
