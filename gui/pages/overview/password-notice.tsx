import { addressOf } from '../../base/address.ts'
import { wantsLogin } from '../../view-model/password.ts'
import { showsSetup } from '../../view-model/setup.ts'
import { dismissedPassword, setupShown } from '../../app/dismissed.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'

/** No password is set, though only this machine reaches the page: a notice, until it is dismissed. */
export function PasswordNotice() {
  const dismissed = useStore(dismissedPassword, (value) => value)
  const shown = useStore(setupShown, (value) => value)
  const isOpen = useLive((state) => state.config !== undefined && !wantsLogin(state))
  const isKnown = useLive((state) => showsSetup(state, shown) || state.risks.some(({ code }) => code === 'gui-open'))
  if (!isOpen || isKnown || dismissed !== '') return null
  return (
    <div class="section card overview-notice overview-password" role="status">
      <Icon name="lock" />
      <p>{t('password.none')}</p>
      <a class="button" href={addressOf('settings', 'gui')}>
        {t('risk.setPassword')}
      </a>
      <Button kind="quiet" icon="close" label={t('password.dismiss')} onClick={() => dismissedPassword.set('yes')} />
    </div>
  )
}
