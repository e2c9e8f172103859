import { detach } from '../../../src/core/errors.ts'
import { DRIVE_PATH } from '../../../src/core/webdav/drive-path.ts'
import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { CheckField } from '../../ui/field.tsx'
import { CopyButton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { SettingsCard } from './settings-card.tsx'

/** The network drive: its switch, which applies at once, and its address. */
export function DriveSettings() {
  const { value, again } = useQuery('drive', (signal) => client.call('GET /rest/twinfold/settings', { signal }))
  const isOpen = useLive(({ config }) => config?.gui.user === '' || config?.gui.password === '')
  if (value === undefined) return null
  const address = new URL(`${DRIVE_PATH}/`, location.href).href
  const change = async (drive: boolean) => {
    const done = drive ? t('settings.driveIsOn') : t('settings.driveIsOff')
    await runAction(() => client.call('PATCH /rest/twinfold/settings', { body: { drive } }), done)
    again() // also after a failure: the box shows what is in force
  }
  return (
    <SettingsCard title={t('settings.drive')}>
      <CheckField
        label={t('settings.driveSwitch')}
        help={t('settings.driveHelp')}
        checked={value.drive}
        onChange={(drive) => detach(change(drive))}
      />
      {value.drive && (
        <>
          <div class="settings-key">
            <code>{address}</code>
            <CopyButton text={address} />
          </div>
          <p class="settings-help">{isOpen ? t('settings.driveOpen') : t('settings.driveLogin')}</p>
        </>
      )}
    </SettingsCard>
  )
}
