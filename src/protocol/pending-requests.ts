import { RequestRefused } from './errors.ts'
import type { BlockReply, BlockRequest } from './types.ts'

const ID_MAX = 0x7fff_ffff

/** Requests with the same signal: one listener per request would cost more than the rest of the request. */
interface Group {
  readonly ids: Set<number>
  readonly onAbort: () => void
}

interface Pending {
  readonly signal: AbortSignal
  into: BlockRequest['into'] | undefined
  readonly resolve: (data: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

/** Requests without a response yet, by id. */
export class PendingRequests {
  readonly #pending = new Map<number, Pending>()
  readonly #groups = new Map<AbortSignal, Group>()
  #nextId: number
  readonly #lastId: number

  constructor(firstId = 0, lastId = ID_MAX) {
    this.#nextId = firstId
    this.#lastId = lastId
  }

  get count(): number {
    return this.#pending.size
  }

  has(id: number): boolean {
    return this.#pending.has(id)
  }

  /** The response rejects with the signal's reason when that aborts. */
  open(
    into: BlockRequest['into'],
    signal: AbortSignal,
  ): { readonly id: number; readonly response: Promise<Uint8Array> } {
    while (this.#pending.has(this.#nextId)) this.#advance()
    const id = this.#nextId
    this.#advance()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    this.#pending.set(id, { into, signal, resolve, reject })
    this.#group(signal).ids.add(id)
    return { id, response: promise }
  }

  /** The buffer for the data of a response. Returned once: a duplicate response gets none. */
  bufferFor(id: number, dataBytes: number): Uint8Array | undefined {
    const pending = this.#pending.get(id)
    const buffer = pending?.into?.(dataBytes)
    if (pending !== undefined) pending.into = undefined
    return buffer
  }

  /** A response to an unknown or cancelled request is ignored. */
  settle(id: number, reply: BlockReply): void {
    const pending = this.#take(id)
    if (reply.kind === 'data') pending?.resolve(reply.data)
    else pending?.reject(new RequestRefused(reply.code))
  }

  fail(id: number, reason: unknown): void {
    this.#take(id)?.reject(reason)
  }

  failAll(reason: unknown): void {
    for (const id of this.#pending.keys()) this.fail(id, reason)
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    this.#leave(pending.signal, id)
    return pending
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
    this.#nextId = this.#nextId === this.#lastId ? 0 : this.#nextId + 1
  }
}
