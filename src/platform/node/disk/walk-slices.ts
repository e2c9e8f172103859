import { BatchPacker, type PackedBatch } from '../../files/walk-batch.ts'
import { walkTree } from '../../files/walk-tree.ts'
import type { WalkRequest } from '../../walk.ts'
import { walkDisk } from './walk-disk.ts'

/** Messages to the thread about a walk, by number. */
export type WalkCommand =
  | { readonly kind: 'start'; readonly walk: number; readonly request: WalkRequest; readonly credit: number }
  /** One batch was consumed: one more may be sent. */
  | { readonly kind: 'credit'; readonly walk: number }
  /** Cancels the walk. */
  | { readonly kind: 'stop'; readonly walk: number }

export type WalkReport =
  | { readonly kind: 'batch'; readonly walk: number; readonly batch: PackedBatch }
  /** The last message of a walk, which no longer accesses the disk. `error` when it failed. */
  | { readonly kind: 'end'; readonly walk: number; readonly error?: WalkFailure }

interface WalkFailure {
  readonly message: string
  readonly code: string | undefined
}

/** Steps between two checks for messages: about ten milliseconds. */
const YIELDS_PER_SLICE = 32

interface Walk {
  readonly number: number
  readonly steps: Generator<void, void, void>
  readonly packer: BatchPacker
  credit: number
}

/** Walks in time slices: between two slices the thread hashes or receives a cancellation. */
export class WalkSlices {
  readonly #post: (report: WalkReport) => void
  readonly #walks = new Map<number, Walk>()
  #scheduled = false

  constructor(post: (report: WalkReport) => void) {
    this.#post = post
  }

  receive(command: WalkCommand): void {
    if (command.kind === 'start') this.#start(command)
    const walk = this.#walks.get(command.walk)
    if (walk === undefined) return // already ended
    if (command.kind === 'stop') this.#end(walk)
    if (command.kind === 'credit') walk.credit++
    this.#schedule()
  }

  #start({ walk: number, request, credit }: Extract<WalkCommand, { kind: 'start' }>): void {
    const packer = new BatchPacker(request)
    const steps = walkTree({ ...walkDisk, read: () => 0 }, request, packer)
    this.#walks.set(number, { number, steps, packer, credit })
  }

  #schedule(): void {
    if (this.#scheduled || !this.#walks.values().some((walk) => walk.credit > 0)) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const walk of this.#walks.values()) this.#runSlice(walk)
      this.#schedule()
    })
  }

  #runSlice(walk: Walk): void {
    try {
      for (let yields = 0; yields < YIELDS_PER_SLICE && walk.credit > 0; yields++) {
        if (walk.steps.next().done === true) {
          this.#send(walk)
          return this.#end(walk)
        }
        if (walk.packer.isFull) this.#send(walk)
      }
    } catch (error) {
      this.#end(walk, error)
    }
  }

  #send(walk: Walk): void {
    walk.credit--
    // Copied, not transferred: the arrays are small, and each transfer has a cost.
    this.#post({ kind: 'batch', walk: walk.number, batch: walk.packer.take() })
  }

  #end({ number }: Walk, error?: unknown): void {
    this.#walks.delete(number)
    if (error === undefined) return this.#post({ kind: 'end', walk: number })
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
    this.#post({ kind: 'end', walk: number, error: { message, code } })
  }
}
