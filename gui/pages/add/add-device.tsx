import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words/words.ts'

/** What is already known of the device to add. */
export interface DevicePreset {
  readonly deviceID: string
  readonly name: string
}

export function AddDeviceDialog(_props: { readonly preset?: DevicePreset }) {
  return <Dialog title={t('do.add')}>{null}</Dialog>
}
