import type { Removal } from './removals.ts'

/** A device records within this time what it put on its disk: pulled files wait at most two seconds for a batch. */
const RECORDED_WITHIN_MS = 10_000

interface Placed {
  readonly content: number
  readonly atMs: number
  /** `lost`: power was lost before the index recorded it. */
  state: 'new' | 'recorded' | 'lost'
  /** Removals and replacements before the index recorded the item. */
  readonly removals: Removal[]
}

/**
 * Contents that are on the disk of a device and not in its index yet, when power may be lost. A removal of such a
 * content while the device is off cannot be detected at the next start, as no record of the content exists. Devices are
 * given by name.
 */
export class Unrecorded {
  /** By device and path. */
  readonly #placed = new Map<string, Map<string, Placed>>()

  /** An item with this content is on the disk, now or already before. */
  appeared(device: string, path: string, content: number, nowMs: number): void {
    const placed = this.#of(device)
    if (placed.get(path)?.content !== content) placed.set(path, { content, atMs: nowMs, state: 'new', removals: [] })
  }

  /** The item was removed. */
  gone(device: string, path: string): void {
    if (this.#of(device).get(path)?.state === 'recorded') this.#of(device).delete(path)
  }

  recorded(device: string, paths: readonly string[]): void {
    for (const path of paths) {
      const item = this.#of(device).get(path)
      if (item !== undefined) item.state = 'recorded'
    }
  }

  powerLost(device: string, nowMs: number): void {
    for (const item of this.#of(device).values()) {
      if (item.state !== 'new' || nowMs - item.atMs > RECORDED_WITHIN_MS) continue
      item.state = 'lost'
      for (const removal of item.removals) removal.unrecorded = true
    }
  }

  /** A clean shutdown records everything. */
  stopped(device: string): void {
    for (const item of this.#of(device).values()) if (item.state === 'new') item.state = 'recorded'
  }

  removed(device: string, removal: Removal): void {
    const item = this.#of(device).get(removal.path)
    if (item === undefined || item.content !== removal.content || item.state === 'recorded') return
    if (item.state === 'lost') removal.unrecorded = true
    else item.removals.push(removal)
  }

  #of(device: string): Map<string, Placed> {
    const placed = this.#placed.get(device) ?? new Map<string, Placed>()
    this.#placed.set(device, placed)
    return placed
  }
}
