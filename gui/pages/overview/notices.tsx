import { act } from '../../app/act.ts'
import { remedyOf } from '../../facts/remedy.ts'
import { otherWarnings } from '../../facts/risks.ts'
import { client } from '../../live/client.ts'
import { reload, useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Ago, Section } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { Risks } from './risks.tsx'
import { UpgradeNotice } from './upgrade-notice.tsx'

/** Risks, warnings with their remedies, the notice of a required restart, and the notice of a newer release. */
export function Notices() {
  return (
    <>
      <Risks />
      <RestartNotice />
      <UpgradeNotice />
      <Warnings />
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
      <Button kind="primary" onClick={() => act(() => client.restart(), t('overview.restarting'))}>
        {t('overview.restart')}
      </Button>
    </div>
  )
}

function Warnings() {
  const lines = useLive((state) => state.warnings)
  const risks = useLive((state) => state.risks)
  const warnings = otherWarnings(lines, risks)
  if (warnings.length === 0) return null
  const clear = async () => {
    await act(() => client.call('POST /rest/system/error/clear'))
    reload(['warnings'])
  }
  return (
    <Section title={t('overview.warnings')} actions={<Button onClick={clear}>{t('overview.clear')}</Button>}>
      <ul class="rows overview-warnings">
        {warnings.toReversed().map(({ when, message }) => (
          <Warning key={`${when} ${message}`} when={when} message={message} />
        ))}
      </ul>
    </Section>
  )
}

function Warning({ when, message }: { readonly when: string; readonly message: string }) {
  const remedy = remedyOf(message)
  return (
    <li class="overview-warning">
      <Icon name="warning" />
      <div>
        <p class="overview-message">{message}</p>
        {remedy !== undefined && <p class="overview-remedy">{t(remedy)}</p>}
      </div>
      <span class="soft">
        <Ago time={when} />
      </span>
    </li>
  )
}
