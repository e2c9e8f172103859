import { inOrder, type AttributeChange, type AttributeList } from '../../core/attributes/attributes.ts'
import { isMissing, messageOf } from '../../core/errors.ts'
import { joinPath } from '../../core/paths.ts'
import type { AttributeFailure, Attributes, AttributesRead, AttributesWritten } from '../attributes.ts'
import type { SimDisk } from './disk.ts'

const GONE: AttributeFailure = { code: 'gone', text: 'No such file or directory' }

/** Attributes of a disk in memory: they belong to the item, not the name; only a crash loses them. */
export class SimAttributes implements Attributes {
  /** Whether the machine supports attributes. */
  available = true
  /** Number of reads and writes. */
  readonly counts = { reads: 0, writes: 0 }
  /** The file system rejects this attribute. */
  refused: string | undefined
  readonly #disk: SimDisk
  readonly #byInode = new Map<bigint, AttributeList>()

  constructor(disk: SimDisk) {
    this.#disk = disk
  }

  async read(root: string, names: readonly string[], signal: AbortSignal): Promise<AttributesRead> {
    signal.throwIfAborted()
    if (!this.available) return { kind: 'unsupported' }
    this.counts.reads++
    const found = new Map<string, AttributeList>()
    const failed = new Map<string, AttributeFailure>()
    for (const name of names) {
      try {
        const attributes = this.#byInode.get(this.#disk.sync.lstat(joinPath(root, name)).inode)
        if (attributes !== undefined && attributes.length > 0) found.set(name, attributes)
      } catch (error) {
        failed.set(name, isMissing(error) ? GONE : { code: 'other', text: messageOf(error) })
      }
    }
    return { kind: 'read', found, failed }
  }

  async write(path: string, { set, remove }: AttributeChange): Promise<AttributesWritten> {
    if (!this.available) return { kind: 'unsupported' }
    this.counts.writes++
    const attribute = set[0]?.name ?? remove[0] ?? ''
    if (set.some(({ name }) => name === this.refused))
      return refusal(this.refused!, { code: 'unsupported', text: 'Operation not supported' })
    const stat = await this.#disk.lstat(path).catch(() => undefined)
    if (stat === undefined) return refusal(attribute, GONE)
    if ((stat.mode & 0o200) === 0) return refusal(attribute, { code: 'not-permitted', text: 'Permission denied' })
    const gone = new Set(remove)
    const kept = (this.#byInode.get(stat.inode) ?? []).filter(({ name }) => !gone.has(name))
    this.#byInode.set(stat.inode, inOrder([...kept, ...set]))
    return { kind: 'written' }
  }
}

function refusal(attribute: string, failure: AttributeFailure): AttributesWritten {
  return { kind: 'failed', attribute, failure }
}
