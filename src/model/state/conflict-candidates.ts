import { conflictOriginal, isConflictName } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'

const COPIES_MAX = 1_000

/** Conflict copies that may be superfluous: they, or their files, were changed since they were last taken. */
export class ConflictCandidates {
  /** By the file of which they are copies. */
  readonly #copies = new Map<string, Set<string>>()
  readonly #due = new Set<string>()

  get any(): boolean {
    return this.#due.size > 0
  }

  /** Records that were stored. */
  note(records: readonly FileHead[]): void {
    for (const { deleted, name, type } of records) {
      if (!isConflictName(name)) for (const copy of this.#copies.get(name) ?? []) this.#due.add(copy)
      else if (deleted || type !== 'file') this.#forget(name)
      else if (this.#due.size < COPIES_MAX) {
        this.#due.add(name)
        this.#remember(name)
      }
    }
  }

  take(): readonly string[] {
    const due = [...this.#due]
    this.#due.clear()
    return due
  }

  #remember(copy: string): void {
    const original = conflictOriginal(copy)
    if (this.#copies.size < COPIES_MAX) this.#copies.set(original, (this.#copies.get(original) ?? new Set()).add(copy))
  }

  #forget(copy: string): void {
    const original = conflictOriginal(copy)
    this.#due.delete(copy)
    const others = this.#copies.get(original)
    others?.delete(copy)
    if (others?.size === 0) this.#copies.delete(original)
  }
}
