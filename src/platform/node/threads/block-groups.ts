import { isForLanes, type BlockHasher } from '../hashing/block-hasher.ts'

/** Four blocks of the largest size arrive within it where 160 MB/s do. */
const WAIT_MS = 25

export interface BlockGroupsOptions {
  /** So many of one size are hashed together. */
  readonly hasher: Pick<BlockHasher, 'atOnce'>
  /** Called when `next` has a group that it did not have when its last block was added. */
  readonly onReady: () => void
  readonly nowMs?: () => number
  readonly after?: (ms: number, run: () => void) => void
}

interface Waiting<Block> {
  readonly blocks: Block[]
  readonly untilMs: number
}

/**
 * Received blocks in the groups in which they are hashed. Where several are hashed at a time, a block waits for others
 * of its size while they arrive quickly, otherwise only for those of the same message.
 */
export class BlockGroups<Block extends { readonly data: Uint8Array }> {
  readonly #hasher: Pick<BlockHasher, 'atOnce'>
  readonly #onReady: () => void
  readonly #nowMs: () => number
  readonly #after: (ms: number, run: () => void) => void
  readonly #ready: (readonly Block[])[] = []
  /** By the size of their blocks. */
  readonly #waiting = new Map<number, Waiting<Block>>()
  /** When the last blocks arrived, as many as make a group. */
  readonly #arrivals: number[] = []
  #isTimed = false

  constructor(options: BlockGroupsOptions) {
    const { hasher, onReady, nowMs = () => performance.now(), after = (ms, run) => void setTimeout(run, ms) } = options
    this.#hasher = hasher
    this.#onReady = onReady
    this.#nowMs = nowMs
    this.#after = after
  }

  add(block: Block): void {
    const { atOnce } = this.#hasher
    const sizeBytes = block.data.length
    if (atOnce === 1 || !isForLanes(sizeBytes)) return void this.#ready.push([block])
    const nowMs = this.#nowMs()
    const isQuick = this.#isQuick(nowMs, atOnce)
    const group = this.#waiting.get(sizeBytes) ?? { blocks: [], untilMs: nowMs + (isQuick ? WAIT_MS : 0) }
    group.blocks.push(block)
    if (group.blocks.length < atOnce) this.#waiting.set(sizeBytes, group)
    else this.#setReady(sizeBytes, group)
    this.#time(nowMs)
  }

  next(): readonly Block[] | undefined {
    return this.#ready.shift()
  }

  /** Whether a whole group arrived within the wait. */
  #isQuick(nowMs: number, atOnce: number): boolean {
    this.#arrivals.push(nowMs)
    if (this.#arrivals.length > atOnce) this.#arrivals.shift()
    return this.#arrivals.length === atOnce && nowMs - this.#arrivals[0]! <= WAIT_MS
  }

  #setReady(sizeBytes: number, { blocks }: Waiting<Block>): void {
    this.#waiting.delete(sizeBytes)
    this.#ready.push(blocks)
  }

  #time(nowMs: number): void {
    if (this.#isTimed || this.#waiting.size === 0) return
    this.#isTimed = true
    let nextMs = Number.POSITIVE_INFINITY
    for (const { untilMs } of this.#waiting.values()) nextMs = Math.min(nextMs, untilMs)
    this.#after(Math.max(0, nextMs - nowMs), () => this.#release())
  }

  #release(): void {
    this.#isTimed = false
    const nowMs = this.#nowMs()
    for (const [sizeBytes, group] of this.#waiting) if (group.untilMs <= nowMs) this.#setReady(sizeBytes, group)
    this.#time(nowMs)
    this.#onReady()
  }
}
