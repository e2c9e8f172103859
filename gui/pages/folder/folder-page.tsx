import { t } from '../../words/words.ts'

export function FolderPage(_props: { readonly id: string; readonly tab: string; readonly rest: readonly string[] }) {
  return <h1>{t('nav.folders')}</h1>
}
