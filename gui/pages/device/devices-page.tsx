import { t } from '../../words/words.ts'

export function DevicesPage() {
  return <h1>{t('nav.devices')}</h1>
}
