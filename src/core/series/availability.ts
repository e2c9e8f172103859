/** A local day, and the share of its known time that a device was connected; undefined where nothing is known. */
export interface AvailableDay {
  readonly startMs: number
  readonly share: number | undefined
  /** Hours of the day that are known. */
  readonly knownHours: number
}

const HOUR_MS = 3_600_000

/**
 * The last days of a device, oldest first, from its shares by hour. A day begins where the calendar says so, and has 23
 * or 25 hours when daylight saving time changes.
 */
export function availableDays(
  hours: { readonly startMs: number; readonly shares: readonly (number | null)[] },
  { count, nowMs }: { readonly count: number; readonly nowMs: number },
  startOfDay: (timeMs: number) => number,
): readonly AvailableDay[] {
  const days: AvailableDay[] = []
  let endMs = nowMs + 1
  for (let back = 0; back < count; back++) {
    const startMs = startOfDay(endMs - 1)
    days.unshift(dayOf(hours, startMs, endMs))
    endMs = startMs
  }
  return days
}

function dayOf(
  { startMs, shares }: { readonly startMs: number; readonly shares: readonly (number | null)[] },
  fromMs: number,
  toMs: number,
): AvailableDay {
  const first = Math.max(0, Math.ceil((fromMs - startMs) / HOUR_MS))
  const known = shares
    .slice(first, Math.max(first, Math.ceil((toMs - startMs) / HOUR_MS)))
    .filter((share): share is number => share !== null)
  const share = known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length
  return { startMs: fromMs, share, knownHours: known.length }
}
