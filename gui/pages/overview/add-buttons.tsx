import { openDialog } from '../../base/dialogs.tsx'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'
import { AddDeviceDialog } from '../add/add-device.tsx'
import { AddFolderDialog } from '../add/add-folder.tsx'

export interface AddButtonProps extends Pick<ButtonProps, 'kind'> {
  /** Where no heading names what is added. */
  readonly long?: boolean
  /** Whether the page stays after it. */
  readonly stays?: boolean
}

export function AddFolderButton({ long = false, kind = 'plain', stays = false }: AddButtonProps) {
  const label = t('overview.addFolder')
  const open = () => openDialog(() => <AddFolderDialog stays={stays} />)
  return (
    <Button needs="admin" kind={kind} icon="plus" label={label} onClick={open}>
      {long ? label : t('do.add')}
    </Button>
  )
}

export function AddDeviceButton({ long = false, kind = 'plain', stays = false }: AddButtonProps) {
  const label = t('overview.addDevice')
  const open = () => openDialog(() => <AddDeviceDialog stays={stays} />)
  return (
    <Button needs="admin" kind={kind} icon="plus" label={label} onClick={open}>
      {long ? label : t('do.add')}
    </Button>
  )
}
