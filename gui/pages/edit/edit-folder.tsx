import type { FolderConfig } from '../../../src/core/config.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words/words.ts'

export function EditFolderDialog(_props: { readonly folder: FolderConfig }) {
  return <Dialog title={t('do.edit')}>{null}</Dialog>
}
