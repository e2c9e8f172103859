import { parentPort } from 'node:worker_threads'
import { BatchPacker, type PackedBatch } from '../walk-batch.ts'
import { walkTree } from '../walk-tree.ts'
import type { WalkRequest } from '../walk.ts'
import { walkDisk } from './walk-disk.ts'

/** What the thread is told. One walk at a time. */
export type WalkCommand =
  | { readonly kind: 'start'; readonly request: WalkRequest; readonly credit: number }
  /** One batch has been taken: one more may come. */
  | { readonly kind: 'credit' }

export type WalkReport =
  | { readonly kind: 'batch'; readonly batch: PackedBatch }
  /** The walk is over and the thread is free. `error` when the root could not be read. */
  | { readonly kind: 'end'; readonly error?: { readonly message: string; readonly code: string | undefined } }

/** Steps between two looks at the mail: about ten milliseconds. */
const YIELDS_PER_TURN = 32

class WalkThread {
  readonly #post: (report: WalkReport, transfer?: readonly ArrayBuffer[]) => void
  readonly #packer = new BatchPacker()
  #walk: Generator<void, void, void> | undefined
  #credit = 0
  #scheduled = false

  constructor(post: (report: WalkReport, transfer?: readonly ArrayBuffer[]) => void) {
    this.#post = post
  }

  receive(command: WalkCommand): void {
    if (command.kind === 'start') {
      this.#walk = walkTree({ ...walkDisk, read: () => 0 }, command.request, this.#packer)
      this.#credit = command.credit
    } else this.#credit++
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#walk === undefined || this.#credit === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#turn()
      this.#schedule()
    })
  }

  #turn(): void {
    try {
      for (let turns = 0; turns < YIELDS_PER_TURN && this.#credit > 0 && this.#walk !== undefined; turns++) {
        if (this.#walk.next().done === true) {
          this.#send()
          this.#end()
        } else if (this.#packer.isFull) this.#send()
      }
    } catch (error) {
      this.#packer.take()
      this.#end(error)
    }
  }

  #send(): void {
    const batch = this.#packer.take()
    this.#credit--
    const { types, sizes, seconds, nanoseconds, modes } = batch
    const buffers = [types, sizes, seconds, nanoseconds, modes].map((array) => array.buffer)
    this.#post({ kind: 'batch', batch }, buffers.filter((buffer) => buffer instanceof ArrayBuffer))
  }

  #end(error?: unknown): void {
    this.#walk = undefined
    if (error === undefined) return this.#post({ kind: 'end' })
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
    this.#post({ kind: 'end', error: { message, code } })
  }
}

if (parentPort !== null) {
  const port = parentPort
  const thread = new WalkThread((report, transfer) => port.postMessage(report, transfer ?? []))
  port.on('message', (command: WalkCommand) => thread.receive(command))
}
