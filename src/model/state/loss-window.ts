import { WINDOW_MS } from '../../core/guard/net-loss.ts'

/** Each is a string in memory. What is above this is forgotten first: older losses and older files. */
const ENTRIES_MAX = 100_000

/** What a folder lost and got within the last hour. In memory only: after a restart nothing counts as new. */
export class LossWindow {
  /** Contents that were lost, by the hash of their blocks, oldest first. */
  readonly #lost = new Map<string, number>()
  /** Names of new files, oldest first. */
  readonly #made = new Map<string, number>()
  /** New names of files that were replaced by one of another extension, oldest first. */
  readonly #replaced = new Map<string, number>()

  lose(content: string, nowMs: number): void {
    put(this.#lost, content, nowMs)
  }

  /** Content that was lost exists again. */
  regain(content: string): void {
    this.#lost.delete(content)
  }

  hasLost(content: string): boolean {
    return this.#lost.has(content)
  }

  get hasLosses(): boolean {
    return this.#lost.size > 0
  }

  lostCount(nowMs: number): number {
    return recent(this.#lost, nowMs).size
  }

  /** The losses were decided on. */
  forgetLosses(): void {
    this.#lost.clear()
  }

  make(name: string, nowMs: number): void {
    put(this.#made, name, nowMs)
  }

  isMade(name: string, nowMs: number): boolean {
    return nowMs - (this.#made.get(name) ?? Number.NEGATIVE_INFINITY) < WINDOW_MS
  }

  replace(name: string, nowMs: number): void {
    put(this.#replaced, name, nowMs)
  }

  replaced(nowMs: number): ReadonlyMap<string, number> {
    return recent(this.#replaced, nowMs)
  }

  forgetReplaced(): void {
    this.#replaced.clear()
  }
}

function put(entries: Map<string, number>, key: string, nowMs: number): void {
  entries.delete(key)
  entries.set(key, nowMs)
  if (entries.size <= ENTRIES_MAX) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}

function recent(entries: Map<string, number>, nowMs: number): ReadonlyMap<string, number> {
  for (const [key, atMs] of entries) {
    if (nowMs - atMs < WINDOW_MS) break
    entries.delete(key)
  }
  return entries
}
