import { t } from '../../words/words.ts'

export function DevicePage(_props: { readonly id: string }) {
  return <h1>{t('nav.devices')}</h1>
}
