import { RequestRefused } from './errors.ts'
import type { BlockReply, BlockRequest } from './types.ts'

const ID_MAX = 0x7fff_ffff

/** Those who give up when the same signal aborts: to listen for each by itself costs more than the rest of a request. */
interface Group {
  readonly ids: Set<number>
  readonly onAbort: () => void
}

interface Waiting {
  readonly signal: AbortSignal
  into: BlockRequest['into'] | undefined
  readonly resolve: (data: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

/** Requests we sent and have no answer to yet, by the number that the answer will carry. */
export class PendingRequests {
  readonly #waiting = new Map<number, Waiting>()
  readonly #groups = new Map<AbortSignal, Group>()
  #nextId = 0

  get count(): number {
    return this.#waiting.size
  }

  has(id: number): boolean {
    return this.#waiting.has(id)
  }

  /** The answer rejects with the signal's reason when that aborts. */
  open(into: BlockRequest['into'], signal: AbortSignal): { readonly id: number; readonly answer: Promise<Uint8Array> } {
    while (this.#waiting.has(this.#nextId)) this.#advance()
    const id = this.#nextId
    this.#advance()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    this.#waiting.set(id, { into, signal, resolve, reject })
    this.#group(signal).ids.add(id)
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
    if (waiting === undefined) return undefined
    this.#waiting.delete(id)
    this.#leave(waiting.signal, id)
    return waiting
  }

  #group(signal: AbortSignal): Group {
    const known = this.#groups.get(signal)
    if (known !== undefined) return known
    const ids = new Set<number>()
    const group: Group = { ids, onAbort: () => ids.forEach((id) => this.fail(id, signal.reason)) }
    this.#groups.set(signal, group)
    signal.addEventListener('abort', group.onAbort)
    return group
  }

  #leave(signal: AbortSignal, id: number): void {
    const group = this.#groups.get(signal)
    if (group === undefined) return
    group.ids.delete(id)
    if (group.ids.size > 0) return
    this.#groups.delete(signal)
    signal.removeEventListener('abort', group.onAbort)
  }

  #advance(): void {
    this.#nextId = this.#nextId === ID_MAX ? 0 : this.#nextId + 1
  }
}
