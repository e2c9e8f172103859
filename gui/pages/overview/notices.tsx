import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'
import { ImportNotice } from './import-notice.tsx'
import { PasswordNotice } from './password-notice.tsx'
import { Risks } from './risks.tsx'
import { SafetyNotice } from './safety-notice.tsx'
import { UpgradeNotice } from './upgrade-notice.tsx'

/** Risks, the progress of an import, the notices of a required restart, a missing password, missing safety and a newer
 * release. */
export function Notices() {
  return (
    <>
      <Risks />
      <ImportNotice />
      <RestartNotice />
      <PasswordNotice />
      <SafetyNotice />
      <UpgradeNotice />
    </>
  )
}

function RestartNotice() {
  const required = useLive((state) => state.restartRequired)
  if (!required) return null
  return (
    <div class="section card overview-notice" role="status">
      <Icon name="sync" />
      <p>{t('overview.restartRequired')}</p>
      <Button needs="admin" kind="primary" onClick={() => runAction(() => client.restart(), t('overview.restarting'))}>
        {t('overview.restart')}
      </Button>
    </div>
  )
}
