import { instantsOf, localMs, type Zone } from './zone.ts'
import { minutesOf, WEEKDAYS, type ScheduleRule } from './rule.ts'

/** A folder or a device. */
export interface ScheduleTarget {
  readonly kind: 'folder' | 'device'
  readonly id: string
}

/** A target that its user has resumed: rules that were in force then do not pause it until this time. */
export interface ManualResume extends ScheduleTarget {
  readonly untilMs: number
}

export interface ScheduledPause extends ScheduleTarget {
  /** The rule that pauses it; undefined: the battery does. */
  readonly rule: string | undefined
  /** When it ends; undefined: not known. */
  readonly untilMs: number | undefined
}

/** In KiB/s, 0 is unlimited; null: as configured. */
export interface ScheduledLimits {
  readonly maxSendKbps: number | null
  readonly maxRecvKbps: number | null
}

/** What rules and conditions change at a moment. */
export interface ScheduleEffect {
  readonly pauses: readonly ScheduledPause[]
  readonly limits: ScheduledLimits
  readonly deviceLimits: ReadonlyMap<string, ScheduledLimits>
  readonly folderLimits: ReadonlyMap<string, ScheduledLimits>
  /** Connections to local addresses only. */
  readonly isLocalOnly: boolean
  /** The rules in force, with the end of each. */
  readonly active: ReadonlyMap<string, number>
  /** When the next rule begins or ends; undefined: never. */
  readonly nextMs: number | undefined
}

export interface ScheduleState {
  readonly nowMs: number
  readonly zone: Zone
  /** The ids of all folders. */
  readonly folders: readonly string[]
  readonly resumed: readonly ManualResume[]
  /** Those that pause now because the machine runs on its battery. */
  readonly onBattery: readonly string[]
  readonly isLocalOnly: boolean
}

const NO_LIMITS: ScheduledLimits = { maxSendKbps: null, maxRecvKbps: null }
export const NO_EFFECT: ScheduleEffect = {
  pauses: [],
  limits: NO_LIMITS,
  deviceLimits: new Map(),
  folderLimits: new Map(),
  isLocalOnly: false,
  active: new Map(),
  nextMs: undefined,
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The first day of 1970 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu')
/** A rule of yesterday may still be in force; one of today's weekday begins again in a week. */
const DAYS_BEFORE = 2
const DAYS_AFTER = 8
/** Rules that follow each other without a gap for so long have no end that is known. */
const CHAIN_MS_MAX = 7 * DAY_MS

interface Span {
  readonly startMs: number
  readonly endMs: number
}

/**
 * What the rules are at a moment. A rule begins when the clocks first show its time and ends when they last do, so that
 * it is in force once also on a day on which they show it twice; the skipped hour of spring is left out of it.
 */
export function scheduleEffect(rules: readonly ScheduleRule[], state: ScheduleState): ScheduleEffect {
  const { nowMs, zone, isLocalOnly } = state
  const spans = new Map(rules.map((rule) => [rule, spansOf(rule, nowMs, zone)]))
  const active = rules.flatMap((rule) => {
    const span = spans.get(rule)!.find((each) => includes(each, nowMs))
    return span === undefined ? [] : [{ rule, endMs: span.endMs }]
  })
  const limiting = active.map(({ rule }) => rule).filter(({ pause }) => !pause)
  const resumed = state.resumed.filter(({ untilMs }) => untilMs > nowMs)
  const edges = [...spans.values()].flatMap((each) => each.flatMap(({ startMs, endMs }) => [startMs, endMs]))
  const nextMs = [...edges, ...resumed.map(({ untilMs }) => untilMs)]
    .filter((edgeMs) => edgeMs > nowMs)
    .reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const isAll = ({ folder, device }: ScheduleRule): boolean => folder === null && device === null
  return {
    pauses: pausesOf(rules, spans, { ...state, resumed }),
    limits: lowest(limiting.filter(isAll)),
    deviceLimits: limitsBy(limiting, ({ device }) => device),
    folderLimits: limitsBy(limiting, ({ folder }) => folder),
    isLocalOnly,
    active: new Map(active.map(({ rule, endMs }) => [rule.name, endMs])),
    nextMs: nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs,
  }
}

/** Until when a resume by the user holds: the end of all that pauses the target now; undefined: nothing does. */
export function resumeUntil(pauses: readonly ScheduledPause[], { kind, id }: ScheduleTarget): number | undefined {
  return pauses.find((pause) => pause.kind === kind && pause.id === id && pause.rule !== undefined)?.untilMs
}

type Spans = ReadonlyMap<ScheduleRule, readonly Span[]>

function pausesOf(rules: readonly ScheduleRule[], spans: Spans, state: ScheduleState): readonly ScheduledPause[] {
  const pausing = rules.filter(({ pause }) => pause)
  const { folders, onBattery, resumed } = state
  const devices = new Set(pausing.flatMap(({ device }) => device ?? []))
  const targets = [
    ...folders.map((id): ScheduleTarget => ({ kind: 'folder', id })),
    ...[...devices].map((id): ScheduleTarget => ({ kind: 'device', id })),
  ]
  return targets.flatMap((target): readonly ScheduledPause[] => {
    const about = pausing.filter((rule) => isAbout(rule, target))
    const isResumed = resumed.some(({ kind, id }) => kind === target.kind && id === target.id)
    const found = isResumed ? undefined : pauseOf(about, spans, state.nowMs)
    if (found !== undefined) return [{ ...target, ...found }]
    if (target.kind !== 'folder' || !onBattery.includes(target.id)) return []
    return [{ ...target, rule: undefined, untilMs: undefined }]
  })
}

/** All is every folder: a device without a folder that runs transfers nothing. */
function isAbout({ folder, device }: ScheduleRule, { kind, id }: ScheduleTarget): boolean {
  if (kind === 'device') return device === id
  return device === null && (folder === null || folder === id)
}

type Found = Pick<ScheduledPause, 'rule' | 'untilMs'>

/** The first rule in force, and when none is any more: rules may overlap, or follow each other at once. */
function pauseOf(rules: readonly ScheduleRule[], spans: Spans, nowMs: number): Found | undefined {
  const first = rules.find((rule) => spans.get(rule)!.some((span) => includes(span, nowMs)))
  if (first === undefined) return undefined
  let untilMs = nowMs
  while (untilMs - nowMs <= CHAIN_MS_MAX) {
    const ends = rules.flatMap((rule) => spans.get(rule)!.filter((span) => includes(span, untilMs)))
    if (ends.length === 0) return { rule: first.name, untilMs }
    untilMs = ends.reduce((latest, { endMs }) => Math.max(latest, endMs), untilMs)
  }
  return { rule: first.name, untilMs: undefined }
}

function includes({ startMs, endMs }: Span, timeMs: number): boolean {
  return startMs <= timeMs && timeMs < endMs
}

/** When the rule is in force, in the days around this moment. */
function spansOf({ days, from, to }: ScheduleRule, nowMs: number, zone: Zone): readonly Span[] {
  const [start, end] = [minutesOf(from) ?? 0, minutesOf(to) ?? 0]
  const today = Math.floor(localMs(zone, nowMs) / DAY_MS)
  const spans: Span[] = []
  for (let day = today - DAYS_BEFORE; day <= today + DAYS_AFTER; day++) {
    if (!days.includes(WEEKDAYS[(day + FIRST_WEEKDAY) % 7]!)) continue
    const endDay = end > start ? day : day + 1
    const startMs = instantsOf(zone, day * DAY_MS + start * MINUTE_MS).firstMs
    const endMs = instantsOf(zone, endDay * DAY_MS + end * MINUTE_MS).lastMs
    if (startMs < endMs) spans.push({ startMs, endMs })
  }
  return spans
}

function limitsBy(
  rules: readonly ScheduleRule[],
  keyOf: (rule: ScheduleRule) => string | null,
): ReadonlyMap<string, ScheduledLimits> {
  const keys = new Set(rules.flatMap((rule) => keyOf(rule) ?? []))
  return new Map([...keys].map((key) => [key, lowest(rules.filter((rule) => keyOf(rule) === key))]))
}

/** Of rules that limit the same, the strictest counts. */
function lowest(rules: readonly ScheduledLimits[]): ScheduledLimits {
  return {
    maxSendKbps: lowestOf(rules.map(({ maxSendKbps }) => maxSendKbps)),
    maxRecvKbps: lowestOf(rules.map(({ maxRecvKbps }) => maxRecvKbps)),
  }
}

function lowestOf(limits: readonly (number | null)[]): number | null {
  const given = limits.filter((limit) => limit !== null)
  const limited = given.filter((limit) => limit > 0)
  return given.length === 0 ? null : limited.reduce((one, other) => (one === 0 ? other : Math.min(one, other)), 0)
}
