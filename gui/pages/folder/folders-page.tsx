import { t } from '../../words/words.ts'

export function FoldersPage() {
  return <h1>{t('nav.folders')}</h1>
}
