import { FileShares } from '../../../src/core/records/file-shares.ts'
import { earlierDevices } from '../../../src/core/records/pull-order.ts'

const STEP_MS = 10
/** Between sinks. */
const FAST_BYTES_PER_S = 40_000_000
const IN_FLIGHT_BYTES_MAX = 3 * 1_024 * 1_024
/** Records of finished files are stored and sent. */
const STORED_MS = 500
const SENT_MS = 270

export interface SinksCase {
  readonly files: number
  readonly sizeBytes: number
  /** Of the line of the source; 12,500,000 are 100 Mbit/s. */
  readonly bytesPerS: number
  /** Of sinks with a slower line of their own. */
  readonly slow?: Readonly<Record<string, number>>
  /** Sinks that announce nothing. */
  readonly silent?: readonly string[]
  /** Connected devices that need nothing. */
  readonly idle?: readonly string[]
}

interface Sink {
  readonly id: string
  readonly shares: FileShares
  readonly announced: Map<number, string>
  readonly open: Map<number, { leftBytes: number; readonly from: string | undefined }>
  readonly inbox: { readonly atMs: number; readonly place: number; readonly device: string }[]
  readonly unsent: { readonly atMs: number; readonly place: number }[]
  done: number
  doneMs: number
}

export interface SinksOutcome {
  readonly sentBytes: number
  /** When each sink had all files. */
  readonly doneMs: readonly number[]
}

/** Devices that all need the same files of one source, in steps of time. */
export function distribute(ids: readonly string[], options: SinksCase): SinksOutcome {
  const { files, sizeBytes, silent = [], slow = {} } = options
  const sinks = ids.map((id) => makeSink(id, ids, options))
  let sentBytes = 0
  for (let nowMs = 0; sinks.some(({ done }) => done < files); nowMs += STEP_MS) {
    if (nowMs > 600_000) throw new Error('the sinks do not end')
    for (const sink of sinks) beginFiles(sink, sizeBytes, nowMs)
    const limits = sinks.map(({ id, open }) => (isServed(open) ? (slow[id] ?? Infinity) : 0))
    const granted = divide(options.bytesPerS, limits)
    for (const [i, sink] of sinks.entries()) {
      const fromOthers = Math.min(slow[sink.id] ?? Infinity, FAST_BYTES_PER_S)
      const before = granted[i]!
      sentBytes += before * (STEP_MS / 1_000) - receive(sink, before, fromOthers, nowMs)
      if (sink.done === files && sink.doneMs === 0) sink.doneMs = nowMs + STEP_MS
      if (!silent.includes(sink.id)) announce(sink, sinks, nowMs)
    }
  }
  return { sentBytes, doneMs: sinks.map(({ doneMs }) => doneMs) }
}

function makeSink(id: string, ids: readonly string[], { files, sizeBytes, idle = [] }: SinksCase): Sink {
  const shares = new FileShares(0)
  const earlier = earlierDevices({ own: id, devices: [...ids, ...idle] })
  for (let place = 0; place < files; place++) {
    const before = earlier(`file-${place}.bin`)
    if (before.length === 0) shares.addOwn(place, sizeBytes)
    else shares.postpone({ place, sizeBytes, before })
  }
  return { id, shares, announced: new Map(), open: new Map(), inbox: [], unsent: [], done: 0, doneMs: 0 }
}

function beginFiles({ announced, inbox, open, shares }: Sink, sizeBytes: number, nowMs: number): void {
  while (inbox[0] !== undefined && inbox[0].atMs <= nowMs) {
    const { place, device } = inbox.shift()!
    announced.set(place, device)
    shares.announced(place, device, nowMs)
  }
  let inFlightBytes = 0
  for (const { leftBytes } of open.values()) inFlightBytes += leftBytes
  for (; inFlightBytes < IN_FLIGHT_BYTES_MAX; inFlightBytes += sizeBytes) {
    const next = shares.next(nowMs)
    if (next.kind !== 'begin') return
    shares.begun(next.place)
    open.set(next.place, { leftBytes: sizeBytes, from: announced.get(next.place) })
  }
}

/** Files arrive in the order in which they were begun; returns what was granted and not used. */
function receive(sink: Sink, fromSource: number, fromOthers: number, nowMs: number): number {
  let [slowBytes, fastBytes] = [fromSource * (STEP_MS / 1_000), fromOthers * (STEP_MS / 1_000)]
  for (const [place, file] of sink.open) {
    const bytes = Math.min(file.leftBytes, file.from === undefined ? slowBytes : fastBytes)
    file.leftBytes -= bytes
    if (file.from === undefined) slowBytes -= bytes
    else fastBytes -= bytes
    if (file.leftBytes > 0.001) continue
    sink.open.delete(place)
    sink.shares.ended(place)
    sink.done++
    sink.unsent.push({ atMs: nowMs, place })
  }
  return slowBytes
}

function announce({ id, unsent }: Sink, sinks: readonly Sink[], nowMs: number): void {
  if (unsent[0] === undefined || nowMs - unsent[0].atMs < STORED_MS) return
  for (const { place } of unsent.splice(0))
    for (const { id: other, inbox } of sinks) if (other !== id) inbox.push({ atMs: nowMs + SENT_MS, place, device: id })
}

function isServed(open: Sink['open']): boolean {
  return open.values().some(({ from }) => from === undefined)
}

/** The line divided evenly among those that use it, none of which gets more than its limit. */
function divide(total: number, limits: readonly number[]): readonly number[] {
  const granted = limits.map(() => 0)
  const order = limits.map((_, i) => i).sort((a, b) => limits[a]! - limits[b]!)
  let left = total
  for (const [before, i] of order.entries()) {
    granted[i] = Math.min(limits[i]!, left / (order.length - before))
    left -= granted[i]
  }
  return granted
}
