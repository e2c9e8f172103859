import { hash } from 'node:crypto'
import { joinPath } from '../../core/paths.ts'
import type { FolderId } from '../../core/ids.ts'
import { shortIdOf } from '../../core/device-id.ts'
import { versionPolicy } from '../../core/records/version-policy.ts'
import type { FolderPartsDeps, FolderPartsOptions } from '../deps.ts'
import { Puller } from '../puller/puller.ts'
import { CounterFloor } from '../state/counter-floor.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import { FolderGuard } from '../state/folder-guard.ts'
import { mergeRulesOf } from '../../core/merge/rules.ts'
import { MergeBases } from '../state/merge-bases.ts'
import { JobQueue } from '../state/job-queue.ts'
import { KeptFiles } from '../state/kept-files.ts'
import { Availability } from './availability.ts'
import { ChangePublisher } from './change-publisher.ts'
import { Folder } from './folder.ts'
import { FolderChecks } from './folder-checks.ts'
import { FolderKept } from './folder-kept.ts'
import { FolderMounts } from './folder-mounts.ts'
import { FolderProblems } from './folder-problems.ts'
import { FolderRequests } from './folder-requests.ts'
import { folderRoot } from '../../core/config/folder-root.ts'
import { FolderSelection } from './folder-selection.ts'
import { FolderState } from './folder-state.ts'
import { FolderTasks } from './folder-tasks.ts'
import { FolderVersions } from './folder-versions.ts'
import { FolderWatch } from './folder-watch.ts'
import { GuardDecisions } from './guard-decisions.ts'
import { LocalClones } from './local-clones.ts'
import { LazyAttributes } from './lazy-attributes.ts'
import { MergeKeeper } from './merge-keeper.ts'
import { MergeProgram } from './merge-program.ts'
import { Pulls } from './pulls.ts'
import { ScanWork } from './scan-work.ts'
import { SelectionFile } from './selection-file.ts'
import { SharedIgnores } from './shared-ignores.ts'
import { SHARED_IGNORES_NAME } from '../../core/ignore/shared-ignores.ts'

/** Files queued for one folder at a time; further ones are queued when these are pulled. */
const JOBS_MAX = 10_000

/** Everything that the parts of one folder share; made before them. */
function sharedParts(deps: FolderPartsDeps, options: FolderPartsOptions) {
  const { events, platform, store } = deps
  const { folder, keptDirectory, ownDevice, userHome } = options
  const otherDevices = folder.devices.map(({ deviceID }) => deviceID).filter((device) => device !== ownDevice)
  const root = folderRoot(folder, userHome)
  const ownShortId = shortIdOf(ownDevice)
  const log = deps.logger('model')
  const { clock, disk } = platform
  const { keyValue } = store
  const isEnabled = () => FOLDER_POLICIES[folder.type].hasIgnores && deps.extensions(folder.id).sharedIgnores
  const sharedIgnores = new SharedIgnores({ disk, keyValue, isEnabled }, { folder: folder.id, root })
  const guard = new FolderGuard(
    {
      clock,
      disk,
      keyValue,
      events,
      log,
      index: () => store.folder(folder.id),
      isEnabled: () => deps.extensions(folder.id).guard,
    },
    {
      folder: folder.id,
      root,
      devices: otherDevices,
      hasTrash: versionPolicy(folder.versioning) !== undefined,
      isEncrypted: folder.type === 'receiveencrypted',
    },
  )
  const versions = new FolderVersions(
    { ...platform, logger: deps.logger },
    {
      folder,
      root,
      userHome,
      versionsPercentMax: () => deps.extensions(folder.id).versionsPercentMax,
      isFrozen: () => guard.keepsVersions,
    },
  )
  const clones = new LocalClones(
    {
      disk,
      log,
      index: () => store.folder(folder.id),
      versioner: () => versions.versioner(),
      isEnabled: () => deps.extensions(folder.id).archiveLocal,
    },
    { folder, root },
  )
  return {
    merging: makeMergeKeeper(deps, options, root),
    sharedIgnores,
    root,
    ownShortId,
    log,
    jobs: new JobQueue(JOBS_MAX),
    folderLock: deps.roots.lock(folder.id),
    requests: new FolderRequests(),
    state: new FolderState({ clock, events }, folder.id),
    mounts: new FolderMounts({ disk, keyValue: store.keyValue }, folder.id, root),
    problems: new FolderProblems({ events, log }, folder.id),
    checks: new FolderChecks(
      { clock, disk, store, sharedIgnores, options: () => deps.options() },
      { ...options, root },
    ),
    counts: new CounterFloor(
      {
        keyValue: store.keyValue,
        exchange: async () => (await store.folder(folder.id)).exchange,
        continuity: deps.roots.continuity(folder.id),
      },
      { folder: folder.id, ownShortId, otherDevices },
    ),
    kept: new KeptFiles({ disk, log }, { folder: folder.id, directory: keptDirectory }),
    guard,
    versions,
    clones,
    attributes: new LazyAttributes(
      { attributes: platform.attributes, disk, log, platform: platform.system.platform },
      { folder, root, ownShortId },
    ),
    publisher: new ChangePublisher(
      { ...deps, clock, platform: platform.system.platform, label: () => deps.label() },
      { folder: folder.id, ownShortId },
    ),
  }
}

function makeMergeKeeper(deps: FolderPartsDeps, options: FolderPartsOptions, root: string): MergeKeeper {
  const { platform, store } = deps
  const { databaseDirectory, folder } = options
  const log = deps.logger('model')
  return new MergeKeeper(
    {
      bases: new MergeBases(store.bases, folder.id, log),
      disk: platform.disk,
      log,
      program: new MergeProgram({ ...platform, log }, joinPath(databaseDirectory, mergeDirectory(folder.id))),
      rules: () => mergeRulesOf(deps.extensions(folder.id)),
      index: () => store.folder(folder.id),
    },
    { folder, root },
  )
}

/** Of this folder alone. */
function mergeDirectory(folder: FolderId): string {
  return `merge-${hash('sha256', folder, 'hex')}`
}

type SharedParts = ReturnType<typeof sharedParts>

/** A folder with its parts, ready to start. */
export function openFolder(deps: FolderPartsDeps, options: FolderPartsOptions): Folder {
  const { platform, events, roots, signals, slots } = deps
  const { clock, random, watcher } = platform
  const { folder } = options
  const parts = sharedParts(deps, options)
  const { root, log, requests, versions } = parts
  const selection = makeSelection(deps, options, parts)
  const pulls = new Pulls(
    {
      ...parts,
      selection,
      clock,
      signals,
      slots: deps.pullSlots,
      pullShares: deps.pullShares,
      puller: makePuller(deps, options, parts),
    },
    { folder: folder.id, pauseMs: folder.pullerPauseS * 1_000 },
  )
  const work = new ScanWork({ ...deps, ...parts, pulls }, { folder, root })
  const tasks = new FolderTasks({ ...parts, versions, pulls, work, selection }, folder)
  const kept = new FolderKept({ kept: parts.kept, requests, pulls }, folder)
  const isEnabled = () => deps.extensions(folder.id).guard
  const guarding = new GuardDecisions({ guard: parts.guard, requests, work, pulls, isEnabled }, folder)
  const watch = new FolderWatch({ clock, watcher, events, requests, log }, { folder, root })
  const availability = new Availability({ roots, signals }, folder.id, root)
  const own = { availability, guarding, kept, selection, work, pulls, tasks, watch }
  return new Folder({ ...parts, ...own, clock, random, events, log, slots }, folder)
}

function makeSelection(
  { platform, roots, store }: FolderPartsDeps,
  { folder }: FolderPartsOptions,
  { checks, log, root }: SharedParts,
): FolderSelection {
  const { clock, disk, system } = platform
  const writing = roots.ignoreWriter(folder.id)
  const file = new SelectionFile({ disk, platform: system.platform, writing }, root)
  const index = () => store.folder(folder.id)
  return new FolderSelection({ clock, disk, log, file, checks, index }, { folder: folder.id, root })
}

function makePuller(deps: FolderPartsDeps, { folder, ownDevice }: FolderPartsOptions, parts: SharedParts): Puller {
  const { events, platform, statistics, store } = deps
  const limited = deps.folderRates?.limit(folder.id, deps.sources) ?? deps.sources
  const sources = deps.pullShares.limit(folder.id, limited)
  const { attributes, counts, folderLock, guard, jobs, kept, log, merging } = parts
  const { publisher, requests, root, sharedIgnores, versions } = parts
  return new Puller(
    {
      platform,
      sources,
      events,
      log,
      jobs,
      folderLock,
      counts,
      kept,
      guard,
      merging,
      collects: () => FOLDER_POLICIES[folder.type].mayCollect && deps.extensions(folder.id).collect,
      index: () => store.folder(folder.id),
      label: () => deps.label(),
      otherFolders: () => deps.otherFolders(),
      ...(attributes.areSet && { attributes: () => attributes.load() }),
      versioner: () => versions.versioner(),
      rewindVersioner: () => versions.forRewind(),
      pastVersions: () => versions.past(),
      onChangedHere: async (records, sequence) => {
        merging.stored(records)
        publisher.publishLocal({ records, sequence })
      },
      onStored: async (batch, sequence) => {
        guard.stored(batch)
        merging.stored(batch)
        await publisher.publishPulled(batch, sequence)
        if (sharedIgnores.isEnabled && batch.some(({ name }) => name === SHARED_IGNORES_NAME)) requests.scanSoon()
      },
      onArrived: (source, sizeBytes) => statistics.work.countPulled(folder.id, source, sizeBytes),
      onConflict: () => statistics.work.countConflict(folder.id),
    },
    { folder, root, ownDevice },
  )
}
