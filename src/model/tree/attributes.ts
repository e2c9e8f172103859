import { attributeRules, missingAttributes, type AttributeRulesOptions } from '../../core/records/attribute-rules.ts'
import {
  areSameAttributes,
  attributeChange,
  AttributeFilter,
  inOrder,
  linuxAttributesOf,
  type AttributeChange,
  type AttributeList,
} from '../../core/attributes/attributes.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { ShortId } from '../../core/ids.ts'
import { joinPath } from '../../core/paths.ts'
import type { Logger } from '../../events/types.ts'
import {
  completeAttributes,
  withAttributes,
  type AttributeAccess,
  type ScanAttributes,
} from '../../scanner/attributes.ts'
import type { Attributes, AttributesWritten } from '../../platform/attributes.ts'
import type { Disk } from '../../platform/disk.ts'
import { Anchor } from '../../platform/files/anchored-disk.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'

export interface FolderAttributesDeps {
  readonly attributes: Attributes
  readonly disk: Pick<Disk, 'chmod' | 'holdDirectory' | 'lstat' | 'realPath'>
  readonly log: Logger
}

export interface FolderAttributesOptions {
  readonly folder: Pick<FolderConfig, 'id' | 'xattrFilter'>
  readonly root: string
  readonly ownShortId: ShortId
  /** Received attributes are set on items. */
  readonly synced: boolean
}

/** The attribute part of one scan. */
export interface AttributePass extends ScanAttributes {
  /** To be called after a successful scan. */
  done(): void
}

const NONE: AttributeList = []
const NEVER_ABORTS = new AbortController().signal
const OWNER_READ_WRITE = 0o600
const OWNER_WRITE = 0o200
const UNAVAILABLE = 'extended attributes are not synchronized: install the package attr'
const TOO_LARGE = 'extended attributes are larger than this folder takes (maxTotalSize)'

/**
 * The extended attributes of one folder's items. When synchronization is enabled for an existing folder, received
 * records have attributes that the files lack, which would be recorded as removals. So until a full scan has set them,
 * attributes are only added, and missing ones do not count as removed.
 */
export class FolderAttributes {
  readonly #deps: FolderAttributesDeps
  readonly #root: string
  readonly #anchor: Anchor
  readonly #folderId: string
  readonly #rules: AttributeRulesOptions
  /** The attributes on disk match the records. */
  #settled = false
  #warned = false

  constructor(deps: FolderAttributesDeps, { folder, root, ownShortId, synced }: FolderAttributesOptions) {
    this.#deps = deps
    this.#root = root
    this.#anchor = new Anchor(deps.disk, root)
    this.#folderId = folder.id
    this.#rules = { filter: new AttributeFilter(folder.xattrFilter), ownShortId, synced }
  }

  pass(subs: readonly string[]): AttributePass {
    let isWhole = subs.includes('')
    const access: AttributeAccess = {
      read: async (names, signal) => {
        const seen = await this.#readFiltered(names, signal)
        if (seen === undefined || [...seen.failed.values()].some((reason) => reason !== undefined)) isWhole = false
        return seen
      },
      complete: async (record, attributes) => {
        const now = await this.#complete(record, attributes)
        if ('error' in now) isWhole = false
        return now
      },
    }
    return {
      rules: attributeRules(this.#rules),
      read: (items, onProblem, signal) => withAttributes(items, access, onProblem, signal),
      complete: (item, record, onProblem) => completeAttributes(item, record, access, onProblem),
      done: () => {
        if (isWhole) this.#settled = true
      },
    }
  }

  async #readFiltered(names: readonly string[], signal: AbortSignal): ReturnType<AttributeAccess['read']> {
    const seen = await this.#deps.attributes.read(this.#root, names, signal)
    if (seen.kind === 'unsupported') return this.#warn()
    const found = new Map<string, AttributeList>()
    const failed = new Map<string, string | undefined>()
    for (const [name, { code, text }] of seen.failed)
      failed.set(name, code === 'gone' ? undefined : `reading extended attributes: ${text}`)
    for (const [name, attributes] of seen.found) {
      const permitted = this.#rules.filter.permitted(attributes)
      if (permitted === 'too-large') failed.set(name, TOO_LARGE)
      else found.set(name, permitted)
    }
    return { found, failed }
  }

  async #complete(record: FileHead, attributes: AttributeList): ReturnType<AttributeAccess['complete']> {
    if (this.#settled || !this.#rules.synced || isInvalid(record)) return attributes
    const set = missingAttributes(record, attributes, this.#rules)
    if (set === undefined) return attributes
    const outcome = await this.#write(joinPath(this.#root, record.name), { set, remove: [] })
    if (outcome.kind === 'unsupported') return { error: UNAVAILABLE }
    return outcome.kind === 'failed' ? { error: reasonOf(outcome) } : inOrder([...attributes, ...set])
  }

  /** Whether a new item needs attributes. */
  isWanted(record: FileHead): boolean {
    return (this.#wanted(record)?.length ?? 0) > 0
  }

  areSame(a: FileHead, b: FileHead): boolean {
    const [left, right] = [this.#wanted(a), this.#wanted(b)]
    return left === undefined || right === undefined || areSameAttributes(left, right)
  }

  /** For an item just created. Rejects with `item-failed`, like `setAt`. */
  async setNew(name: string, record: FileHead): Promise<void> {
    await this.#change(name, { set: this.#wanted(record) ?? NONE, remove: [] })
  }

  /** For an item that may have attributes. `before`: our record, if the disk matched it. */
  async setAt(name: string, record: FileHead, before?: FileHead): Promise<void> {
    const wanted = this.#wanted(record)
    if (wanted === undefined) return
    const isKnown = before !== undefined && before.type === record.type && !before.deleted && !isInvalid(before)
    const recorded = this.#settled && isKnown ? this.#wanted(before) : undefined
    if (recorded !== undefined && areSameAttributes(recorded, wanted)) return
    const seen = await this.#deps.attributes.read(this.#root, [name], NEVER_ABORTS)
    if (seen.kind === 'unsupported') return this.#warn()
    const failure = seen.failed.get(name)
    if (failure !== undefined) throw itemFailed(`reading extended attributes: ${failure.text}`)
    const now = (seen.found.get(name) ?? NONE).filter((attribute) => this.#rules.filter.permits(attribute))
    const { set, remove } = attributeChange(now, wanted)
    await this.#change(name, { set, remove: this.#settled ? remove : [] })
  }

  /** Undefined where a record has no attribute data, or more than the limit. */
  #wanted({ platform }: FileHead): AttributeList | undefined {
    const received = linuxAttributesOf(platform)
    const permitted = received && this.#rules.filter.permitted(received)
    return permitted === 'too-large' ? undefined : permitted
  }

  async #change(name: string, change: AttributeChange): Promise<void> {
    const outcome = await this.#write(joinPath(this.#root, name), change)
    if (outcome.kind === 'failed') throw itemFailed(reasonOf(outcome))
  }

  async #write(path: string, change: AttributeChange): Promise<AttributesWritten> {
    if (change.set.length === 0 && change.remove.length === 0) return { kind: 'written' }
    return await this.#anchor.at(path, (at) => this.#writeAt(at, change))
  }

  async #writeAt(path: string, change: AttributeChange): Promise<AttributesWritten> {
    const write = () => this.#deps.attributes.write(path, change)
    const outcome = await write()
    if (outcome.kind === 'unsupported') this.#warn()
    if (outcome.kind !== 'failed' || outcome.failure.code !== 'not-permitted') return outcome
    // Setting attributes requires write permission, even for the owner.
    const { disk } = this.#deps
    const { mode, type } = await disk.lstat(path)
    if ((mode & OWNER_WRITE) !== 0 || (type !== 'file' && type !== 'directory')) return outcome
    await disk.chmod(path, mode | OWNER_READ_WRITE)
    try {
      return await write()
    } finally {
      await disk.chmod(path, mode)
    }
  }

  /** Records and disk may differ from now on. */
  #warn(): undefined {
    this.#settled = false
    if (!this.#warned) this.#deps.log.warn(`folder ${this.#folderId}: ${UNAVAILABLE}`)
    this.#warned = true
  }
}

function reasonOf({ attribute, failure }: Extract<AttributesWritten, { kind: 'failed' }>): string {
  const text = failure.code === 'unsupported' ? 'the file system of this folder does not support it' : failure.text
  return `setting extended attribute ${JSON.stringify(attribute)}: ${text}`
}
