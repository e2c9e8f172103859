import { isAbsolute, join, resolve } from 'node:path'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { FolderConfig } from '../core/config.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import type { RunningFolderDeps, RunningFolderOptions } from './deps.ts'
import { FolderRunner } from './folder-runner.ts'
import { FolderWatch } from './folder-watch.ts'
import { FolderOnDisk } from './folder-work.ts'
import { JobQueue } from './job-queue.ts'
import type { PullProgress } from './puller/file-progress.ts'
import type { FolderStatus } from './types.ts'

/** Files queued for one folder at a time; the need list itself stays in the index. */
const JOBS_MAX = 100_000

/** A folder that is not paused: its loop, its watcher, its queue. */
export class RunningFolder {
  readonly runner: FolderRunner
  readonly jobs = new JobQueue(JOBS_MAX)
  readonly #deps: RunningFolderDeps
  readonly #watch: FolderWatch
  readonly #work: FolderOnDisk
  readonly #stop = new AbortController()
  readonly #folder: FolderConfig
  #done: Promise<unknown> = Promise.resolve()

  constructor(deps: RunningFolderDeps, options: RunningFolderOptions) {
    const { folder } = options
    const { clock, random, watcher } = deps.world
    const root = folderRoot(folder, options.userHome)
    const log = deps.logger('model')
    this.#deps = deps
    this.#folder = folder
    this.#watch = new FolderWatch(
      { clock, watcher, events: deps.events, log: deps.logger('scanner') },
      { folder, root, onPaths: (paths) => this.runner.pathsChanged(paths), onLost: () => this.runner.scanSoon() },
    )
    const work = new FolderOnDisk(deps, { ...options, root, jobs: this.jobs })
    this.#work = work
    this.runner = new FolderRunner(
      { clock, random, events: deps.events, log, slots: deps.slots, pullSlots: deps.pullSlots, work, watch: this.#watch },
      { folder: folder.id, rescanIntervalMs: folder.rescanIntervalS * 1_000, pullPauseMs: folder.pullerPauseS * 1_000 },
    )
  }

  start(): void {
    this.#done = Promise.all([this.#supervise(this.runner), this.#supervise(this.#watch)])
  }

  /** Another device has something new, or has come: look what can be pulled. */
  pullSoon(): void {
    this.runner.pullSoon()
  }

  /** The files that are being pulled at this moment, by name. */
  get pulling(): ReadonlyMap<string, PullProgress> {
    return this.#work.pulling
  }

  /** Resolves when nothing of the folder runs any more; whoever waits for a scan is told. */
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
      this.#deps.logger('model').error(`folder ${this.#folder.id}: ${service.name} failed and starts again: ${messageOf(error)}`)
      this.#deps.events.emit('Failure', `${service.name} failed: ${messageOf(error)}`)
    }
    return supervise(service, this.#deps.world.clock, onFailure, this.#stop.signal)
  }
}

/**
 * The absolute path of a folder's root. A leading tilde is the user's home, and so is what a relative path starts from:
 * where the daemon was started is an accident. No path stays none; the disk refuses it.
 */
export function folderRoot({ path }: Pick<FolderConfig, 'path'>, userHome: string): string {
  if (path.trim() === '') return ''
  if (path === '~') return resolve(userHome)
  if (path.startsWith('~/') || path.startsWith('~\\')) return join(resolve(userHome), path.slice(2))
  return isAbsolute(path) ? resolve(path) : join(resolve(userHome), path)
}
