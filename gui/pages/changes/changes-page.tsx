import { t } from '../../words/words.ts'

export function ChangesPage() {
  return <h1>{t('nav.changes')}</h1>
}
