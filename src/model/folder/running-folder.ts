import { isAbsolute, join, resolve } from 'node:path'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { supervise, type Service } from '../../sync/supervisor.ts'
import type { RunningFolderDeps, RunningFolderOptions } from '../deps.ts'
import { FOLDER_POLICIES, type FolderPolicy } from '../state/folder-policy.ts'
import { FolderRunner } from './folder-runner.ts'
import { FolderWatch } from './folder-watch.ts'
import { FolderOnDisk } from './folder-work.ts'
import { JobQueue } from '../state/job-queue.ts'
import type { PullProgress } from '../puller/file-progress.ts'
import type { FileVersion, FolderStatus } from '../types.ts'

/** Files queued for one folder at a time; the need list itself stays in the index. */
const JOBS_MAX = 100_000
const SCANNING = { waiting: 'scan-waiting', working: 'scanning' } as const

/** A folder that is not paused: its loop, watcher and job queue. */
export class RunningFolder {
  readonly runner: FolderRunner
  readonly jobs = new JobQueue(JOBS_MAX)
  readonly #deps: RunningFolderDeps
  readonly #watch: FolderWatch
  readonly #work: FolderOnDisk
  readonly #stop = new AbortController()
  readonly #folder: FolderConfig
  readonly #policy: FolderPolicy
  #done: Promise<unknown> = Promise.resolve()

  constructor(deps: RunningFolderDeps, options: RunningFolderOptions) {
    const { folder } = options
    const { clock, random, watcher } = deps.platform
    const root = folderRoot(folder, options.userHome)
    const log = deps.logger('model')
    this.#deps = deps
    this.#folder = folder
    this.#policy = FOLDER_POLICIES[folder.type]
    this.#watch = new FolderWatch(
      { clock, watcher, events: deps.events, log: deps.logger('scanner') },
      { folder, root, onPaths: (paths) => this.runner.pathsChanged(paths), onLost: () => this.runner.scanSoon() },
    )
    const work = new FolderOnDisk(deps, { ...options, root, jobs: this.jobs })
    this.#work = work
    this.runner = new FolderRunner(
      {
        clock,
        random,
        events: deps.events,
        log,
        slots: deps.slots,
        pullSlots: deps.pullSlots,
        work,
        watch: this.#watch,
      },
      {
        folder: folder.id,
        rescanIntervalMs: folder.rescanIntervalS * 1_000,
        pullPauseMs: folder.pullerPauseS * 1_000,
        cleanIntervalMs: work.versions.cleanIntervalMs,
      },
    )
  }

  start(): void {
    this.#done = Promise.all([this.#supervise(this.runner), this.#supervise(this.#watch)])
  }

  /** Schedules a pull, after index updates or a new connection. */
  pullSoon(): void {
    this.runner.pullSoon()
  }

  /** Resolves when the local state has become the global one. No-op unless the folder type allows it. */
  async override(): Promise<void> {
    if (!this.#policy.canOverride) return
    await this.runner.perform({ states: SCANNING, run: (check, signal) => this.#work.override(check, signal) })
  }

  /**
   * Resolves when local changes are reverted, except for items that must be pulled. No-op unless the folder type allows
   * it.
   */
  async revert(): Promise<void> {
    if (!this.#policy.canRevert) return
    await this.runner.perform({
      states: SCANNING,
      run: async (check, signal) => this.#scanLater(await this.#work.revert(check, signal)),
    })
  }

  /** By path, newest first. Rejects with `folder-error` where the folder keeps no versions. */
  async versions(): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    return await this.#work.versions.list(this.#stop.signal)
  }

  /** The map holds a message for each version that could not be restored. */
  async restoreVersions(wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>> {
    await this.#work.versions.require()
    let failures: ReadonlyMap<string, string> = new Map()
    const run = async (_check: unknown, signal: AbortSignal): Promise<void> => {
      failures = await this.#work.restore(wanted, signal)
      this.#scanLater([...wanted.keys()].filter((name) => !failures.has(name)))
    }
    await this.runner.perform({ states: SCANNING, run })
    return failures
  }

  #scanLater(names: readonly string[]): void {
    if (names.length > 0) this.runner.pathsChanged(names)
  }

  get isPulling(): boolean {
    return this.#work.isPulling
  }

  /** Progress of the files being pulled, by name. */
  get pulling(): ReadonlyMap<string, PullProgress> {
    return this.#work.pulling
  }

  /** Resolves when all tasks of the folder have ended; pending scan requests are rejected. */
  async stop(): Promise<void> {
    this.#stop.abort(new TwinfoldError('stopped', 'context canceled'))
    await this.#done
  }

  status(): Omit<FolderStatus, 'sequence' | 'remoteSequences' | 'counts'> {
    const { state } = this.runner
    return {
      state: state.name,
      stateChangedMs: state.changedMs,
      error: state.error,
      errorCount: this.runner.problemCount,
      watchError: this.#watch.error,
      ignorePatterns: this.runner.ignorePatterns,
    }
  }

  #supervise(service: Service): Promise<void> {
    const onFailure = (error: unknown) => {
      this.#deps
        .logger('model')
        .error(`folder ${this.#folder.id}: ${service.name} failed and restarts: ${messageOf(error)}`)
      this.#deps.events.emit('Failure', `${service.name} failed: ${messageOf(error)}`)
    }
    return supervise(service, this.#deps.platform.clock, onFailure, this.#stop.signal)
  }
}

/**
 * The absolute path of a folder's root. A leading tilde is the user's home; relative paths start there too, not at the
 * daemon's working directory. An empty path stays empty and is rejected by the disk.
 */
export function folderRoot({ path }: Pick<FolderConfig, 'path'>, userHome: string): string {
  if (path.trim() === '') return ''
  if (path === '~') return resolve(userHome)
  if (path.startsWith('~/') || path.startsWith('~\\')) return join(resolve(userHome), path.slice(2))
  return isAbsolute(path) ? resolve(path) : join(resolve(userHome), path)
}
