import { hash } from 'node:crypto'
import type { ConnectionsView } from '../../connections/types.ts'
import type { Config, FolderConfig } from '../../core/config/config.ts'
import type { Hub } from '../../model/model.ts'
import type { UsageReportJson } from '../../rest/diagnostics.ts'
import type { Clock } from '../../platform/clock.ts'
import { TIME_ZERO } from '../views/times.ts'
import type { FolderWorkView, SystemView, VersionFacts } from '../types.ts'
import { blockStats, ignoreStats, transportStats } from './usage-stats.ts'
import { versionJson } from '../views/version.ts'

const MIB = 1024 * 1024
const VERSION_NOW = 3
/** Long enough to compare machines, short enough not to delay the reply. */
const HASHED_BYTES = 8 * MIB

export interface UsageReportDeps {
  readonly clock: Clock
  readonly config: Config
  readonly hub: Pick<Hub, 'status' | 'ignores'>
  readonly system: SystemView
  readonly connections?: ConnectionsView
  readonly folderWork?: FolderWorkView
}

/** Facts without names: no ids, no paths, no labels. It is only shown here and never sent. */
export async function usageReport(
  deps: UsageReportDeps,
  facts: VersionFacts,
  { version = VERSION_NOW, uptimeS }: { readonly version: number | undefined; readonly uptimeS: number },
): Promise<UsageReportJson> {
  const { config, system } = deps
  const shown = versionJson(facts)
  const sizes = await folderSizes(deps)
  const speed = hashSpeed(deps.clock)
  const report = {
    version: facts.version,
    longVersion: shown.longVersion,
    platform: `${shown.os}-${shown.arch}`,
    numFolders: config.folders.length,
    numDevices: config.devices.length,
    totFiles: sum(sizes.map(({ files }) => files)),
    folderMaxFiles: sizes.reduce((most, { files }) => Math.max(most, files), 0),
    totMiB: Math.floor(sum(sizes.map(({ bytes }) => bytes)) / MIB),
    folderMaxMiB: Math.floor(sizes.reduce((most, { bytes }) => Math.max(most, bytes), 0) / MIB),
    memoryUsageMiB: Math.floor(system.memoryBytes().reservedBytes / MIB),
    sha256Perf: speed,
    hashPerf: speed,
    memorySize: Math.floor(system.memorySizeBytes / MIB),
    processRSSMiB: Math.floor(system.process.figures().residentBytes / MIB),
    urVersion: version,
    numCPU: system.cpuCount,
    folderUses: folderUses(config.folders),
    deviceUses: deviceUses(config),
    announce: {
      ...counted(
        'defaultServersDNS',
        config.options.globalAnnounceServers.filter((server) => server.startsWith('default')),
      ),
    },
    relays: {},
    rescanIntvs: config.folders.map(({ rescanIntervalS }) => rescanIntervalS).sort((a, b) => a - b),
  }
  const rest = { received: TIME_ZERO, ...UNKNOWN_HERE }
  if (version < 3) {
    return {
      ...report,
      folderUsesV3: {},
      deviceUsesV3: {},
      guiStats: {},
      blockStats: {},
      ignoreStats: {},
      ...rest,
    }
  }
  return {
    ...report,
    uptime: uptimeS,
    natType: 'unknown',
    progressEmitterEnabled: config.options.progressUpdateIntervalS > 0,
    ...(config.options.limitBandwidthInLan && { limitBandwidthInLan: true }),
    customDefaultFolderPath: config.defaults.folder.path !== '~',
    customStunServers: config.options.stunServers.some((server) => server !== 'default'),
    folderUsesV3: folderUsesV3(config.folders),
    deviceUsesV3: counted(
      'untrusted',
      config.devices.filter(({ untrusted }) => untrusted),
    ),
    guiStats: guiStats(config),
    blockStats: blockStats(deps.folderWork?.().values() ?? []),
    transportStats: transportStats(deps.connections?.status()),
    ignoreStats: ignoreStats(await ignoreLines(deps)),
    ...rest,
  }
}

/** Fields that only a server which collects reports would fill. */
const UNKNOWN_HERE = {
  os: '',
  arch: '',
  compiler: '',
  builder: '',
  distribution: '',
  country: '',
  countryCode: '',
  majorVersion: '',
}

async function folderSizes({ config, hub }: UsageReportDeps): Promise<readonly { files: number; bytes: number }[]> {
  const running = config.folders.filter(({ paused }) => !paused)
  // A folder with an error is not counted.
  const statuses = await Promise.all(running.map(({ id }) => hub.status(id).catch(() => undefined)))
  return statuses.map((status) => ({
    files: status?.counts.global.files ?? 0,
    bytes: status?.counts.global.bytes ?? 0,
  }))
}

async function ignoreLines({ config, hub }: UsageReportDeps): Promise<readonly string[]> {
  const views = await Promise.all(config.folders.map(({ id }) => hub.ignores(id)))
  return views.flatMap(({ ignore }) => ignore ?? [])
}

/** MiB per second, to two digits. */
function hashSpeed(clock: Clock): number {
  const block = new Uint8Array(HASHED_BYTES)
  const startedMs = clock.monotonicMs()
  hash('sha256', block, 'buffer')
  const passedS = Math.max(0.001, (clock.monotonicMs() - startedMs) / 1_000)
  return Math.round((HASHED_BYTES / MIB / passedS) * 100) / 100
}

function folderUses(folders: readonly FolderConfig[]): Record<string, number> {
  return {
    ...counts(folders.map(({ type }) => type)),
    ...counted(
      'ignorePerms',
      folders.filter(({ ignorePerms }) => ignorePerms),
    ),
    ...counted(
      'ignoreDelete',
      folders.filter(({ ignoreDelete }) => ignoreDelete),
    ),
    ...counted(
      'autoNormalize',
      folders.filter(({ autoNormalize }) => autoNormalize),
    ),
    ...counts(
      folders
        .map(({ versioning }) => versioning.type)
        .filter((type) => type !== '')
        .map((type) => `${type}Versioning`),
    ),
  }
}

function deviceUses({ devices }: Config): Record<string, number> {
  const dynamic = devices.filter(({ addresses }) => addresses.includes('dynamic'))
  return {
    ...counted(
      'introducer',
      devices.filter(({ introducer }) => introducer),
    ),
    ...counted(
      'customCertName',
      devices.filter(({ certName }) => certName !== '' && certName !== 'syncthing'),
    ),
    ...counts(devices.map(({ compression }) => `compress${compression[0]!.toUpperCase()}${compression.slice(1)}`)),
    ...counted('dynamicAddr', dynamic),
    ...counted(
      'staticAddr',
      devices.filter((device) => !dynamic.includes(device)),
    ),
  }
}

function folderUsesV3(
  folders: readonly FolderConfig[],
): Record<string, number | readonly number[] | Record<string, number>> {
  if (folders.length === 0) return {}
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
  return {
    ...counted(
      'conflictsDisabled',
      folders.filter(({ maxConflicts }) => maxConflicts === 0),
    ),
    ...counted(
      'conflictsUnlimited',
      folders.filter(({ maxConflicts }) => maxConflicts < 0),
    ),
    ...counted(
      'conflictsOther',
      folders.filter(({ maxConflicts }) => maxConflicts > 0),
    ),
    ...counted(
      'disableSparseFiles',
      folders.filter(({ disableSparseFiles }) => disableSparseFiles),
    ),
    ...counted(
      'fsWatcherEnabled',
      folders.filter(({ fsWatcherEnabled }) => fsWatcherEnabled),
    ),
    pullOrder: counts(folders.map(({ order }) => order)),
    filesystemType: counts(folders.map(({ filesystemType }) => filesystemType)),
    fsWatcherDelays: sorted(folders.map(({ fsWatcherDelayS }) => fsWatcherDelayS)),
    modTimeWindowS: sorted(folders.map(({ modTimeWindowS }) => modTimeWindowS)),
    maxConcurrentWrites: sorted(folders.map(({ maxConcurrentWrites }) => maxConcurrentWrites)),
    blockPullOrder: counts(folders.map(({ blockPullOrder }) => blockPullOrder)),
    copyRangeMethod: counts(folders.map(({ copyRangeMethod }) => copyRangeMethod)),
  }
}

function guiStats({ gui }: Config): Record<string, number | Record<string, number>> {
  if (!gui.enabled) return {}
  const flag = (name: string, on: boolean) => (on ? { [name]: 1 } : {})
  return {
    enabled: 1,
    ...flag('useTLS', gui.useTLS),
    ...flag('useAuth', gui.user !== '' && gui.password !== ''),
    ...flag('debugging', gui.debugging),
    ...flag('insecureAdminAccess', gui.insecureAdminAccess),
    ...flag('insecureSkipHostCheck', gui.insecureSkipHostcheck),
    ...flag('insecureAllowFrameLoading', gui.insecureAllowFrameLoading),
    ...flag('listenLocal', /^(127\.|localhost|\[::1\]|\/|unix)/.test(gui.address)),
    ...flag('listenUnspecified', /^(0\.0\.0\.0|\[::\]|:)/.test(gui.address)),
    theme: { [gui.theme]: 1 },
  }
}

/** Omits zero counts. */
function counted(name: string, items: readonly unknown[]): Record<string, number> {
  return items.length === 0 ? {} : { [name]: items.length }
}

function counts(values: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, group]) => [value, group.length]))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
