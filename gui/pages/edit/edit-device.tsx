import type { DeviceConfig } from '../../../src/core/config.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words/words.ts'

export function EditDeviceDialog(_props: { readonly device: DeviceConfig }) {
  return <Dialog title={t('do.edit')}>{null}</Dialog>
}
