import { useState } from 'preact/hooks'
import type { DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import { changeConfig } from '../../app/run-action.ts'
import { closeDialog } from '../../base/dialogs.tsx'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { deviceName } from '../../view-model/device.ts'
import { byName, folderName } from '../../view-model/folder-name.ts'
import { sharingWith } from '../../view-model/pending.ts'

/** More rows get a field to filter them by. */
const UNFILTERED_MAX = 8

const isSharedWith = ({ devices }: FolderConfig, id: string) => devices.some(({ deviceID }) => deviceID === id)

/** The folders that a device does not get yet. */
export function ShareAnotherDialog({ device }: { readonly device: DeviceConfig }) {
  const { deviceID } = device
  const folders = useLive((state) => state.config?.folders) ?? []
  const others = folders.filter((folder) => !isSharedWith(folder, deviceID)).toSorted(byName(language.get()))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const share = async () => {
    if (chosen.size === 0) return
    const done = t('device.sharedNow', { n: chosen.size, name: deviceName(device) })
    const isDone = await changeConfig(async () => {
      for (const id of chosen) await client.changeFolder(id, sharingWith(await client.config(), id, deviceID, true))
    }, done)
    if (isDone) closeDialog()
  }
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <Dialog
      title={t('device.shareAnotherTitle', { name: deviceName(device) })}
      onSubmit={share}
      actions={
        <Button kind="primary" type="submit" disabled={chosen.size === 0}>
          {t('device.shareChosen', { n: chosen.size })}
        </Button>
      }
    >
      {others.length > UNFILTERED_MAX && (
        <TextField label={t('filter.folders')} value={text} onChange={setText} autoFocus />
      )}
      {others
        .filter((folder) => folderName(folder).toLowerCase().includes(wanted))
        .map((folder) => (
          <CheckField
            key={folder.id}
            label={folderName(folder)}
            help={folder.path}
            checked={chosen.has(folder.id)}
            onChange={(isChosen) => choose(folder.id, isChosen)}
          />
        ))}
    </Dialog>
  )
}
