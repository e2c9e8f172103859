import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words/words.ts'

/** A folder that another device offers to us. */
export interface FolderOffer {
  readonly id: string
  readonly label: string
  readonly deviceID: string
}

export function AddFolderDialog(_props: { readonly offer?: FolderOffer }) {
  return <Dialog title={t('do.add')}>{null}</Dialog>
}
