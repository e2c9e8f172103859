import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { reloadParts, useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo, Section } from '../../ui/parts.tsx'
import { groupWarnings } from '../../view-model/log.ts'
import { t } from '../../i18n/texts.ts'

/** The latest warnings, until they are cleared. */
export function Warnings() {
  const warnings = useLive((state) => state.warnings)
  if (warnings.length === 0) return null
  const clear = async () => {
    await runAction(() => client.call('POST /rest/system/error/clear'), t('log.warningsCleared'))
    reloadParts(['warnings'])
  }
  return (
    <Section
      title={t('log.warnings')}
      actions={
        <Button needs="operate" icon="check" onClick={clear}>
          {t('log.clearWarnings')}
        </Button>
      }
    >
      <ul class="rows log-warnings">
        {groupWarnings(warnings).map(({ when, message, count }) => (
          <li key={message}>
            <Icon name="warning" />
            <span class="log-text">{message}</span>
            {count > 1 && <span class="count">{t('log.times', { n: count })}</span>}
            <span class="soft">
              <TimeAgo time={when} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
