import type { HookMemory } from './conditions.ts'
import { HOOK_CONDITIONS } from './hook.ts'
import type { Delivery, HookLogEntry } from './occurrence.ts'

/** Everything about hooks that has to survive a restart, beside the hooks themselves. */
export interface HookJournal {
  /** By the id of the hook. */
  readonly memory: Readonly<Record<string, HookMemory>>
  /** Oldest first. */
  readonly queue: readonly Delivery[]
  /** By the id of the hook, oldest first. */
  readonly log: Readonly<Record<string, readonly HookLogEntry[]>>
}

export const EMPTY_JOURNAL: HookJournal = { memory: {}, queue: [], log: {} }

const QUEUED_PER_HOOK_MAX = 100
const LOGGED_PER_HOOK_MAX = 50
const DETAIL_LENGTH_MAX = 300
const RETRY_MS_MIN = 30_000
const RETRY_MS_MAX = 60 * 60_000
/** After this time a report is no longer news. */
const AGE_MS_MAX = 3 * 86_400_000

/** Adds a delivery; the oldest of a hook whose queue is full are dropped, which is logged. */
export function enqueue(journal: HookJournal, delivery: Delivery): HookJournal {
  const waiting = journal.queue.filter(({ hookId }) => hookId === delivery.hookId)
  const surplus = new Set(waiting.slice(0, Math.max(0, waiting.length + 1 - QUEUED_PER_HOOK_MAX)))
  const kept = journal.queue.filter((each) => !surplus.has(each))
  const logged = [...surplus].reduce(
    (log, each) => withEntry(log, each, 'dropped', `more than ${QUEUED_PER_HOOK_MAX} were waiting`, delivery.timeMs),
    journal.log,
  )
  return { ...journal, queue: [...kept, delivery], log: logged }
}

/** The first delivery of each hook that is due: those of one hook are sent in their order. */
export function dueDeliveries({ queue }: HookJournal, nowMs: number): readonly Delivery[] {
  return firstOfEach(queue).filter(({ nextMs }) => nextMs <= nowMs)
}

/** When the next delivery is due; undefined: none waits. */
export function nextDueMs({ queue }: HookJournal): number | undefined {
  return firstOfEach(queue).reduce<number | undefined>(
    (least, { nextMs }) => (least === undefined || nextMs < least ? nextMs : least),
    undefined,
  )
}

function firstOfEach(queue: readonly Delivery[]): readonly Delivery[] {
  const first = new Map<string, Delivery>()
  for (const delivery of queue) if (!first.has(delivery.hookId)) first.set(delivery.hookId, delivery)
  return [...first.values()]
}

export type DeliveryResult = { readonly ok: boolean; readonly detail: string }

/** Removes what was delivered; what failed is tried again, each time after twice the delay, for three days. */
export function afterAttempt(
  journal: HookJournal,
  delivery: Delivery,
  result: DeliveryResult,
  nowMs: number,
): HookJournal {
  const attempts = delivery.attempts + 1
  const isOver = result.ok || nowMs - delivery.timeMs >= AGE_MS_MAX
  const nextMs = nowMs + retryDelayMs(attempts)
  const queue = journal.queue.flatMap((each) => {
    if (each.id !== delivery.id) return [each]
    return isOver ? [] : [{ ...each, attempts, nextMs }]
  })
  const outcome = result.ok ? 'delivered' : isOver ? 'dropped' : 'failed'
  return { ...journal, queue, log: withEntry(journal.log, delivery, outcome, result.detail, nowMs) }
}

function retryDelayMs(attempts: number): number {
  return Math.min(RETRY_MS_MIN * 2 ** Math.min(attempts - 1, 30), RETRY_MS_MAX)
}

export function withEntry(
  log: HookJournal['log'],
  { hookId, id, text }: Pick<Delivery, 'hookId' | 'id' | 'text'>,
  outcome: HookLogEntry['outcome'],
  detail: string,
  timeMs: number,
): HookJournal['log'] {
  const shown = detail.slice(0, DETAIL_LENGTH_MAX)
  const entry = { timeMs, id, text: text.slice(0, DETAIL_LENGTH_MAX), outcome, detail: shown }
  return { ...log, [hookId]: [...(log[hookId] ?? []), entry].slice(-LOGGED_PER_HOOK_MAX) }
}

/** Without what belongs to hooks that were removed. */
export function withoutOthers(journal: HookJournal, hookIds: ReadonlySet<string>): HookJournal {
  const own = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(record).filter(([id]) => hookIds.has(id)))
  const isOwn = ({ hookId }: Delivery) => hookIds.has(hookId)
  // The same list where nothing is left out, so that nothing has to be saved.
  const queue = journal.queue.every(isOwn) ? journal.queue : journal.queue.filter(isOwn)
  return { memory: own(journal.memory), queue, log: own(journal.log) }
}

/** What cannot be read is left out: a lost memory costs at most one report, and the hooks must continue. */
export function parseHookJournal(value: unknown): HookJournal {
  const { memory, queue, log } = Object(value)
  return {
    memory: recordOf(memory, isRecord) as HookJournal['memory'],
    queue: Array.isArray(queue) ? queue.filter(isDelivery) : [],
    log: recordOf(log, (entries) => Array.isArray(entries) && entries.every(isLogEntry)) as HookJournal['log'],
  }
}

function recordOf(value: unknown, isValid: (value: unknown) => boolean): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Object(value)).filter(([, each]) => isValid(each)))
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => Object(each) === each)
}

function isDelivery(value: unknown): value is Delivery {
  const { id, hookId, on, timeMs, attempts, nextMs, text } = Object(value)
  const areTexts = [id, hookId, text].every((each) => typeof each === 'string')
  const areNumbers = [timeMs, attempts, nextMs].every((each) => typeof each === 'number')
  return areTexts && areNumbers && HOOK_CONDITIONS.some((each) => each === on)
}

function isLogEntry(value: unknown): value is HookLogEntry {
  const { timeMs, id, text, outcome, detail } = Object(value)
  return typeof timeMs === 'number' && [id, text, outcome, detail].every((each) => typeof each === 'string')
}
