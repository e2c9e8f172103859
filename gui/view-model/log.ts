import { FACILITIES } from '../../src/core/facilities.ts'
import type { LogLineJson } from '../../src/rest/system.ts'

export type LogLevel = 'debug' | 'info' | 'warning'

/** One line of the log. */
export interface LogEntry {
  /** Counts up within the page. */
  readonly id: number
  readonly timeMs: number
  readonly level: LogLevel
  /** The facility that wrote it; empty where the line names none. */
  readonly facility: string
  readonly text: string
}

/** What the page keeps; the daemon itself keeps fewer. */
export const LOG_LINES_MAX = 2_000

/**
 * The time to request lines after. It lies before the last known line, because others may have the same time;
 * `appendLog` leaves out those that are known.
 */
export function logSince(known: readonly LogEntry[]): string | undefined {
  const last = known.at(-1)
  return last === undefined ? undefined : new Date(last.timeMs - 1).toISOString()
}

/** The known lines and those received since, each once. Returns `known` itself when nothing is new. */
export function appendLog(known: readonly LogEntry[], received: readonly LogLineJson[]): readonly LogEntry[] {
  const last = known.at(-1)
  let repeated = last === undefined ? 0 : known.length - 1 - known.findLastIndex(({ timeMs }) => timeMs !== last.timeMs)
  const fresh = received.filter(({ when }) => {
    if (repeated === 0 || Date.parse(when) !== last?.timeMs) return true
    repeated--
    return false
  })
  if (fresh.length === 0) return known
  const firstId = (last?.id ?? 0) + 1
  return [...known, ...fresh.map((line, index) => entryOf(line, firstId + index))].slice(-LOG_LINES_MAX)
}

function entryOf({ when, message, level }: LogLineJson, id: number): LogEntry {
  const [, name = '', rest = ''] = /^([a-z]+): ([^]*)$/.exec(message) ?? []
  const named = Object.hasOwn(FACILITIES, name)
  return {
    id,
    timeMs: Date.parse(when),
    level: levelOf(level),
    facility: named ? name : '',
    text: named ? rest : message,
  }
}

/** A number as in Syncthing 1.x, or a name as in 2.x. */
function levelOf(level: LogLineJson['level']): LogLevel {
  if (typeof level === 'string') return level === 'DBG' ? 'debug' : level === 'INF' ? 'info' : 'warning'
  return level >= 3 ? 'warning' : level >= 2 ? 'info' : 'debug'
}

/** The filter of the log view. */
export interface LogFilter {
  readonly text: string
  /** This level and those above it. */
  readonly level: LogLevel
  /** One facility, or all where empty. */
  readonly facility: string
  /** Only lines after this one: those before were cleared from the view. */
  readonly afterId: number
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warning: 2 }

export function filterLog(entries: readonly LogEntry[], filter: LogFilter): readonly LogEntry[] {
  const text = filter.text.trim().toLowerCase()
  return entries.filter(
    (entry) =>
      entry.id > filter.afterId &&
      RANKS[entry.level] >= RANKS[filter.level] &&
      (filter.facility === '' || entry.facility === filter.facility) &&
      (text === '' || entry.text.toLowerCase().includes(text) || entry.facility.includes(text)),
  )
}

/** Lines as text, for copying. */
export function logText(entries: readonly LogEntry[]): string {
  return entries
    .map(
      ({ timeMs, level, facility, text }) =>
        `${new Date(timeMs).toISOString()} ${level.toUpperCase()} ${facility === '' ? '' : `${facility}: `}${text}\n`,
    )
    .join('')
}

/** A line, and how often it was written. */
export interface LogGroup {
  /** The last one. */
  readonly entry: LogEntry
  readonly count: number
}

/** Equal lines that follow each other are one. */
export function groupLines(entries: readonly LogEntry[]): readonly LogGroup[] {
  const groups: LogGroup[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (last !== undefined && isSameLine(last.entry, entry))
      groups[groups.length - 1] = { entry, count: last.count + 1 }
    else groups.push({ entry, count: 1 })
  }
  return groups
}

function isSameLine(one: LogEntry, other: LogEntry): boolean {
  return one.text === other.text && one.facility === other.facility && one.level === other.level
}

/** A warning, how often it was logged, and when for the last time. */
export interface WarningGroup {
  readonly message: string
  readonly count: number
  readonly when: string
}

/** Equal warnings are one, also where others are between them; in the order of the last ones. */
export function groupWarnings(lines: readonly Pick<LogLineJson, 'when' | 'message'>[]): readonly WarningGroup[] {
  const groups = new Map<string, WarningGroup>()
  for (const { message, when } of lines) {
    const count = (groups.get(message)?.count ?? 0) + 1
    groups.delete(message)
    groups.set(message, { message, count, when })
  }
  return [...groups.values()]
}
