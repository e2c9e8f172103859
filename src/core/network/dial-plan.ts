import { isConnectionWanted, type ExistingConnections } from './admission.ts'

const LOOP_MS_MIN = 5_000
const RAMP_MS = 1_000
const REDIALS_MAX = 3
const REDIAL_WINDOW_MS = 120_000
const REDIAL_PAUSE_MS = 300_000

/** One address of a device, and the priority of a connection to it. Lower is better. */
export interface Candidate {
  readonly address: string
  readonly priority: number
}

/** The addresses to dial now, grouped by priority, the best group first. `dueMs` of an undialled address is 0. */
export function planDials(
  candidates: readonly Candidate[],
  dueMs: (address: string) => number,
  present: Pick<ExistingConnections, 'priorities' | 'wanted'>,
  now: { readonly nowMs: number; readonly threshold: number },
): readonly (readonly Candidate[])[] {
  const worthwhile = candidates.filter(
    ({ address, priority }) => dueMs(address) <= now.nowMs && isConnectionWanted(priority, present, now.threshold),
  )
  const groups = Map.groupBy(worthwhile, ({ priority }) => priority)
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group)
}

/** Retry delay of an address after its nth consecutive failure (from 0): short at first, then as configured. */
export function retryDelayMs(failures: number, reconnectionIntervalS: number): number {
  const steadyMs = Math.max(LOOP_MS_MIN, reconnectionIntervalS * 1_000)
  return Math.min(steadyMs, Math.max(LOOP_MS_MIN, RAMP_MS * 2 ** Math.min(failures, 20)))
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
