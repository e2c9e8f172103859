import type { Grant } from '../../core/access.ts'
import type { Config } from '../../core/config/config.ts'
import type { Extensions } from '../../core/config/extensions.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { ResolvedConflict } from '../../model/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { randomText, type Random } from '../../platform/random.ts'
import type { Reply } from './reply.ts'

/** A change that a client has made, with what undoes it. */
export type UndoableChange =
  | { readonly kind: 'config'; readonly before: Config; readonly after: Config }
  | { readonly kind: 'settings'; readonly before: Extensions; readonly after: Extensions }
  | {
      readonly kind: 'ignores'
      readonly folder: FolderId
      readonly before: readonly string[]
      readonly after: readonly string[]
    }
  | { readonly kind: 'conflicts'; readonly folder: FolderId; readonly resolved: readonly ResolvedConflict[] }

interface Entry {
  readonly change: UndoableChange
  /** Whose it is; undefined for the owner of the device. */
  readonly owner: string | undefined
  readonly untilMs: number
}

/** Who makes a change, and by which request. */
export interface ChangeAuthor {
  readonly request: Pick<HttpRequest, 'headers'>
  readonly grant: Grant | undefined
}

/** A request with this header gets the token of the undo in the same header of the reply. */
const HEADER = 'X-Twinfold-Undo'
const KEPT_MS = 3_600_000
/** Each may hold two configurations, or 500 conflicts. */
const ENTRIES_MAX = 64
const TOKEN_LENGTH = 32

/** The latest changes of clients that asked for an undo, by token. They end with the process, or after an hour. */
export class UndoLog {
  readonly #deps: { readonly clock: Pick<Clock, 'nowMs'>; readonly random: Random }
  readonly #entries = new Map<string, Entry>()

  constructor(deps: { readonly clock: Pick<Clock, 'nowMs'>; readonly random: Random }) {
    this.#deps = deps
  }

  /** The reply, with a token if the request wants one. Only who has made the change can undo it. */
  offer(by: ChangeAuthor, reply: Reply, changed: () => UndoableChange | undefined): Reply {
    const change = by.request.headers[HEADER.toLowerCase()] === undefined ? undefined : changed()
    if (change === undefined) return reply
    const { clock, random } = this.#deps
    const token = randomText(random, TOKEN_LENGTH)
    this.#entries.set(token, { change, owner: ownerOf(by.grant), untilMs: clock.nowMs() + KEPT_MS })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ENTRIES_MAX) break
      this.#entries.delete(oldest)
    }
    return { ...reply, headers: { ...reply.headers, [HEADER]: token } }
  }

  /** The newest first. Throws `refused` where one is not known. */
  find(tokens: readonly string[], grant: Grant | undefined): readonly UndoableChange[] {
    const wanted = new Set(tokens)
    const found = [...this.#entries].filter(
      ([token, entry]) =>
        wanted.has(token) && entry.owner === ownerOf(grant) && entry.untilMs > this.#deps.clock.nowMs(),
    )
    if (found.length < wanted.size || wanted.size === 0)
      throw new TwinfoldError('refused', 'this can no longer be undone: it was undone already, or is too long ago')
    return found.map(([, { change }]) => change).reverse()
  }

  forget(tokens: readonly string[]): void {
    for (const token of tokens) this.#entries.delete(token)
  }
}

function ownerOf(grant: Grant | undefined): string | undefined {
  return grant === undefined ? undefined : `${grant.kind} ${grant.name}`
}
