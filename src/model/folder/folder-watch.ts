import { messageOf } from '../../core/errors.ts'
import { scanScope, isNormal, parentOf } from '../../core/paths.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import { Aggregate, aggregateDelays } from '../../scanner/aggregate.ts'
import type { Service } from '../../sync/supervisor.ts'
import { LinkedAbort } from '../../sync/linked-abort.ts'
import { slept } from '../../sync/slept.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import type { Watcher, WatchEvent } from '../../platform/watch.ts'
import type { FolderTreeOptions } from '../tree/folder-tree.ts'
import type { FolderRequests } from './folder-requests.ts'

const RETRY_DELAY_MS_MIN = 60_000
const RETRY_DELAY_MS_MAX = 3_600_000
/** Time limit for the start of the watcher, which walks the whole tree first, before a scan runs without it. */
const START_WAIT_MS = 5_000

export interface FolderWatchDeps {
  readonly clock: Clock
  readonly watcher: Watcher
  readonly events: EventSink
  readonly log: Logger
  /** Receives the changed paths, and a full scan when changes may have been missed. */
  readonly requests: Pick<FolderRequests, 'scanPaths' | 'scanSoon'>
}

/** One watch request; aborted when the patterns change or the folder is in error. */
interface Session {
  readonly key: string
  readonly ignoreLines: readonly string[]
  readonly stop: AbortController
  /** Resolves when the tree is being watched or watching has failed. */
  readonly settled: PromiseWithResolvers<void>
  /** The start timed out: a scan has begun without the watcher. */
  late: boolean
}

/** Watches the files of one folder while the folder is healthy, and retries after failures. */
export class FolderWatch implements Service {
  readonly name: string
  readonly #deps: FolderWatchDeps
  readonly #options: Omit<FolderTreeOptions, 'ownDevice'>
  readonly #wakeup = new Wakeup()
  #session: Session | undefined
  #place = ''
  #error = ''
  #retryDelayMs = RETRY_DELAY_MS_MIN

  constructor(deps: FolderWatchDeps, options: Omit<FolderTreeOptions, 'ownDevice'>) {
    this.#deps = deps
    this.#options = options
    this.name = `model/watch/${options.folder.id}`
  }

  /** Why the folder is not watched although it should be; otherwise empty. */
  get error(): string {
    return this.#error
  }

  /**
   * Called before every scan, so that no change after it is missed. Resolves when the folder is watched, when watching
   * failed or when the signal aborts. Unchanged lines have no effect. `place` identifies what is mounted at and below
   * the root: watches do not follow a file system that is mounted again. Undefined leaves it as it was.
   */
  async follow(ignoreLines: readonly string[], place: string | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#options.folder.fsWatcherEnabled || signal.aborted) return
    this.#place = place ?? this.#place
    const key = JSON.stringify([ignoreLines, this.#place])
    if (this.#session?.key === key) return
    this.stop()
    const session: Session = {
      key,
      ignoreLines,
      stop: new AbortController(),
      settled: Promise.withResolvers<void>(),
      late: false,
    }
    this.#session = session
    this.#wakeup.ring()
    await this.#untilSettled(session, signal)
  }

  async #untilSettled(session: Session, signal: AbortSignal): Promise<void> {
    using alarm = new LinkedAbort(signal)
    const timeUp = slept(this.#deps.clock, START_WAIT_MS, alarm.signal).then((isOver) => void (session.late ||= isOver))
    await Promise.race([session.settled.promise, timeUp])
  }

  /** The folder is in error: no watching until `follow`. */
  stop(): void {
    this.#session?.stop.abort()
    this.#session?.settled.resolve()
    this.#session = undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    if (!this.#options.folder.fsWatcherEnabled) return
    const onAbort = () => this.stop()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      for (;;) {
        await this.#wakeup.wait(signal)
        for (let session = this.#session; session !== undefined; session = this.#next(session))
          await this.#keepWatching(session)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** The watch request that arrived while another one was active. */
  #next(done: Session): Session | undefined {
    return this.#session === done ? undefined : this.#session
  }

  /** Returns when the session is over. */
  async #keepWatching(session: Session): Promise<void> {
    while (!session.stop.signal.aborted) {
      try {
        await this.#watchOnce(session)
      } catch (error) {
        session.settled.resolve()
        if (session.stop.signal.aborted) return
        this.#failed(messageOf(error))
        await this.#deps.clock.sleep(this.#retryDelayMs, session.stop.signal).catch(() => {}) // the loop above ends
        this.#retryDelayMs = Math.min(this.#retryDelayMs * 2, RETRY_DELAY_MS_MAX)
        session.late = true
      }
    }
  }

  /** Watches until the session ends; rejects when watching fails. */
  async #watchOnce(session: Session): Promise<void> {
    const { clock, watcher } = this.#deps
    const failure = Promise.withResolvers<never>()
    failure.promise.catch(() => {}) // it may reject before the race below handles it
    const delays = aggregateDelays(this.#options.folder)
    const aggregate = new Aggregate(delays)
    const wakeup = new Wakeup()
    const onEvent = (event: WatchEvent) => {
      if (event.kind === 'unmounted') return this.#restart(session)
      aggregate.add(event, clock.monotonicMs())
      wakeup.ring()
    }
    const request = { root: this.#options.root, ignoreLines: session.ignoreLines }
    const { signal } = session.stop
    // Opening a watch on a slow disk may take minutes; stopping the folder does not wait for it.
    const opening = watcher.watch(request, onEvent, failure.reject)
    await using _watching = await untilAborted(opening, signal, (late) => {
      Promise.resolve(late[Symbol.asyncDispose]()).catch(() => {}) // nothing is watched any more
    })
    this.#succeeded(session)
    using stop = new LinkedAbort(signal)
    await Promise.race([failure.promise, this.#dispatch(aggregate, delays.delayMs, wakeup, stop.signal)])
  }

  /** Passes on settled changes once per delay; sleeps while there are none. */
  async #dispatch(aggregate: Aggregate, delayMs: number, wakeup: Wakeup, signal: AbortSignal): Promise<never> {
    for (;;) {
      if (aggregate.isEmpty) await wakeup.wait(signal)
      await this.#deps.clock.sleep(delayMs, signal)
      for (const paths of aggregate.take(this.#deps.clock.monotonicMs())) {
        const subs = scanScope(paths.map(nearestNormal))
        this.#deps.log.debug(
          () => `folder ${this.#options.folder.id}: ${subs.length} paths changed, ${JSON.stringify(subs[0])} first`,
        )
        this.#deps.requests.scanPaths(subs)
      }
    }
  }

  #succeeded(session: Session): void {
    this.#deps.log.debug(() => `folder ${this.#options.folder.id}: watching ${this.#options.root}`)
    this.#retryDelayMs = RETRY_DELAY_MS_MIN
    this.#setError('')
    session.settled.resolve()
    if (session.late) this.#deps.requests.scanSoon()
    session.late = false
  }

  /** The scan that follows starts to watch again, once the folder is there. */
  #restart(session: Session): void {
    if (this.#session === session) this.stop()
    this.#deps.requests.scanSoon()
  }

  #failed(reason: string): void {
    this.#deps.log.warn(`folder ${this.#options.folder.id}: changes are not watched: ${reason}; rescans find them`)
    this.#setError(reason)
    this.#deps.requests.scanSoon()
  }

  #setError(reason: string): void {
    const before = this.#error
    if (before === reason) return
    this.#error = reason
    const { id } = this.#options.folder
    const from = before === '' ? {} : { from: before }
    const to = reason === '' ? {} : { to: reason }
    this.#deps.events.emit('FolderWatchStateChanged', { folder: id, ...from, ...to })
  }
}

/** A name that is not in NFC is normalized by a scan of its parent directory, not of the name itself. */
function nearestNormal(path: string): string {
  return isNormal(path) ? path : nearestNormal(parentOf(path))
}
