import { createHash } from 'node:crypto'

export interface Written {
  /** Who wrote it. */
  readonly member: string
  readonly path: string
  readonly round: number
  /** Whether its writer may expect it to exist: false once somebody who saw it replaced or deleted it. */
  wanted: boolean
  /** Whether it was found in a tree of another member at the end of a round. */
  spread: boolean
}

/** Every content that was written during a run, and whether it must still exist. Contents are unique. */
export class Ledger {
  readonly #contents = new Map<string, Written>()
  #replaced = 0

  get written(): number {
    return this.#contents.size
  }

  get replaced(): number {
    return this.#replaced
  }

  /** A content that a program has written. Without `wanted`: a state on the way, which may be seen and may vanish. */
  add(content: Uint8Array, member: string, path: string, round: number, wanted = true): void {
    const digest = digestOf(content)
    const known = this.#contents.get(digest)
    if (known === undefined) this.#contents.set(digest, { member, path, round, wanted, spread: false })
    else known.wanted ||= wanted
  }

  /** Somebody has replaced or deleted the content after seeing exactly it. */
  replace(content: Uint8Array): void {
    const written = this.#contents.get(digestOf(content))
    if (written?.wanted === true) this.#replaced++
    if (written !== undefined) written.wanted = false
  }

  find(digest: string): Written | undefined {
    return this.#contents.get(digest)
  }

  /** Contents that must exist and are not among those found. */
  missing(found: ReadonlySet<string>): readonly (readonly [digest: string, written: Written])[] {
    return [...this.#contents].filter(([digest, { wanted }]) => wanted && !found.has(digest))
  }

  /** A loss is reported once. */
  forget(digest: string): void {
    const written = this.#contents.get(digest)
    if (written !== undefined) written.wanted = false
  }
}

/** As `treeItems` has it. */
export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 24)
}
