import type { DoctorFacts } from './facts.ts'

/** `error`: something does not work, or data is at risk; `warning`: it will, or may; `notice`: good to know. */
export const SEVERITIES = ['error', 'warning', 'notice'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface DoctorFinding {
  /** The name of its check. */
  readonly code: string
  readonly severity: Severity
  readonly message: string
  /** What shows it, with numbers. */
  readonly evidence: string
  readonly remedy: string
  /** A line for a shell that carries the remedy out, or begins to. */
  readonly command?: string | undefined
  readonly folder?: string
  readonly device?: string
}

/** Finds what is wrong of one kind. */
export interface DoctorCheck {
  readonly code: string
  /** What it looks for, in a few words. */
  readonly about: string
  find(facts: DoctorFacts): readonly Omit<DoctorFinding, 'code'>[]
}

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** `3 days`, `1 hour`; of times shorter than a minute, seconds. */
export function spanText(ms: number): string {
  const units = [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ] as const
  const [length, name] = units.find(([each]) => ms >= 2 * each || ms === each) ?? units[3]
  return countText(Math.round(ms / length), name)
}

export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`
}
