import { addressOf } from '../../base/address.ts'
import { useLive } from '../../live/live.ts'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'

/** Settings that put the device or its data at risk. They stay until their cause is gone. */
export function Risks() {
  const risks = useLive((state) => state.risks)
  return risks.map(({ code, message, remedy }) => (
    <div key={message} class="section card overview-notice overview-risk" role="alert">
      <Icon name="warning" />
      <p>{t(`risk.${code}`)}</p>
      {code === 'gui-open' ? (
        <a class="button primary" href={addressOf('settings', 'gui')}>
          {t('risk.setPassword')}
        </a>
      ) : (
        <p class="soft">{`${message}; ${remedy}`}</p>
      )}
    </div>
  ))
}
