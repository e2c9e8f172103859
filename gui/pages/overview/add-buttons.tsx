import { openDialog } from '../../base/dialogs.tsx'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'
import { AddDeviceDialog } from '../add/add-device.tsx'
import { AddFolderDialog } from '../add/add-folder.tsx'

export interface AddButtonProps extends Pick<ButtonProps, 'kind'> {
  /** Where no heading names what is added. */
  readonly long?: boolean
}

export function AddFolderButton({ long = false, kind = 'plain' }: AddButtonProps) {
  const label = t('overview.addFolder')
  const open = () => openDialog(() => <AddFolderDialog />)
  return (
    <Button needs="admin" kind={kind} icon="plus" label={label} onClick={open}>
      {long ? label : t('do.add')}
    </Button>
  )
}

export function AddDeviceButton({ long = false, kind = 'plain' }: AddButtonProps) {
  const label = t('overview.addDevice')
  const open = () => openDialog(() => <AddDeviceDialog />)
  return (
    <Button needs="admin" kind={kind} icon="plus" label={label} onClick={open}>
      {long ? label : t('do.add')}
    </Button>
  )
}
