import assert from 'node:assert/strict'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import type { EventMap, EventSink, EventType, Logger } from '../../../src/events/types.ts'
import { Folder } from '../../../src/model/folder/folder.ts'
import { Availability } from '../../../src/model/folder/availability.ts'
import type { FolderCheck } from '../../../src/model/folder/folder-checks.ts'
import { FolderKept } from '../../../src/model/folder/folder-kept.ts'
import { FolderProblems } from '../../../src/model/folder/folder-problems.ts'
import { FolderRequests } from '../../../src/model/folder/folder-requests.ts'
import type { FolderSelection } from '../../../src/model/folder/folder-selection.ts'
import { FolderState } from '../../../src/model/folder/folder-state.ts'
import { FolderTasks } from '../../../src/model/folder/folder-tasks.ts'
import { SharedIgnores } from '../../../src/model/folder/shared-ignores.ts'
import { Pulls } from '../../../src/model/folder/pulls.ts'
import type { ChangeOutcome, PullOutcome, PullRequest } from '../../../src/model/puller/puller.ts'
import { ModelSignals } from '../../../src/model/signals.ts'
import { FolderRoots } from '../../../src/model/state/folder-roots.ts'
import { PullShares } from '../../../src/model/state/pull-shares.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import { KeptFiles } from '../../../src/model/state/kept-files.ts'
import type { ScanProblem } from '../../../src/scanner/types.ts'
import { Semaphore } from '../../../src/sync/semaphore.ts'
import { SharedMutex } from '../../../src/sync/shared-mutex.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { FolderGuard } from '../../../src/model/state/folder-guard.ts'
import { GuardDecisions } from '../../../src/model/folder/guard-decisions.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS, KEPT_DIRECTORY, settle, simFolder } from '../../support/model.ts'

export const HOUR_MS = 3_600_000
const CHECK: FolderCheck = {
  root: { deviceId: 1n, inode: 1n },
  ignore: new IgnoreRules([]),
  caseInsensitive: false,
  atMs: 0,
}

interface Scanned {
  readonly atMs: number
  readonly subs: readonly string[]
}

/** The checks, scans, pulls and clean-ups of a folder; the test controls their duration and errors. */
export class FakeDisk {
  readonly scans: Scanned[] = []
  readonly clock: SimClock
  health: Error | undefined
  scanError: Error | undefined
  pullError: Error | undefined
  problems: readonly ScanProblem[] = []
  durationMs = 0
  needed = false
  pullMs = 0
  readonly pulls: number[] = []
  readonly cleanings: number[] = []
  cleanError: Error | undefined
  outcome: PullOutcome = { problems: [], rescan: [], complete: true }
  readonly progress = new Map()

  constructor(clock: SimClock) {
    this.clock = clock
  }

  async prepare(): Promise<void> {}

  async check(): Promise<FolderCheck> {
    if (this.health !== undefined) throw this.health
    return CHECK
  }

  async checkAgain(): Promise<void> {
    await this.check()
  }

  async place(): Promise<undefined> {}

  async scan(subs: readonly string[], _check: FolderCheck, signal: AbortSignal) {
    this.scans.push({ atMs: this.clock.monotonicMs(), subs })
    if (this.durationMs > 0) await this.clock.sleep(this.durationMs, signal)
    if (this.scanError !== undefined) throw this.scanError
    return { changed: 0, problems: this.problems, itemsSeen: 0, bytesHashed: 0 }
  }

  cleanIntervalMs = 0

  isClean = false

  async isCleanDue(): Promise<boolean> {
    return !this.isClean
  }

  async clean(): Promise<void> {
    this.cleanings.push(this.clock.monotonicMs())
    if (this.cleanError !== undefined) throw this.cleanError
  }

  async require(): Promise<never> {
    throw new TwinfoldError('folder-error', 'folder has no versioner')
  }

  async restore(): Promise<ChangeOutcome> {
    return { failures: new Map(), rescan: [] }
  }

  async rewind(): Promise<never> {
    throw new Error('nothing is rewound')
  }

  async deleteKept(): Promise<ChangeOutcome> {
    return { failures: new Map(), rescan: [] }
  }

  async override(): Promise<void> {}

  async overrideItems(): Promise<void> {}

  async refetch() {
    return { failures: new Map<string, string>(), rescan: [], refetched: [] }
  }

  async isNeeded(): Promise<boolean> {
    return this.needed
  }

  async flush(): Promise<void> {}

  async resolveConflicts(): Promise<ChangeOutcome> {
    return { failures: new Map(), rescan: [] }
  }

  async undoConflicts(): Promise<ChangeOutcome> {
    return { failures: new Map(), rescan: [] }
  }

  async revert(): Promise<ChangeOutcome> {
    return { failures: new Map(), rescan: [] }
  }

  async drop(): Promise<ReadonlyMap<string, string>> {
    return new Map()
  }

  async pull({ onPhase }: PullRequest, signal: AbortSignal): Promise<PullOutcome> {
    this.pulls.push(this.clock.monotonicMs())
    onPhase('sync-preparing')
    onPhase('syncing')
    if (this.pullMs > 0) await this.clock.sleep(this.pullMs, signal)
    if (this.pullError !== undefined) throw this.pullError
    return this.outcome
  }
}

interface Setup {
  readonly intervalMs?: number
  readonly cleanMs?: number
  readonly seed?: number
  readonly slots?: Semaphore
  readonly clock?: SimClock
  readonly arrange?: (disk: FakeDisk) => void
}

function availabilityFor(clock: SimClock): Availability {
  const roots = new FolderRoots({ clock, random: new SimRandom(1) })
  return new Availability({ roots, signals: new ModelSignals() }, DOCS, '/data/docs')
}

function logInto(warnings: string[]): Logger {
  return {
    facility: 'model',
    debug: (line) => void line(),
    info: () => {},
    warn: (line) => warnings.push(line),
    error: (line) => warnings.push(line),
  }
}

const NO_CLONES = { update: async () => {}, requirePossible: async () => {} }
const SELECTION: Pick<FolderSelection, 'beforePull' | 'beforeScan' | 'select'> = {
  beforePull: async (check) => check,
  beforeScan: async (scope, check) => ({ scope, check }),
  select: async () => new Map(),
}
const UNUSED = {
  selection: SELECTION,
  clones: NO_CLONES,
  merging: { update: async () => {}, offer: async () => assert.fail('no merges') },
}

function guardOff(clock: SimClock, events: EventSink, log: Logger): FolderGuard {
  return new FolderGuard(
    {
      clock,
      disk: new SimDisk(clock),
      keyValue: { get: async () => undefined, set: async () => {} },
      events,
      log,
      index: () => Promise.reject(new Error('the guard is off')),
      isEnabled: () => false,
    },
    { folder: DOCS, root: '/data/docs', devices: [], hasTrash: false, isEncrypted: false },
  )
}

/** A folder that runs on a fake disk; `end` stops it and checks that no timer is left. */
export function start(setup: Setup = {}) {
  const clock = setup.clock ?? new SimClock()
  const disk = new FakeDisk(clock)
  disk.cleanIntervalMs = setup.cleanMs ?? 0
  setup.arrange?.(disk)
  const trace: string[] = []
  const events: [EventType, unknown][] = []
  const sink: EventSink = {
    emit: <K extends EventType>(type: K, data: EventMap[K]) => {
      events.push([type, data])
      trace.push(`${clock.monotonicMs()} ${type} ${JSON.stringify(data)}`)
    },
  }
  const warnings: string[] = []
  const log = logInto(warnings)
  const watched: string[] = []
  const requests = new FolderRequests()
  const state = new FolderState({ clock, events: sink }, DOCS)
  const problems = new FolderProblems({ events: sink, log }, DOCS)
  const guard = guardOff(clock, sink, log)
  const shared = { ...UNUSED, clock, log, requests, state, problems, checks: disk, guard }
  const pulls = new Pulls(
    {
      ...shared,
      puller: disk,
      slots: new Semaphore(1),
      pullShares: new PullShares(clock, () => 0),
      folderLock: new SharedMutex(),
      signals: new ModelSignals(),
    },
    { folder: DOCS, pauseMs: 0 },
  )
  const folder = new Folder(
    {
      ...shared,
      pulls,
      events: sink,
      work: disk,
      jobs: new JobQueue(10),
      random: new SimRandom(setup.seed ?? 1),
      slots: setup.slots ?? new Semaphore(1),
      availability: availabilityFor(clock),
      kept: new FolderKept(
        {
          requests,
          pulls,
          kept: new KeptFiles({ disk: new SimDisk(clock), log }, { folder: DOCS, directory: KEPT_DIRECTORY }),
        },
        { type: 'sendreceive' },
      ),
      guarding: new GuardDecisions({ guard, requests, pulls, work: disk, isEnabled: () => false }, simFolder('docs')),
      sharedIgnores: new SharedIgnores(
        {
          disk: new SimDisk(clock),
          keyValue: { get: async () => undefined, set: async () => {} },
          isEnabled: () => false,
        },
        { folder: DOCS, root: '/data/docs' },
      ),
      tasks: new FolderTasks({ ...shared, pulls, versions: disk, work: disk }, { type: 'sendreceive' }),
      watch: {
        name: 'watch',
        error: '',
        run: async () => {},
        follow: async () => void watched.push('follow'),
        stop: () => watched.push('stop'),
      },
    },
    simFolder('docs', { rescanIntervalS: (setup.intervalMs ?? HOUR_MS) / 1_000 }),
  )
  const stop = new AbortController()
  const done = folder.run(stop.signal)
  const states = () =>
    events
      .filter(([type]) => type === 'StateChanged')
      .map(([, data]) => {
        const { from, to } = data as EventMap['StateChanged']
        return `${from}→${to}`
      })
  const end = async () => {
    stop.abort()
    await done
    await settle()
    assert.equal(clock.sleepingCount, 0, 'a timer is still pending after the stop')
  }
  const parts = { clock, disk, folder, pulls, requests, state, problems }
  return { ...parts, events, trace, warnings, watched, states, stop, done, end }
}
