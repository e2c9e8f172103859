import type { Accounts } from '../../core/attributes/accounts.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { parentOf } from '../../core/paths.ts'
import { unixOwnerOf } from '../../core/attributes/platform-data.ts'
import { readAccounts } from '../../platform/accounts.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { TreeDisk } from './tree-disk.ts'

interface Owned {
  stat(): Promise<Pick<DiskStat, 'userId' | 'groupId'>>
  chown(userId: number, groupId: number): Promise<void>
}

interface Ids {
  readonly userId: number
  readonly groupId: number
}

/** Sets the owner of pulled items: the owner in the record, or that of the parent directory. */
export class Owners {
  readonly #tree: TreeDisk
  readonly #folder: Pick<FolderConfig, 'syncOwnership' | 'copyOwnershipFromParent'>
  #accounts: Promise<Accounts> | undefined

  constructor(tree: TreeDisk, folder: Pick<FolderConfig, 'syncOwnership' | 'copyOwnershipFromParent'>) {
    this.#tree = tree
    this.#folder = folder
  }

  /** Whether this folder sets owners. */
  get isEnabled(): boolean {
    const { copyOwnershipFromParent, syncOwnership } = this.#folder
    return this.#tree.platform !== 'win32' && (syncOwnership || copyOwnershipFromParent)
  }

  /** Rejects with `item-failed` where permission is missing. Correct owners are not changed. */
  async set(record: FileHead, item: Owned): Promise<void> {
    if (!this.isEnabled) return
    const what = this.#folder.syncOwnership ? 'sync ownership' : 'copy owner from parent'
    try {
      const [wanted, now] = await Promise.all([this.#wanted(record), item.stat()])
      if (wanted === undefined || (wanted.userId === now.userId && wanted.groupId === now.groupId)) return
      await item.chown(wanted.userId, wanted.groupId)
    } catch (error) {
      throw itemFailed(`${what}: ${diskReason(error)}`, { cause: error })
    }
  }

  /** The same by path, for items that are not open; symlinks are not followed. */
  async setAt(path: string, record: FileHead): Promise<void> {
    const { disk } = this.#tree
    await this.set(record, {
      stat: () => disk.lstat(path),
      chown: (userId, groupId) => disk.chown(path, userId, groupId),
    })
  }

  async #wanted(record: FileHead): Promise<Ids | undefined> {
    const { disk } = this.#tree
    if (!this.#folder.syncOwnership) return await disk.lstat(this.#tree.path(parentOf(record.name)))
    const owner = unixOwnerOf(record.platform)
    if (owner === undefined) return undefined // the sender does not support or announce ownership
    this.#accounts ??= readAccounts(disk)
    return (await this.#accounts).idsOf(owner)
  }
}
