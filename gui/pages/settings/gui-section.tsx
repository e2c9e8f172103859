import { useState } from 'preact/hooks'
import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { FormFields } from '../edit/form.tsx'
import { DriveSettings } from './drive-settings.tsx'
import { LoginSettings } from './login-settings.tsx'
import { usePart } from './parts.ts'
import { SettingsCard } from './settings-card.tsx'

const KEY_LENGTH = 32

/** The address of this page, the login, the API key and the network drive. */
export function GuiSection() {
  const gui = usePart('gui')
  const override = useLive((state) =>
    state.system?.guiAddressOverridden === true ? state.system.guiAddressUsed : undefined,
  )
  return (
    <>
      <LoginSettings />
      <SettingsCard title={t('settings.gui')}>
        {override !== undefined && <p class="settings-note">{t('settings.overridden', { address: override })}</p>}
        <FormFields form={gui} words="gui" groups={['gui']} />
      </SettingsCard>
      <ApiKey />
      <DriveSettings />
    </>
  )
}

function ApiKey() {
  const key = useLive((state) => state.config?.gui.apiKey) ?? ''
  const [isShown, setShown] = useState(false)
  const renew = async () => {
    if (
      !(await confirm({
        title: t('settings.newKey'),
        text: t('settings.newKeyText'),
        action: t('settings.newKey'),
        danger: true,
      }))
    )
      return
    await runAction(async () => {
      const { random } = await client.call('GET /rest/svc/random/string', { query: { length: KEY_LENGTH } })
      await client.call('PATCH /rest/config/gui', { body: { apiKey: random } })
    }, t('settings.keyMade'))
  }
  return (
    <SettingsCard title={t('settings.apiKey')}>
      <p class="settings-help">{t('settings.apiKeyHelp')}</p>
      <div class="settings-key">
        <code>{isShown ? key : '•'.repeat(key.length)}</code>
        <Button icon="eye" pressed={isShown} onClick={() => setShown(!isShown)}>
          {t('settings.showPassword')}
        </Button>
        <CopyButton text={key} />
        <Button needs="admin" onClick={renew}>
          {t('settings.newKey')}
        </Button>
      </div>
    </SettingsCard>
  )
}
