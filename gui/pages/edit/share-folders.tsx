import type { FolderConfig } from '../../../src/core/config/config.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { changedShares, withShare, type Shares } from '../../view-model/share.ts'
import { client } from '../../live/client.ts'
import { t } from '../../i18n/texts.ts'
import { ShareRow } from './share-row.tsx'

export interface ShareFoldersProps {
  readonly folders: readonly FolderConfig[]
  /** By folder id. */
  readonly shares: Shares
  readonly reader: string
  readonly isTrusted: boolean
  readonly onChange: (shares: Shares) => void
}

/** Which folders are shared with a device; an untrusted one needs a password for each. */
export function ShareFolders({ folders, shares, reader, isTrusted, onChange }: ShareFoldersProps) {
  if (folders.length === 0) return <p class="soft">{t('add.noFolders')}</p>
  return (
    <ul class="edit-shares">
      {folders.map((folder) => (
        <ShareRow
          key={folder.id}
          name={folderName(folder)}
          help={folder.path}
          reader={reader}
          folder={{ id: folder.id, name: folderName(folder) }}
          mustHide={!isTrusted && folder.type !== 'receiveencrypted'}
          password={shares[folder.id]}
          onChange={(password) => onChange(withShare(shares, folder.id, password))}
        />
      ))}
    </ul>
  )
}

/** Whether an untrusted device would get an unencrypted folder. */
export function showsTooMuch(folders: readonly FolderConfig[], shares: Shares, isTrusted: boolean): boolean {
  return !isTrusted && folders.some(({ id, type }) => type !== 'receiveencrypted' && shares[id] === '')
}

/** Shares exactly the chosen folders with a device; how they are shared with other devices does not change. */
export async function shareExactly(folders: readonly FolderConfig[], deviceID: string, shares: Shares): Promise<void> {
  for (const { id, devices } of changedShares(folders, deviceID, shares)) await client.changeFolder(id, { devices })
}
