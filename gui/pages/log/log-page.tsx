import { t } from '../../words/words.ts'

export function LogPage() {
  return <h1>{t('nav.log')}</h1>
}
