import { messageOf, TwinfoldError } from '../core/errors.ts'
import { checkHook } from '../core/hooks/conditions.ts'
import { makeHook, type Hook, type NewHook } from '../core/hooks/hook.ts'
import type { Delivery, HookLogEntry, Occurrence } from '../core/hooks/occurrence.ts'
import {
  afterAttempt,
  dueDeliveries,
  enqueue,
  nextDueMs,
  withEntry,
  withoutOthers,
  type DeliveryResult,
  type HookJournal,
} from '../core/hooks/queue.ts'
import { NEVER } from '../core/never.ts'
import type { Event, EventType } from '../events/types.ts'
import { Mutex } from '../sync/mutex.ts'
import { TaskSet } from '../sync/task-set.ts'
import { Wakeup } from '../sync/wakeup.ts'
import { ChangedPaths, type PathList } from './changed-paths.ts'
import { HookFiles } from './hook-files.ts'
import { StoredJournal } from './hook-journal.ts'
import { deliver } from './sender.ts'
import type { HookPlaces, HooksDeps, HookStatus, HooksView } from './types.ts'

/** Events come in bursts; one check after each. */
const CHECK_DELAY_MS = 1_000
/** Free space has no event, and the wall clock may jump. */
const CHECK_INTERVAL_MS = 60_000
const DELIVERIES_MAX = 4

/** States that may have changed after one of these. */
const STATE_EVENTS: readonly EventType[] = [
  'ConfigSaved',
  'DeviceConnected',
  'DeviceDisconnected',
  'FolderCompletion',
  'FolderErrors',
  'FolderGuardHeld',
  'FolderPaused',
  'FolderResumed',
  'FolderSummary',
  'StateChanged',
]
const CHANGE_EVENTS: readonly EventType[] = ['LocalChangeDetected', 'RemoteChangeDetected']

/** Watches the states of the device, and delivers what hooks report about them. Costs nothing without a hook. */
export class Hooks implements HooksView {
  readonly name = 'hooks'
  readonly #deps: HooksDeps
  readonly #files: HookFiles
  readonly #journal: StoredJournal
  readonly #changed: ChangedPaths
  readonly #lock = new Mutex()
  readonly #checking = new Mutex()
  readonly #woken = new Wakeup()
  readonly #queued = new Wakeup()
  readonly #calls = new TaskSet()
  readonly #busy = new Set<string>()
  #hooks: readonly Hook[] = []
  #checkedMs: number | undefined
  #nextMs: number | undefined

  private constructor(deps: HooksDeps, places: HookPlaces) {
    this.#deps = deps
    this.#files = new HookFiles(deps.disk, places)
    this.#journal = new StoredJournal(this.#files, (problem) => deps.report(problem))
    this.#changed = new ChangedPaths(deps.clock.nowMs())
  }

  /** Rejects with `config-invalid` for a file of hooks that cannot be read. */
  static async open(deps: HooksDeps, places: HookPlaces): Promise<Hooks> {
    const hooks = new Hooks(deps, places)
    hooks.#hooks = await hooks.#files.readHooks()
    await hooks.#journal.load(hooks.#ids())
    await hooks.#files
      .removeOthers(new Set(hooks.#journal.current.queue.map(({ id }) => id)))
      .catch((error: unknown) => deps.report(`old lists of paths cannot be removed: ${messageOf(error)}`))
    return hooks
  }

  all(): readonly HookStatus[] {
    return this.#hooks.map((hook) => this.#statusOf(hook))
  }

  log(name: string): readonly HookLogEntry[] {
    return (this.#journal.current.log[this.#find(name).id] ?? []).toReversed()
  }

  /** Resolves when the present states are known: only later ones fire. */
  async add(wanted: NewHook): Promise<HookStatus> {
    const hook = await this.#store(wanted)
    await this.#check().catch((error: unknown) =>
      this.#deps.report(`states for hooks are unknown: ${messageOf(error)}`),
    )
    this.#woken.ring()
    return this.#statusOf(hook)
  }

  async #store(wanted: NewHook): Promise<Hook> {
    using _lock = await this.#lock.lock()
    const { clock } = this.#deps
    const hook = makeHook(this.#hooks, wanted, { id: this.#newId(), createdMs: clock.nowMs() })
    const next = [...this.#hooks, hook]
    await this.#files.writeHooks(next)
    this.#hooks = next
    return hook
  }

  async remove(name: string): Promise<void> {
    using _lock = await this.#lock.lock()
    const hook = this.#find(name)
    const next = this.#hooks.filter((each) => each !== hook)
    await this.#files.writeHooks(next)
    this.#hooks = next
    this.#changed.remove(hook)
    const ids = this.#journal.current.queue.filter(({ hookId }) => hookId === hook.id).map(({ id }) => id)
    await this.#journal.change((journal) => withoutOthers(journal, this.#ids()))
    for (const id of ids) await this.#removePaths(id)
  }

  async test(name: string, signal: AbortSignal): Promise<DeliveryResult> {
    const hook = this.#find(name)
    const text = `This is a test of the hook ${name}`
    const occurrence = { folder: undefined, device: undefined, text, details: { test: true } }
    const isProgram = hook.target.kind === 'program'
    return await this.#callNow(hook, occurrence, isProgram ? { paths: [], isComplete: true } : undefined, signal)
  }

  async run(signal: AbortSignal): Promise<void> {
    const types = [...STATE_EVENTS, ...CHANGE_EVENTS]
    // One loop that fails ends the other: the next run begins with both.
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    this.#deps.events.listen(new Set(types), (event) => this.#onEvent(event), either)
    try {
      await Promise.all([this.#watch(either), this.#deliverAll(either)])
    } finally {
      over.abort()
      await this.#calls.ended()
      await this.#journal.save()
    }
  }

  #onEvent(event: Event): void {
    if (this.#hooks.length === 0) return
    if (event.type === 'LocalChangeDetected' || event.type === 'RemoteChangeDetected') {
      const { folder, path } = event.data
      for (const hook of this.#hooks) if (hasPaths(hook, folder)) this.#changed.add(hook, folder, path)
      return
    }
    this.#woken.ring()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      if (this.#hooks.length > 0) await this.#check(signal)
      await this.#untilNextCheck(signal)
      if (this.#hooks.length > 0) await clock.sleep(CHECK_DELAY_MS, signal)
    }
  }

  async #untilNextCheck(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const isPolled = this.#hooks.some(({ on }) => on === 'disk-low')
    if (this.#nextMs === undefined && !isPolled) return await this.#woken.wait(signal)
    const dueMs = Math.max(0, (this.#nextMs ?? Number.POSITIVE_INFINITY) - clock.nowMs() - CHECK_DELAY_MS)
    await this.#woken.waitAtMost(clock, Math.min(dueMs, CHECK_INTERVAL_MS), signal)
  }

  /** Compares the states with those that are remembered, and stores what hooks report, all in one step. */
  async #check(signal?: AbortSignal): Promise<void> {
    using _lock = await this.#checking.lock()
    const { clock } = this.#deps
    const hooks = this.#hooks
    const found = await this.#deps.statesOf(hooks)
    signal?.throwIfAborted()
    const nowMs = clock.nowMs()
    const elapsedMs = this.#checkedMs === undefined ? 0 : clock.monotonicMs() - this.#checkedMs
    this.#checkedMs = clock.monotonicMs()
    const states = { ...found, nowMs, elapsedMs }
    const { memory } = this.#journal.current
    const checks = hooks.map((hook) => ({ hook, check: checkHook(hook, memory[hook.id] ?? {}, states) }))
    const deliveries: Delivery[] = []
    for (const { hook, check } of checks) {
      for (const occurrence of check.occurrences) {
        if (hook.on === 'all-in-sync') this.#calls.add(this.#call(hook, occurrence, signal))
        else deliveries.push(await this.#prepare(hook, occurrence, nowMs))
      }
    }
    const next = Object.fromEntries(checks.map(({ hook, check }) => [hook.id, check.memory]))
    const ids = this.#ids()
    await this.#journal.change((journal) => withoutOthers(deliveries.reduce(enqueue, withMemory(journal, next)), ids))
    this.#nextMs = checks.map(({ check }) => check.nextMs).reduce(earlier, undefined)
    if (deliveries.length > 0) this.#queued.ring()
  }

  async #prepare(hook: Hook, occurrence: Occurrence, nowMs: number): Promise<Delivery> {
    const id = this.#newId()
    const list = this.#pathsOf(hook, occurrence)
    const isWritten = list !== undefined && (await this.#writePaths(id, list.paths))
    return {
      ...occurrence,
      id,
      hookId: hook.id,
      on: hook.on,
      timeMs: nowMs,
      attempts: 0,
      nextMs: nowMs,
      paths: isWritten ? list.paths.length : undefined,
      isPathsComplete: list?.isComplete ?? false,
    }
  }

  #pathsOf(hook: Hook, { folder, details }: Occurrence): PathList | undefined {
    if (hook.target.kind !== 'program' || folder === undefined) return undefined
    const { conflicts, count } = details
    if (Array.isArray(conflicts)) return { paths: conflicts, isComplete: conflicts.length === count }
    return hasPaths(hook, folder.id) ? this.#changed.take(hook, folder.id) : undefined
  }

  /** In the queue the first of each hook is delivered; hooks do not wait for each other. */
  async #deliverAll(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      const nowMs = clock.nowMs()
      const due = dueDeliveries(this.#journal.current, nowMs).filter(({ hookId }) => !this.#busy.has(hookId))
      for (const delivery of due.slice(0, DELIVERIES_MAX - this.#busy.size)) {
        this.#busy.add(delivery.hookId)
        this.#calls.add(this.#attempt(delivery, signal))
      }
      const nextMs = this.#busy.size > 0 ? undefined : nextDueMs(this.#journal.current)
      if (nextMs === undefined) await this.#queued.wait(signal)
      else await this.#queued.waitAtMost(clock, Math.min(Math.max(0, nextMs - nowMs), CHECK_INTERVAL_MS), signal)
    }
  }

  async #attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    try {
      const hook = this.#hooks.find(({ id }) => id === delivery.hookId)
      if (hook === undefined) return
      const pathsFile = delivery.paths === undefined ? undefined : this.#files.pathsFile(delivery.id)
      const result = await deliver(this.#deps, hook, { ...delivery, pathsFile }, signal)
      const nowMs = this.#deps.clock.nowMs()
      await this.#journal.change((journal) =>
        withoutOthers(afterAttempt(journal, delivery, result, nowMs), this.#ids()),
      )
      const isOver = !this.#journal.current.queue.some(({ id }) => id === delivery.id)
      if (isOver && delivery.paths !== undefined) await this.#removePaths(delivery.id)
    } catch (error) {
      if (!signal.aborted) this.#deps.report(`a hook could not be delivered: ${messageOf(error)}`)
    } finally {
      this.#busy.delete(delivery.hookId)
      this.#queued.ring()
    }
  }

  /** A call that is not repeated when it fails: the next one follows by itself. */
  async #call(hook: Hook, occurrence: Occurrence, signal: AbortSignal | undefined): Promise<void> {
    const stopped = signal ?? NEVER
    await this.#callNow(hook, occurrence, undefined, stopped).catch((error: unknown) => {
      if (!stopped.aborted) this.#deps.report(`the hook ${hook.name} failed: ${messageOf(error)}`)
    })
  }

  async #callNow(
    hook: Hook,
    occurrence: Occurrence,
    list: PathList | undefined,
    signal: AbortSignal,
  ): Promise<DeliveryResult> {
    const { clock } = this.#deps
    const id = this.#newId()
    const hasFile = list !== undefined && (await this.#writePaths(id, list.paths))
    try {
      const paths = { paths: hasFile ? 0 : undefined, isPathsComplete: true }
      const pathsFile = hasFile ? this.#files.pathsFile(id) : undefined
      const sent = { ...occurrence, ...paths, id, hookId: hook.id, on: hook.on, timeMs: clock.nowMs(), pathsFile }
      const result = await deliver(this.#deps, hook, sent, signal)
      const outcome = result.ok ? 'delivered' : 'failed'
      await this.#journal.change((journal) => {
        const log = withEntry(journal.log, sent, outcome, result.detail, clock.nowMs())
        return withoutOthers({ ...journal, log }, this.#ids())
      })
      return result
    } finally {
      if (hasFile) await this.#removePaths(id)
    }
  }

  /** Without the list the report is still worth its delivery. */
  async #writePaths(id: string, paths: readonly string[]): Promise<boolean> {
    try {
      await this.#files.writePaths(id, paths)
      return true
    } catch (error) {
      this.#deps.report(`the list of paths for a hook cannot be written: ${messageOf(error)}`)
      return false
    }
  }

  async #removePaths(id: string): Promise<void> {
    await this.#files
      .removePaths(id)
      .catch((error: unknown) => this.#deps.report(`a list of paths cannot be removed: ${messageOf(error)}`))
  }

  #find(name: string): Hook {
    const hook = this.#hooks.find((each) => each.name === name)
    if (hook === undefined) throw new TwinfoldError('file-missing', `there is no hook ${name}`)
    return hook
  }

  #ids(): ReadonlySet<string> {
    return new Set(this.#hooks.map(({ id }) => id))
  }

  #statusOf(hook: Hook): HookStatus {
    const { queue, log } = this.#journal.current
    const waiting = queue.filter(({ hookId }) => hookId === hook.id).length
    return { hook, waiting, last: log[hook.id]?.at(-1) }
  }

  /** A UUID of version 4. */
  #newId(): string {
    const bytes = this.#deps.random.bytes(16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return Buffer.from(bytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
}

/** A program gets the list of what changed since it ran last. */
function hasPaths({ on, target, folder }: Hook, changed: string): boolean {
  return on === 'folder-in-sync' && target.kind === 'program' && (folder === undefined || folder === changed)
}

function withMemory(journal: HookJournal, memory: HookJournal['memory']): HookJournal {
  return { ...journal, memory }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}
