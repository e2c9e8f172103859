import type { Accounts } from '../../core/attributes/accounts.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { joinPath, parentOf } from '../../core/paths.ts'
import { unixOwnerOf } from '../../core/attributes/platform-data.ts'
import { readAccounts } from '../../platform/accounts.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { itemFailed } from './context.ts'

export interface OwnersDeps {
  readonly disk: Disk
  readonly root: string
  readonly folder: Pick<FolderConfig, 'syncOwnership' | 'copyOwnershipFromParent'>
  readonly platform: string
}

interface Owned {
  stat(): Promise<Pick<DiskStat, 'userId' | 'groupId'>>
  chown(userId: number, groupId: number): Promise<void>
}

interface Ids {
  readonly userId: number
  readonly groupId: number
}

/** Gives what is pulled to whom it should belong: the owner the record names, or that of the directory above. */
export class Owners {
  readonly #deps: OwnersDeps
  #accounts: Promise<Accounts> | undefined

  constructor(deps: OwnersDeps) {
    this.#deps = deps
  }

  /** Whether there is anything to do about owners in this folder. */
  get matter(): boolean {
    const { folder, platform } = this.#deps
    return platform !== 'win32' && (folder.syncOwnership || folder.copyOwnershipFromParent)
  }

  /** Rejects, as a failure of the item, where we may not. What belongs to the right one already is left alone. */
  async give(record: FileHead, item: Owned): Promise<void> {
    if (!this.matter) return
    const what = this.#deps.folder.syncOwnership ? 'sync ownership' : 'copy owner from parent'
    try {
      const [wanted, now] = await Promise.all([this.#wanted(record), item.stat()])
      if (wanted === undefined || (wanted.userId === now.userId && wanted.groupId === now.groupId)) return
      await item.chown(wanted.userId, wanted.groupId)
    } catch (error) {
      throw itemFailed(`${what}: ${diskReason(error)}`, error)
    }
  }

  /** The same by path, for what is not open; a symlink is given itself. */
  async giveAt(path: string, record: FileHead): Promise<void> {
    const { disk } = this.#deps
    await this.give(record, {
      stat: () => disk.lstat(path),
      chown: (userId, groupId) => disk.chown(path, userId, groupId),
    })
  }

  async #wanted(record: FileHead): Promise<Ids | undefined> {
    const { disk, folder, root } = this.#deps
    if (!folder.syncOwnership) return await disk.lstat(joinPath(root, parentOf(record.name)))
    const owner = unixOwnerOf(record.platform)
    if (owner === undefined) return undefined // from a system without owners, or one that does not tell
    this.#accounts ??= readAccounts(disk)
    return (await this.#accounts).idsOf(owner)
  }
}
