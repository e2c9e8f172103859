import { messageOf, systemCode } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import {
  parseSharedIgnores,
  problem,
  SHARED_IGNORES_NAME,
  SHARED_SIZE_BYTES_MAX,
  type SharedLines,
} from '../../core/ignore/shared-ignores.ts'
import { joinPath } from '../../core/paths.ts'
import type { KeyValue } from '../../db/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'

export interface SharedIgnoresDeps {
  readonly disk: Pick<Disk, 'open'>
  readonly keyValue: Pick<KeyValue, 'get' | 'set'>
  isEnabled(): boolean
}

const NO_LINES: SharedLines = { kind: 'lines', lines: [] }

/** Where the last valid content is stored. */
export function sharedIgnoresKey(folder: FolderId): string {
  return `shared-ignores/${folder}`
}

/**
 * The patterns of `.stglobalignore` in one folder, which other devices can change. A file that cannot be used changes
 * nothing: the last valid content stays in force, also after a restart. Otherwise items that were left out would be
 * announced to all devices because of a typing error on one of them.
 */
export class SharedIgnores {
  readonly #deps: SharedIgnoresDeps
  readonly #key: string
  readonly #root: string
  #lines: readonly string[] = []
  #problem: string | undefined
  /** Of the last text that was read: parsing takes longer than reading. */
  #parsed: { readonly text: string; readonly found: SharedLines } | undefined
  /** The last valid text; undefined before it is read. */
  #valid: string | undefined

  constructor(deps: SharedIgnoresDeps, { folder, root }: { readonly folder: FolderId; readonly root: string }) {
    this.#deps = deps
    this.#key = sharedIgnoresKey(folder)
    this.#root = root
  }

  get isEnabled(): boolean {
    return this.#deps.isEnabled()
  }

  /** Those in force, as of the last `load`. */
  get lines(): readonly string[] {
    return this.isEnabled ? this.#lines : []
  }

  /** Why the file is not used. */
  get problem(): string | undefined {
    return this.isEnabled ? this.#problem : undefined
  }

  /** Reads the file, if it is in force. Resolves with the lines that are. */
  async load(): Promise<readonly string[]> {
    if (!this.isEnabled) return []
    const found = await this.read()
    this.#problem = found.kind === 'problem' ? found.reason : undefined
    if (found.kind === 'lines') {
      this.#lines = found.lines
      await this.#store(found.lines.join('\n'))
    } else {
      const last = parseSharedIgnores(await this.#lastValid())
      this.#lines = last.kind === 'lines' ? last.lines : []
    }
    return this.#lines
  }

  /** The file as it is on the disk, whether in force or not. No file has no patterns. */
  async read(): Promise<SharedLines> {
    try {
      // A symlink, which may come from another device, is not followed.
      await using file = await this.#deps.disk.open(joinPath(this.#root, SHARED_IGNORES_NAME), 'read')
      const { sizeBytes, type } = await file.stat()
      if (type !== 'file') return problem('it is not a file')
      if (sizeBytes > SHARED_SIZE_BYTES_MAX) return problem(`it is larger than ${SHARED_SIZE_BYTES_MAX} bytes`)
      const data = new Uint8Array(sizeBytes)
      const length = await fillBuffer(file, data)
      const text = new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(0, length))
      if (this.#parsed?.text !== text) this.#parsed = { text, found: parseSharedIgnores(text) }
      return this.#parsed.found
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return NO_LINES
      if (code === 'ELOOP') return problem('it is a symlink')
      if (error instanceof TypeError) return problem('it is not a text in UTF-8')
      return problem(messageOf(error))
    }
  }

  async #lastValid(): Promise<string> {
    if (this.#valid === undefined) {
      const bytes = await this.#deps.keyValue.get(this.#key)
      this.#valid = bytes === undefined ? '' : new TextDecoder().decode(bytes)
    }
    return this.#valid
  }

  async #store(text: string): Promise<void> {
    if (text === (await this.#lastValid())) return
    await this.#deps.keyValue.set(this.#key, new TextEncoder().encode(text))
    this.#valid = text
  }
}
