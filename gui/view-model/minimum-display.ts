/** How long a state is shown at least, unless a more severe one follows. */
export const DISPLAY_MS_MIN = 2_000

/** A value with the time since which it is shown. */
export interface Displayed<T> {
  readonly value: T
  readonly sinceMs: number
}

export interface DisplayRules<T> {
  /** Values of the same kind replace each other at once: only their numbers differ. */
  kind(value: T): string
  /** Whether the next value must not wait. */
  isUrgent(next: T, shown: T): boolean
}

/** What is shown after `next` was reported: the current value stays until its time is over. */
export function nextDisplayed<T>(
  shown: Displayed<T> | undefined,
  next: T,
  nowMs: number,
  rules: DisplayRules<T>,
): Displayed<T> {
  if (shown === undefined) return { value: next, sinceMs: nowMs }
  if (rules.kind(next) === rules.kind(shown.value)) return { value: next, sinceMs: shown.sinceMs }
  const isOver = nowMs - shown.sinceMs >= DISPLAY_MS_MIN || rules.isUrgent(next, shown.value)
  return isOver ? { value: next, sinceMs: nowMs } : shown
}
