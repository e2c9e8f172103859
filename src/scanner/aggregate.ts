import type { FolderConfig } from '../core/config/config.ts'
import { ancestorsOf, isBelow, parentOf } from '../core/paths.ts'
import type { WatchEvent } from '../platform/watch.ts'

/** Paths tracked in all, and in one directory other than the root, before the directory stands for them. */
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

/** How long changes settle, from the folder's settings. */
export function aggregateDelays(
  settings: Pick<FolderConfig, 'fsWatcherDelayS' | 'fsWatcherTimeoutS'>,
): AggregateDelays {
  const delayS = settings.fsWatcherDelayS <= 0 ? 10 : Math.max(0.01, settings.fsWatcherDelayS)
  const given = settings.fsWatcherTimeoutS
  const timeoutS = given > 0 ? Math.max(given, delayS) : delayS < 10 ? 6 * delayS : Math.max(60, delayS)
  return { delayMs: delayS * 1_000, timeoutMs: timeoutS * 1_000 }
}

/**
 * Gathers what the watcher says until it is worth a scan: changes that have settled, deletions a good while later, so
 * that the new place of what was moved is found first. Ask with `take` once every delay.
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

  add(event: WatchEvent, nowMs: number): void {
    if (event.kind === 'overflow') return this.#track('', { kind: 'changed', firstMs: nowMs, lastMs: nowMs })
    const seen: Tracked = { kind: event.kind, firstMs: nowMs, lastMs: nowMs }
    const holder = [...ancestorsOf(event.path), event.path].find((path) => this.#tracked.has(path))
    this.#track(holder ?? this.#roomFor(event.path), seen)
  }

  /** What is due: lists of paths, each for a scan of its own, in order. [''] is the whole folder. */
  take(nowMs: number): readonly (readonly string[])[] {
    const onlyDeletions = [...this.#tracked.values()].every((tracked) => tracked.kind === 'removed')
    const due = [...this.#tracked].filter(([, tracked]) => this.#isDue(tracked, nowMs, onlyDeletions))
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

  #isDue({ kind, firstMs, lastMs }: Tracked, nowMs: number, onlyDeletions: boolean): boolean {
    if (nowMs - firstMs >= this.#delays.timeoutMs) return true
    return (kind === 'changed' || onlyDeletions) && nowMs - lastMs >= this.#delays.delayMs / 2
  }

  /** The path itself, or the directory that stands for it because there are too many. */
  #roomFor(path: string): string {
    const directory = parentOf(path)
    let siblings = 0
    for (const tracked of this.#tracked.keys()) if (parentOf(tracked) === directory) siblings++
    if (directory !== '' && siblings >= CHILDREN_MAX) return this.#roomFor(directory)
    return this.#tracked.size >= TRACKED_MAX ? '' : path
  }

  /** Notes an event of a path, which from now on stands for everything below it as well. */
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
