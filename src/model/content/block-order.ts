import type { Block } from '../../core/records/block-diff.ts'

/** Blocks whose sources are looked at before more of those that few devices have are requested. */
const EXAMINED_MAX = 256
/** Blocks that few devices have, requested before the others are looked at again. */
const SCARCE_MAX = 16
/** With more in flight, a wait costs nothing: our line is in use. */
const IN_FLIGHT_MAX = 8
/** A wait for other devices ends after this time, after which what they have is looked at again. */
const PAUSE_MS = 100
/** Limits of all waits for other devices: this part of the time that we would take ourselves, and an absolute one. */
const WAIT_PART = 0.5
const WAIT_MS_MAX = 5_000

/** The blocks of a file that are to be fetched. */
export interface BlockOrder {
  /** In this order. */
  readonly first: readonly Block[]
  /** Those that other devices fetch meanwhile: what they have is fetched from them. */
  readonly others: readonly Block[]
}

/** The requests for the blocks of one file. */
export interface BlockRequests {
  /** Whether more than the first source has the block by now. */
  isCommon(block: Block): Promise<boolean>
  /** Blocks that are requested and have not arrived. */
  inFlight(): number
  nowMs(): number
  /** Rejects when the requests are aborted. */
  pause(ms: number): Promise<void>
}

/**
 * The blocks in the order in which they are to be requested: our own share, and what other devices have as soon as they
 * have it. Those that they are just fetching are waited for, as long as that may be quicker than to fetch them as well:
 * behind the line of one slow source, a block that is sent twice delays all.
 */
export async function* byAvailability(
  { first, others }: BlockOrder,
  requests: BlockRequests,
): AsyncGenerator<Block, void, void> {
  const own = [...first]
  const left = [...others]
  const startMs = requests.nowMs()
  let waitMs: number | undefined
  let isShared = false
  while (own.length > 0 || left.length > 0) {
    const scarce: Block[] = []
    const examined = left.splice(0, EXAMINED_MAX)
    for (const block of examined) {
      if (await requests.isCommon(block)) yield block
      else scarce.push(block)
    }
    const found = examined.length - scarce.length
    isShared ||= found > 0
    if (own.length > 0) yield* own.splice(0, SCARCE_MAX)
    else if (found === 0 && isShared && requests.inFlight() > IN_FLIGHT_MAX) await requests.pause(PAUSE_MS)
    else if (found === 0) {
      if (isShared) waitMs ??= waitFor(left.length + scarce.length, requests.nowMs() - startMs, first.length)
      if (waitMs !== undefined && waitMs > 0) {
        waitMs -= PAUSE_MS
        await requests.pause(PAUSE_MS)
      } else yield* scarce.splice(0, SCARCE_MAX)
    }
    for (const block of scarce) left.push(block)
  }
}

/** By the time that our own share took. */
function waitFor(count: number, ownMs: number, ownCount: number): number {
  return Math.min(WAIT_MS_MAX, (ownMs / Math.max(1, ownCount)) * count * WAIT_PART)
}
