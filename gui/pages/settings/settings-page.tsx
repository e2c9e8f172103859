import { t } from '../../words/words.ts'

export function SettingsPage(_props: { readonly section: string }) {
  return <h1>{t('nav.settings')}</h1>
}
