/** How long a state is shown at least, unless a more severe one follows. */
export const HOLD_MS = 2_000

/** A value with the time since which it is shown. */
export interface Held<T> {
  readonly value: T
  readonly sinceMs: number
}

export interface HoldRules<T> {
  /** Values of the same kind replace each other at once: only their numbers differ. */
  kind(value: T): string
  /** Whether the next value must not wait. */
  isUrgent(next: T, shown: T): boolean
}

/** What is shown after `next` was reported: the held value stays until its time is over. */
export function hold<T>(held: Held<T> | undefined, next: T, nowMs: number, rules: HoldRules<T>): Held<T> {
  if (held === undefined) return { value: next, sinceMs: nowMs }
  if (rules.kind(next) === rules.kind(held.value)) return { value: next, sinceMs: held.sinceMs }
  const isOver = nowMs - held.sinceMs >= HOLD_MS || rules.isUrgent(next, held.value)
  return isOver ? { value: next, sinceMs: nowMs } : held
}
