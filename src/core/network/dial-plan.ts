import { isConnectionWanted, type ExistingConnections, type Transport } from './admission.ts'

const LOOP_MS_MIN = 5_000
/** Attempts at a device that has not added this one: often for two minutes, then half as often for eight. */
const OFTEN_COUNT = 24
const HALF_AS_OFTEN_COUNT = 48
const RAMP_MS = 1_000
const UNKNOWN_LATENCY_MS = 60_000
const REDIALS_MAX = 3
const REDIAL_WINDOW_MS = 120_000
const REDIAL_PAUSE_MS = 300_000

/** One address of a device, and the priority of a connection to it. Lower is better. */
export interface Candidate {
  readonly text: string
  readonly priority: number
  readonly transport: Transport
}

/** What is known of an address that was dialled before. */
export interface DialRecord {
  readonly dueMs: number
  readonly failures: number
  /** Duration of the last successful dial. */
  readonly latencyMs?: number
}

/**
 * The addresses to dial now, grouped by priority, the best group first. In a group, addresses that worked come first,
 * fastest first, and those that failed most often come last. A relay is for devices without any other connection.
 */
export function planDials<T extends Candidate>(
  candidates: readonly T[],
  recordOf: (text: string) => DialRecord | undefined,
  present: Pick<ExistingConnections, 'priorities' | 'wanted'>,
  now: { readonly nowMs: number; readonly threshold: number },
): readonly (readonly T[])[] {
  const worthwhile = candidates.filter(({ text, priority, transport }) => {
    const wanted = transport === 'relay' ? 1 : present.wanted
    const isDue = (recordOf(text)?.dueMs ?? 0) <= now.nowMs
    return isDue && isConnectionWanted(priority, { ...present, wanted }, now.threshold)
  })
  const groups = Map.groupBy(worthwhile, ({ priority }) => priority)
  const byExperience = (a: T, b: T): number => {
    const [first, second] = [recordOf(a.text), recordOf(b.text)]
    const byFailures = (first?.failures ?? 0) - (second?.failures ?? 0)
    return byFailures || (first?.latencyMs ?? UNKNOWN_LATENCY_MS) - (second?.latencyMs ?? UNKNOWN_LATENCY_MS)
  }
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group.toSorted(byExperience))
}

/** Retry delay of an address after its nth consecutive failure (from 0): short at first, then as configured. */
export function retryDelayMs(failures: number, reconnectionIntervalS: number): number {
  const steadyMs = Math.max(LOOP_MS_MIN, reconnectionIntervalS * 1_000)
  return Math.min(steadyMs, Math.max(LOOP_MS_MIN, RAMP_MS * 2 ** Math.min(failures, 20)))
}

/**
 * Retry delay after the nth consecutive time that the other device had not added this one yet: its user is probably
 * about to, and the connection should follow soon.
 */
export function notAddedDelayMs(failures: number, reconnectionIntervalS: number): number {
  const steadyMs = Math.max(LOOP_MS_MIN, reconnectionIntervalS * 1_000)
  if (failures < OFTEN_COUNT) return LOOP_MS_MIN
  return failures < OFTEN_COUNT + HALF_AS_OFTEN_COUNT ? Math.min(steadyMs, 2 * LOOP_MS_MIN) : steadyMs
}

/** How often a lost connection was redialled immediately. */
export interface Redials {
  readonly recentMs: readonly number[]
  readonly pausedUntilMs: number
}

export const NO_REDIALS: Redials = { recentMs: [], pausedUntilMs: 0 }

/** After a lost connection: redial immediately, unless that has happened too often recently. */
export function afterLoss(redials: Redials, nowMs: number): { readonly redials: Redials; readonly atOnce: boolean } {
  if (nowMs < redials.pausedUntilMs) return { redials, atOnce: false }
  const recentMs = redials.recentMs.filter((atMs) => nowMs - atMs < REDIAL_WINDOW_MS)
  if (recentMs.length >= REDIALS_MAX) {
    return { redials: { recentMs: [], pausedUntilMs: nowMs + REDIAL_PAUSE_MS }, atOnce: false }
  }
  return { redials: { recentMs: [...recentMs, nowMs], pausedUntilMs: 0 }, atOnce: true }
}
