/** A length of time at the end of what was typed. */
export interface TimeSpan {
  readonly seconds: number
  /** As the user wrote it, for the search. */
  readonly typed: string
}

const UNITS: readonly (readonly [pattern: RegExp, seconds: number])[] = [
  [/^(?:m|min|mins|minutes?|minuten?|minutos?|分钟?)$/i, 60],
  [/^(?:h|hr|hrs|hours?|std|stunden?|horas?|heures?|小时)$/i, 3_600],
  [/^(?:d|days?|tage?|días?|dias?|jours?|天)$/i, 86_400],
]
const SPAN = /(?:^|\s)(\d{1,4})\s*(\p{L}+)$/u
const SECONDS_MAX = 2_592_000

/** The time at the end of a text: `pause photos 1 h`, `30min`; undefined where there is none. */
export function timeSpanIn(text: string): TimeSpan | undefined {
  const found = SPAN.exec(text.trim())
  const [, count = '', unit = ''] = found ?? []
  const unitSeconds = UNITS.find(([pattern]) => pattern.test(unit))?.[1]
  const seconds = Number(count) * (unitSeconds ?? 0)
  return seconds > 0 && seconds <= SECONDS_MAX ? { seconds, typed: `${count} ${unit}` } : undefined
}
