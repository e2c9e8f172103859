import type { FolderConfig } from '../../../src/core/config.ts'
import { folderName } from '../../facts/folder.ts'
import { client } from '../../live/client.ts'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../words/words.ts'

export interface ShareFoldersProps {
  readonly folders: readonly FolderConfig[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Which folders a device gets. */
export function ShareFolders({ folders, chosen, onChange }: ShareFoldersProps) {
  if (folders.length === 0) return <p class="soft">{t('add.noFolders')}</p>
  const set = (id: string, checked: boolean) => {
    const others = [...chosen].filter((one) => one !== id)
    onChange(new Set(checked ? [...others, id] : others))
  }
  return (
    <div class="edit-shares">
      {folders.map((folder) => <CheckField key={folder.id} label={folderName(folder)} help={folder.path} checked={chosen.has(folder.id)} onChange={(checked) => set(folder.id, checked)} />)}
    </div>
  )
}

/** Shares exactly the chosen folders with a device; the others, and how each is shared with others, stay as they are. */
export async function shareExactly(folders: readonly FolderConfig[], deviceID: string, chosen: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) {
    const shared = folder.devices.some((device) => device.deviceID === deviceID)
    if (shared === chosen.has(folder.id)) continue
    const others = folder.devices.filter((device) => device.deviceID !== deviceID)
    await client.changeFolder(folder.id, { devices: shared ? others : [...others, { deviceID }] })
  }
}
