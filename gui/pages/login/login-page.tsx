import { t } from '../../words/words.ts'

export function LoginPage() {
  return <h1>{t('top.logout')}</h1>
}
