import { TwinfoldError } from '../../core/errors.ts'
import { EVENT_TYPES, type EventRow, type EventSequence, type EventSource, type EventType } from '../../events/types.ts'
import { subjectsOf } from '../../rest/event-subjects.ts'
import { GAP_RELOAD, type GapJson, type StreamedEventJson } from '../../rest/events.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'
import { flagOf } from './tree-query.ts'

/** Shorter than the minute after which proxies close a connection without data. */
const HEARTBEAT_MS = 25_000
/** Events that a reader did not select, after which it gets its position: it then connects again without a gap. */
const POSITION_EVENTS_MAX = 1_000
/** After which a browser connects again. */
const RETRY_MS = 1_000
const POSITION = /^([A-Za-z0-9]{8})-(\d{1,15})$/

export interface EventStreamDeps {
  readonly sequence: EventSequence
  readonly shown: EventSource['shown']
  readonly clock: Pick<Clock, 'nowMs'>
  /** Names this process: numbers of events begin again with each. */
  readonly run: string
}

interface Position {
  readonly after: number
  /** Events before the position are missing for this reason. */
  readonly gap: GapJson['reason'] | undefined
}

/**
 * All events as server-sent events under one sequence. A reader has a position in it and no queue, so a slow one costs
 * no memory; where the events after its position are no longer held, it gets a `gap` event instead.
 */
export function streamEvents(
  { sequence, shown, clock, run }: EventStreamDeps,
  { query, request }: Call<'types' | 'folder' | 'device' | 'since' | 'follow'>,
): Reply {
  const isWanted = filterOf(query.all('types'), query.all('folder'), query.all('device'))
  const header = request.headers['last-event-id']
  const given = typeof header === 'string' && header !== '' ? header : query.first('since')
  const start = positionOf(given, run, sequence)
  const { signal } = request
  const last = flagOf('follow', query.first('follow') ?? 'true') ? Infinity : sequence.newestId
  async function* frames(): AsyncGenerator<string, void, undefined> {
    let { after } = start
    let sent = { atMs: clock.nowMs(), position: after }
    yield `retry: ${RETRY_MS}\n${start.gap === undefined ? positionFrame(run, after) : gapFrame(run, after, start.gap)}`
    while (!signal.aborted && after < last) {
      const rows = await sequence.next(after, HEARTBEAT_MS, signal)
      if (signal.aborted) return
      const first = rows[0]?.id ?? after + 1
      if (first > after + 1) yield gapFrame(run, first - 1, 'overrun')
      after = rows.at(-1)?.id ?? after
      const visible = shown === undefined ? rows : rows.flatMap((row) => shown(row) ?? [])
      const wanted = visible.filter(isWanted)
      const isQuiet = clock.nowMs() - sent.atMs < HEARTBEAT_MS && after - sent.position < POSITION_EVENTS_MAX
      if (wanted.length === 0 && isQuiet) continue
      yield wanted.map((row) => frameOf(run, row)).join('') + positionFrame(run, after)
      sent = { atMs: clock.nowMs(), position: after }
    }
  }
  const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
  return { status: 200, contentType: 'text/event-stream; charset=utf-8', headers, body: frames() }
}

/** Events from now on, unless a position or `0` is given: then those that are still held, too. */
function positionOf(given: string | undefined, run: string, { newestId }: EventSequence): Position {
  if (given === undefined || given === '' || given === 'now') return { after: newestId, gap: undefined }
  if (given === '0') return { after: 0, gap: undefined }
  const [, ofRun, number] = POSITION.exec(given) ?? []
  if (number === undefined) throw new TwinfoldError('bad-request', 'since must be now, 0, or the id of an event')
  // The events of a process end with it; those of this one since its start may be missing, too.
  if (ofRun !== run) return { after: newestId, gap: 'restart' }
  return { after: Math.min(Number(number), newestId), gap: undefined }
}

function filterOf(
  types: readonly string[],
  folders: readonly string[],
  devices: readonly string[],
): (row: EventRow) => boolean {
  const names = types.flatMap((text) => text.split(',')).filter((name) => name !== '')
  const unknown = names.find((name) => !EVENT_TYPES.includes(name as EventType))
  if (unknown !== undefined) throw new TwinfoldError('bad-request', `there is no event type ${unknown}`)
  const [wanted, wantedFolders, wantedDevices] = [new Set(names), new Set(folders), new Set(devices)]
  return (row) => {
    if (wanted.size > 0 && !wanted.has(row.type)) return false
    if (wantedFolders.size === 0 && wantedDevices.size === 0) return true
    const subjects = subjectsOf(row.type, row.data)
    return isAmong(wantedFolders, subjects.folders) && isAmong(wantedDevices, subjects.devices)
  }
}

/** Without a selection everything is. */
function isAmong(wanted: ReadonlySet<string>, found: readonly string[]): boolean {
  return wanted.size === 0 || found.some((name) => wanted.has(name))
}

function frameOf(run: string, { id, timeMs, type, data }: EventRow): string {
  const body = { id: `${run}-${id}`, time: formatMs(timeMs), type, data } as StreamedEventJson
  return `id: ${body.id}\ndata: ${JSON.stringify(body)}\n\n`
}

/** A message without data is no event for its reader, which continues from here when it connects again. */
function positionFrame(run: string, after: number): string {
  return `id: ${run}-${after}\n\n`
}

function gapFrame(run: string, before: number, reason: GapJson['reason']): string {
  const gap: GapJson = { reason, reload: GAP_RELOAD }
  return `event: gap\nid: ${run}-${before}\ndata: ${JSON.stringify(gap)}\n\n`
}
