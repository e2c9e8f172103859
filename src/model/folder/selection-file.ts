import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { Selection, SelectionEntry } from '../../core/ignore/selection.ts'
import { readSection, replaceSection, type SelectionSection } from '../../core/ignore/selection-section.ts'
import type { Disk } from '../../platform/disk.ts'
import type { Mutex } from '../../sync/mutex.ts'
import { readIgnoreFile, rulesOfFile, writeIgnoreFile } from './ignore-file.ts'

export interface SelectionFileDeps {
  readonly disk: Disk
  readonly platform: string
  /** Held by every writer of the folder's ignore file. */
  readonly writing: Mutex
}

/** A selection that is not written yet. */
export interface PlannedSelection {
  readonly selection: Selection
  readonly before: IgnoreRules
  readonly after: IgnoreRules
}

/** The selection of one folder, in a marked section of its ignore file. */
export class SelectionFile {
  readonly #deps: SelectionFileDeps
  readonly #root: string

  constructor(deps: SelectionFileDeps, root: string) {
    this.#deps = deps
    this.#root = root
  }

  /** Rejects with `ignore-invalid` for a section that was edited to something else. */
  async read(): Promise<SelectionSection> {
    return readSection(await readIgnoreFile(this.#deps.disk, this.#root))
  }

  /** The selection with these changes, and the rules without and with them. */
  async plan(changes: readonly SelectionEntry[]): Promise<PlannedSelection> {
    const { disk, platform } = this.#deps
    const data = await readIgnoreFile(disk, this.#root)
    const selection = readSection(data).selection.with(changes)
    const next = replaceSection(data, { selection, isRemoving: false }, platform)
    const [before, after] = [await rulesOfFile(disk, this.#root, data), await rulesOfFile(disk, this.#root, next)]
    return { selection, before, after }
  }

  /** Changes the section and keeps the rest of the file. Resolves when the file is durable. */
  async change(next: (section: SelectionSection) => SelectionSection): Promise<SelectionSection> {
    const { disk, platform, writing } = this.#deps
    using _lock = await writing.lock()
    const data = await readIgnoreFile(disk, this.#root)
    const section = next(readSection(data))
    const changed = replaceSection(data, section, platform)
    if (Buffer.compare(changed, data) === 0) return section
    try {
      await writeIgnoreFile(disk, this.#root, changed)
    } catch (error) {
      throw new TwinfoldError('folder-error', `writing the selection: ${messageOf(error)}`, { cause: error })
    }
    return section
  }
}
