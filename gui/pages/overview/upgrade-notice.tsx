import { upgradeNotice, type UpgradeNotice as Notice } from '../../view-model/upgrade.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { dismissedUpgrade } from '../../app/dismissed.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CopyButton, useNow } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

const ASK_EVERY_MS = 60_000

/** A newer release, until it is dismissed: what changed, and the command that installs it. */
export function UpgradeNotice() {
  const nowMs = useNow(ASK_EVERY_MS)
  const settings = useLive(({ config }) => `${config?.options.autoUpgradeIntervalH} ${config?.options.releasesURL}`)
  const { value } = useQuery(
    'upgrade',
    (signal) => client.call('GET /rest/twinfold/upgrade', { signal }),
    `${nowMs} ${settings}`,
  )
  const notice = upgradeNotice(
    value,
    useStore(dismissedUpgrade, (version) => version),
  )
  if (notice === undefined) return null
  const { latest, running, major, changes } = notice
  return (
    <section class="section card upgrade" aria-label={t('upgrade.title')}>
      <div class="upgrade-head">
        <Icon name="up" />
        <div>
          <p class="upgrade-title" role="status">
            {t('upgrade.available', { latest, running })}
          </p>
          {major && <p>{t('upgrade.major')}</p>}
        </div>
        <Button kind="quiet" icon="close" label={t('upgrade.dismiss')} onClick={() => dismissedUpgrade.set(latest)} />
      </div>
      {changes.length > 0 && <Changes changes={changes} />}
      <HowTo notice={notice} />
    </section>
  )
}

/** Texts of the registry: they are shown as they are, line by line. */
function Changes({ changes }: Pick<Notice, 'changes'>) {
  return (
    <details class="upgrade-changes">
      <summary>{t('upgrade.changes')}</summary>
      <dl>
        {changes.map(({ version, text }) => (
          <div key={version}>
            <dt>{version}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function HowTo({ notice: { command, nextStep } }: { readonly notice: Notice }) {
  if (command === undefined) return <p>{t(`upgrade.then.${nextStep}`)}</p>
  return (
    <div>
      <p>{t('upgrade.run')}</p>
      <div class="upgrade-command">
        <code class="mono">{command}</code>
        <CopyButton text={command} label={t('upgrade.copy')} />
      </div>
      <p class="soft">{t(`upgrade.then.${nextStep}`)}</p>
    </div>
  )
}
