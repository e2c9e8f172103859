import type { FolderConfig } from '../core/config/config.ts'
import { ancestorsOf, isBelow, parentOf } from '../core/paths.ts'
import type { WatchEvent } from '../platform/watch.ts'

/**
 * Limits of tracked paths in total and per directory (except the root); beyond them the parent directory is tracked.
 */
const TRACKED_MAX = 512
const CHILDREN_MAX = 128

type Kind = 'changed' | 'mixed' | 'removed'

interface Tracked {
  readonly kind: Kind
  readonly firstMs: number
  readonly lastMs: number
}

export interface AggregateDelays {
  readonly delayMs: number
  readonly timeoutMs: number
}

/** The aggregation delays of the folder's configuration. */
export function aggregateDelays(
  settings: Pick<FolderConfig, 'fsWatcherDelayS' | 'fsWatcherTimeoutS'>,
): AggregateDelays {
  const delayS = settings.fsWatcherDelayS <= 0 ? 10 : Math.max(0.01, settings.fsWatcherDelayS)
  const given = settings.fsWatcherTimeoutS
  const timeoutS = given > 0 ? Math.max(given, delayS) : delayS < 10 ? 6 * delayS : Math.max(60, delayS)
  return { delayMs: delayS * 1_000, timeoutMs: timeoutS * 1_000 }
}

/**
 * Aggregates watcher events until they are worth a scan. Paths are due when they have settled; while others have
 * changed that are not deleted, deletions wait for them, so that the new path of a moved item is found first. Call
 * `take` once per delay.
 */
export class Aggregate {
  readonly #delays: AggregateDelays
  readonly #tracked = new Map<string, Tracked>()

  constructor(delays: AggregateDelays) {
    this.#delays = delays
  }

  get isEmpty(): boolean {
    return this.#tracked.size === 0
  }

  add(event: Exclude<WatchEvent, { kind: 'unmounted' }>, nowMs: number): void {
    if (event.kind === 'overflow') return this.#track('', { kind: 'changed', firstMs: nowMs, lastMs: nowMs })
    const seen: Tracked = { kind: event.kind, firstMs: nowMs, lastMs: nowMs }
    const holder = [...ancestorsOf(event.path), event.path].find((path) => this.#tracked.has(path))
    this.#track(holder ?? this.#trackedPathFor(event.path), seen)
  }

  /** Due paths as lists, each for one scan, in order. [''] is the whole folder. */
  take(nowMs: number): readonly (readonly string[])[] {
    const nothingNew = [...this.#tracked.values()].every((tracked) => tracked.kind !== 'changed')
    const due = [...this.#tracked].filter(([, tracked]) => this.#isDue(tracked, nowMs, nothingNew))
    for (const [path] of due) this.#tracked.delete(path)
    const order: readonly Kind[] = ['changed', 'mixed', 'removed']
    const groups = order.map((kind) =>
      due
        .filter(([, tracked]) => tracked.kind === kind)
        .map(([path]) => path)
        .sort(),
    )
    return groups.filter((paths) => paths.length > 0)
  }

  #isDue({ kind, firstMs, lastMs }: Tracked, nowMs: number, nothingNew: boolean): boolean {
    if (nowMs - firstMs >= this.#delays.timeoutMs) return true
    return (kind === 'changed' || nothingNew) && nowMs - lastMs >= this.#delays.delayMs / 2
  }

  /** The path itself, or its directory where the limits are exceeded. */
  #trackedPathFor(path: string): string {
    const directory = parentOf(path)
    let siblings = 0
    for (const tracked of this.#tracked.keys()) if (parentOf(tracked) === directory) siblings++
    if (directory !== '' && siblings >= CHILDREN_MAX) return this.#trackedPathFor(directory)
    return this.#tracked.size >= TRACKED_MAX ? '' : path
  }

  /** Tracks an event for a path and merges the tracked paths below it. */
  #track(path: string, seen: Tracked): void {
    let merged = seen
    for (const [other, tracked] of this.#tracked) {
      if (other !== path && !isBelow(other, path)) continue
      merged = merge(tracked, merged)
      this.#tracked.delete(other)
    }
    this.#tracked.set(path, merged)
  }
}

function merge(a: Tracked, b: Tracked): Tracked {
  return {
    kind: a.kind === b.kind ? a.kind : 'mixed',
    firstMs: Math.min(a.firstMs, b.firstMs),
    lastMs: Math.max(a.lastMs, b.lastMs),
  }
}
