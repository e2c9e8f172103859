import type { Farewell } from './past.ts'

/** A device has told its index by then of what it put on its disk: pulled files wait two seconds for others at most. */
const RECORDED_WITHIN_MS = 10_000

interface Placed {
  readonly content: number
  readonly atMs: number
  /** `forgotten`: the power went before the index heard of it. */
  state: 'new' | 'recorded' | 'forgotten'
  /** What people removed or replaced before the index heard that it was there. */
  readonly farewells: Farewell[]
}

/**
 * Contents that came to the disk of a device and are not in its index yet. Between the two the power can go. Somebody
 * who then removes such a content, while the device is off, removes what the device never knew it had: after the next
 * start it finds nothing new, or another past than the content had, and cannot tell anybody. Devices go by their names.
 */
export class Unrecorded {
  /** By device and path. */
  readonly #placed = new Map<string, Map<string, Placed>>()

  /** Something with this content is on the disk now; it may have been there before. */
  appeared(device: string, path: string, content: number, nowMs: number): void {
    const placed = this.#of(device)
    if (placed.get(path)?.content !== content) placed.set(path, { content, atMs: nowMs, state: 'new', farewells: [] })
  }

  /** Nothing is there any more. */
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
      item.state = 'forgotten'
      for (const farewell of item.farewells) farewell.untold = true
    }
  }

  /** Whoever stops in order leaves nothing unsaid of what it did. */
  stopped(device: string): void {
    for (const item of this.#of(device).values()) if (item.state === 'new') item.state = 'recorded'
  }

  farewell(device: string, farewell: Farewell): void {
    const item = this.#of(device).get(farewell.path)
    if (item === undefined || item.content !== farewell.content || item.state === 'recorded') return
    if (item.state === 'forgotten') farewell.untold = true
    else item.farewells.push(farewell)
  }

  #of(device: string): Map<string, Placed> {
    const placed = this.#placed.get(device) ?? new Map<string, Placed>()
    this.#placed.set(device, placed)
    return placed
  }
}
