import { RequestRefused } from './errors.ts'
import type { BlockReply, BlockRequest } from './types.ts'

const ID_MAX = 0x7fff_ffff

interface Waiting {
  into: BlockRequest['into'] | undefined
  readonly resolve: (data: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

/** Requests we sent and have no answer to yet, by the number that the answer will carry. */
export class PendingRequests {
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 0

  get count(): number {
    return this.#waiting.size
  }

  has(id: number): boolean {
    return this.#waiting.has(id)
  }

  open(into?: BlockRequest['into']): { readonly id: number; readonly answer: Promise<Uint8Array> } {
    while (this.#waiting.has(this.#nextId)) this.#advance()
    const id = this.#nextId
    this.#advance()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    this.#waiting.set(id, { into, resolve, reject })
    return { id, answer: promise }
  }

  /** Memory for the data of an answer that is about to come. Given out once: a second answer finds none. */
  placeFor(id: number, dataBytes: number): Uint8Array | undefined {
    const waiting = this.#waiting.get(id)
    const place = waiting?.into?.(dataBytes)
    if (waiting !== undefined) waiting.into = undefined
    return place
  }

  /** An answer to what nobody asked, or asks no more, is ignored. */
  settle(id: number, reply: BlockReply): void {
    const waiting = this.#take(id)
    if (reply.kind === 'data') waiting?.resolve(reply.data)
    else waiting?.reject(new RequestRefused(reply.code))
  }

  fail(id: number, reason: unknown): void {
    this.#take(id)?.reject(reason)
  }

  failAll(reason: unknown): void {
    for (const id of this.#waiting.keys()) this.fail(id, reason)
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #advance(): void {
    this.#nextId = this.#nextId === ID_MAX ? 0 : this.#nextId + 1
  }
}
