import { chooseTheme, theme } from '../../base/theme.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { chooseLanguage, language, LANGUAGES, type Language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { Fields } from '../edit/form.tsx'
import { OwnId } from '../add/own-id.tsx'
import { usePart } from './parts.ts'
import { Card } from './card.tsx'

export function GeneralSection() {
  const own = usePart('own')
  const options = usePart('options')
  const name =
    useLive((state) => state.config?.devices.find(({ deviceID }) => deviceID === state.system?.myID)?.name) ?? ''
  return (
    <>
      <Card title={t('settings.general')}>
        <div class="add-columns">
          <div>
            <TextField
              label={t('settings.deviceName')}
              help={t('settings.deviceNameHelp')}
              value={String(own.edits['name'] ?? name)}
              onChange={(value) => own.set('name', value)}
            />
            <Looks />
          </div>
          <OwnId />
        </div>
      </Card>
      <Card title={t('settings.machine')}>
        <Fields form={options} words="options" groups={['general']} />
      </Card>
    </>
  )
}

/** How the page looks in this browser. */
function Looks() {
  const chosenTheme = useStore(theme, (value) => value)
  const chosenLanguage = useStore(language, (value) => value)
  const themes = [
    { value: 'auto', text: t('top.theme.auto') },
    { value: 'light', text: t('top.theme.light') },
    { value: 'dark', text: t('top.theme.dark') },
  ] as const
  const languages = (Object.entries(LANGUAGES) as [Language, string][]).map(([value, text]) => ({ value, text }))
  return (
    <>
      <SelectField
        label={t('settings.theme')}
        help={t('settings.themeHelp')}
        value={chosenTheme}
        options={themes}
        onChange={chooseTheme}
      />
      <SelectField
        label={t('top.language')}
        help={t('settings.themeHelp')}
        value={chosenLanguage}
        options={languages}
        onChange={chooseLanguage}
      />
    </>
  )
}
