import { openDialog } from '../../app/dialogs.tsx'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { t } from '../../words/words.ts'
import { AddDeviceDialog } from '../add/add-device.tsx'
import { AddFolderDialog } from '../add/add-folder.tsx'

export interface AddButtonProps extends Pick<ButtonProps, 'kind'> {
  /** Where no heading beside it says what is added. */
  readonly long?: boolean
}

export function AddFolderButton({ long = false, kind = 'plain' }: AddButtonProps) {
  const label = t('overview.addFolder')
  return <Button kind={kind} icon="plus" label={label} onClick={() => openDialog(() => <AddFolderDialog />)}>{long ? label : t('do.add')}</Button>
}

export function AddDeviceButton({ long = false, kind = 'plain' }: AddButtonProps) {
  const label = t('overview.addDevice')
  return <Button kind={kind} icon="plus" label={label} onClick={() => openDialog(() => <AddDeviceDialog />)}>{long ? label : t('do.add')}</Button>
}
