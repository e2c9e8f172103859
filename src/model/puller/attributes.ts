import { attributeRules, attributesLacking, type AttributeRulesOptions } from '../../core/records/attribute-rules.ts'
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
import { completed, lookedAt, type AttributeMeans, type ScanAttributes } from '../../scanner/attributes.ts'
import { GONE, NOT_PERMITTED, type Attributes, type AttributesWritten } from '../../platform/attributes.ts'
import type { Disk } from '../../platform/disk.ts'
import { itemFailed } from './context.ts'

export interface FolderAttributesDeps {
  readonly attributes: Attributes
  readonly disk: Pick<Disk, 'lstat' | 'chmod'>
  readonly log: Logger
}

export interface FolderAttributesOptions {
  readonly folder: Pick<FolderConfig, 'id' | 'xattrFilter'>
  readonly root: string
  readonly ownShortId: ShortId
  /** Items get the attributes that others name. */
  readonly synced: boolean
}

/** A scan that also looks at attributes. */
export interface AttributePass extends ScanAttributes {
  /** To be called when the scan has ended well. */
  done(): void
}

const NONE: AttributeList = []
const NEVER_ABORTS = new AbortController().signal
const OWNER_READ_WRITE = 0o600
const OWNER_WRITE = 0o200
const NO_MEANS = 'extended attributes are not synchronized: install the package attr'
const TOO_LARGE = 'extended attributes are larger than this folder takes (maxTotalSize)'

/**
 * The extended attributes of one folder's items. Whoever switches them on has records of others that name attributes
 * and files that lack them, which looks as if they had been removed here. So until a whole scan has put them on the
 * files, attributes are only added, and nothing that is missing counts as removed.
 */
export class FolderAttributes {
  readonly #deps: FolderAttributesDeps
  readonly #root: string
  readonly #folderId: string
  readonly #rules: AttributeRulesOptions
  /** The disk has shown, or been given, what the records say. */
  #settled = false
  #warned = false

  constructor(deps: FolderAttributesDeps, { folder, root, ownShortId, synced }: FolderAttributesOptions) {
    this.#deps = deps
    this.#root = root
    this.#folderId = folder.id
    this.#rules = { filter: new AttributeFilter(folder.xattrFilter), ownShortId, synced }
  }

  /** What a scan needs. */
  pass(subs: readonly string[]): AttributePass {
    let isWhole = subs.includes('')
    const means: AttributeMeans = {
      read: async (names, signal) => {
        const seen = await this.#look(names, signal)
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
      look: (items, onProblem, signal) => lookedAt(items, means, onProblem, signal),
      complete: (item, record, onProblem) => completed(item, record, means, onProblem),
      done: () => {
        if (isWhole) this.#settled = true
      },
    }
  }

  async #look(names: readonly string[], signal: AbortSignal): ReturnType<AttributeMeans['read']> {
    const seen = await this.#deps.attributes.read(this.#root, names, signal)
    if (seen.kind === 'no-means') return this.#warn()
    const found = new Map<string, AttributeList>()
    const failed = new Map<string, string | undefined>()
    for (const [name, reason] of seen.failed)
      failed.set(name, reason === GONE ? undefined : `reading extended attributes: ${reason}`)
    for (const [name, attributes] of seen.found) {
      const permitted = this.#rules.filter.permitted(attributes)
      if (permitted === 'too-large') failed.set(name, TOO_LARGE)
      else found.set(name, permitted)
    }
    return { found, failed }
  }

  async #complete(record: FileHead, attributes: AttributeList): ReturnType<AttributeMeans['complete']> {
    if (this.#settled || !this.#rules.synced || isInvalid(record)) return attributes
    const set = attributesLacking(record, attributes, this.#rules)
    if (set === undefined) return attributes
    const outcome = await this.#write(joinPath(this.#root, record.name), { set, remove: [] })
    if (outcome.kind === 'no-means') return { error: NO_MEANS }
    return outcome.kind === 'failed' ? { error: reasonOf(outcome) } : inOrder([...attributes, ...set])
  }

  /** Whether an item that is made anew must be given any. */
  isWanted(record: FileHead): boolean {
    return (this.#wanted(record)?.length ?? 0) > 0
  }

  areSame(a: FileHead, b: FileHead): boolean {
    const [left, right] = [this.#wanted(a), this.#wanted(b)]
    return left === undefined || right === undefined || areSameAttributes(left, right)
  }

  /** For an item that was made a moment ago. Rejects as a failure of the item, as `giveAt` does. */
  async giveNew(name: string, record: FileHead): Promise<void> {
    await this.#change(name, { set: this.#wanted(record) ?? NONE, remove: [] })
  }

  /** For an item that may have some. `before`: what our index says of it, where the disk showed that. */
  async giveAt(name: string, record: FileHead, before?: FileHead): Promise<void> {
    const wanted = this.#wanted(record)
    if (wanted === undefined) return
    const isKnown = before !== undefined && before.type === record.type && !before.deleted && !isInvalid(before)
    const told = this.#settled && isKnown ? this.#wanted(before) : undefined
    if (told !== undefined && areSameAttributes(told, wanted)) return
    const seen = await this.#deps.attributes.read(this.#root, [name], NEVER_ABORTS)
    if (seen.kind === 'no-means') return this.#warn()
    const reason = seen.failed.get(name)
    if (reason !== undefined) throw itemFailed(`reading extended attributes: ${reason}`)
    const now = (seen.found.get(name) ?? NONE).filter((attribute) => this.#rules.filter.permits(attribute))
    const { set, remove } = attributeChange(now, wanted)
    await this.#change(name, { set, remove: this.#settled ? remove : [] })
  }

  /** Undefined where a record says nothing about attributes, or more than we take. */
  #wanted({ platform }: FileHead): AttributeList | undefined {
    const told = linuxAttributesOf(platform)
    const permitted = told && this.#rules.filter.permitted(told)
    return permitted === 'too-large' ? undefined : permitted
  }

  async #change(name: string, change: AttributeChange): Promise<void> {
    const outcome = await this.#write(joinPath(this.#root, name), change)
    if (outcome.kind === 'failed') throw itemFailed(reasonOf(outcome))
  }

  async #write(path: string, change: AttributeChange): Promise<AttributesWritten> {
    if (change.set.length === 0 && change.remove.length === 0) return { kind: 'written' }
    const write = () => this.#deps.attributes.write(path, change)
    const outcome = await write()
    if (outcome.kind === 'no-means') this.#warn()
    if (outcome.kind !== 'failed' || outcome.reason !== NOT_PERMITTED) return outcome
    // Only who may write to an item may give it attributes, be it their own.
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

  /** From now on records and disk part ways again. */
  #warn(): undefined {
    this.#settled = false
    if (!this.#warned) this.#deps.log.warn(`folder ${this.#folderId}: ${NO_MEANS}`)
    this.#warned = true
  }
}

function reasonOf({ attribute, reason }: Extract<AttributesWritten, { kind: 'failed' }>): string {
  const words = reason === 'Operation not supported' ? 'the file system of this folder does not keep it' : reason
  return `setting extended attribute ${JSON.stringify(attribute)}: ${words}`
}
