import { language } from './language.ts'
import { perLanguage } from './per-language.ts'
import { t } from './texts.ts'
import { isTime } from '../base/moments.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

const numbers = perLanguage((name) => new Intl.NumberFormat(name))
/** By the number of digits behind the point. */
const decimals = [0, 1, 2].map((digits) =>
  perLanguage((name) => new Intl.NumberFormat(name, { minimumFractionDigits: digits, maximumFractionDigits: digits })),
)
const percents = perLanguage((name) => new Intl.NumberFormat(name, { style: 'percent', maximumFractionDigits: 0 }))
const agos = perLanguage((name) => new Intl.RelativeTimeFormat(name, { numeric: 'auto' }))
const times = perLanguage((name) => new Intl.DateTimeFormat(name, { hour: '2-digit', minute: '2-digit' }))
const moments = perLanguage((name) => new Intl.DateTimeFormat(name, { dateStyle: 'medium', timeStyle: 'medium' }))
const days = perLanguage((name) => new Intl.DateTimeFormat(name, { weekday: 'long', day: 'numeric', month: 'long' }))

/** A size in powers of 1000 with three digits: 999 B, 12.3 kB, 1.23 GB. */
export function formatSize(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${decimals[digits]?.(language.get()).format(value)} ${UNITS[unit]}`
}

export function formatRate(bytesPerSecond: number): string {
  return bytesPerSecond < 1 ? '0' : `${formatSize(bytesPerSecond)}/s`
}

export function formatCount(count: number): string {
  return numbers(language.get()).format(count)
}

export function formatPercent(fraction: number): string {
  // An incomplete value must not be shown as 100 %.
  const shown = fraction >= 1 ? 1 : Math.min(fraction, 0.99)
  return percents(language.get()).format(shown)
}

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Infinity],
] as const

/** How long ago, or from now, in the largest unit that fits. */
export function formatAgo(timeMs: number, nowMs: number): string {
  if (!isTime(timeMs)) return t('time.never')
  const { value, unit } = inUnit(Math.round((timeMs - nowMs) / 1_000))
  return agos(language.get()).format(value, unit)
}

/** A length of time in its largest unit: 2 min, 3 hr. */
export function formatDuration(seconds: number): string {
  const { value, unit } = inUnit(Math.max(0, Math.round(seconds)))
  return new Intl.NumberFormat(language.get(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  }).format(value)
}

function inUnit(seconds: number): { readonly value: number; readonly unit: (typeof STEPS)[number][0] } {
  let value = seconds
  for (const [unit, size] of STEPS) {
    if (Math.abs(Math.round(value)) < size) return { value: Math.round(value), unit }
    value /= size
  }
  return { value: Math.round(value), unit: 'year' }
}

/** A time of today, without seconds. */
export function formatTime(timeMs: number): string {
  return times(language.get()).format(timeMs)
}

export function formatMoment(timeMs: number): string {
  if (!isTime(timeMs)) return t('time.never')
  return moments(language.get()).format(timeMs)
}

const DAY_MS = 86_400_000

/** The day of a time: today, yesterday, or its date. */
export function formatDay(timeMs: number, nowMs: number): string {
  const past = Math.round((startOfDay(nowMs) - startOfDay(timeMs)) / DAY_MS)
  return past === 0 || past === 1 ? agos(language.get()).format(-past, 'day') : days(language.get()).format(timeMs)
}

function startOfDay(timeMs: number): number {
  return new Date(timeMs).setHours(0, 0, 0, 0)
}
