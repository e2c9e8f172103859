import { theme } from '../../base/theme.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { language, LANGUAGES, type Language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { FormFields } from '../edit/form.tsx'
import { ThisDeviceId } from '../add/this-device-id.tsx'
import { usePart } from './parts.ts'
import { SettingsCard } from './settings-card.tsx'

export function GeneralSection() {
  const thisDevice = usePart('thisDevice')
  const options = usePart('options')
  const name =
    useLive((state) => state.config?.devices.find(({ deviceID }) => deviceID === state.system?.myID)?.name) ?? ''
  return (
    <>
      <SettingsCard title={t('settings.general')}>
        <div class="add-columns">
          <div>
            <TextField
              label={t('settings.deviceName')}
              help={t('settings.deviceNameHelp')}
              value={String(thisDevice.edits['name'] ?? name)}
              onChange={(value) => thisDevice.set('name', value)}
            />
            <Looks />
          </div>
          <ThisDeviceId />
        </div>
      </SettingsCard>
      <SettingsCard title={t('settings.machine')}>
        <FormFields form={options} words="options" groups={['general']} />
      </SettingsCard>
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
        onChange={(chosen) => theme.set(chosen)}
      />
      <SelectField
        label={t('top.language')}
        help={t('settings.themeHelp')}
        value={chosenLanguage}
        options={languages}
        onChange={(chosen) => language.set(chosen)}
      />
    </>
  )
}
