import type { DeviceConfig } from '../../../src/core/config/config.ts'
import type { Attempt } from '../../view-model/attempts.ts'
import { formatAgo } from '../../i18n/format.ts'
import { isTime } from '../../base/moments.ts'
import { offlineAdvice, offlineSteps, type OfflineStep } from '../../view-model/why-offline.ts'
import { useLive } from '../../live/live.ts'
import { TimeAgo, DescriptionList, Skeleton, StateLabel, useNow } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { useOfflineFacts } from './offline-facts.ts'

/** Why a device is not connected: what to do, then every step to a connection with every address. */
export function WhyOffline({ device }: { readonly device: DeviceConfig }) {
  const lastSeen = useLive((state) => state.deviceStats[device.deviceID]?.lastSeen ?? '')
  const facts = useOfflineFacts(device)
  if (facts === undefined) return <Skeleton lines={4} />
  const advice = offlineAdvice(facts)
  return (
    <section class="offline">
      <h3>{t('offline.title')}</h3>
      <p class="offline-todo">{t(advice.key, advice.values)}</p>
      <ol class="offline-steps">
        {offlineSteps(facts).map((step) => (
          <Step key={step.name} step={step} attempts={step.name === 'addresses' ? facts.attempts : []} />
        ))}
      </ol>
      <DescriptionList rows={[[t('device.lastSeen'), <TimeAgo key="seen" time={lastSeen} />]]} />
    </section>
  )
}

function Step({
  step: { name, tone, text },
  attempts,
}: {
  readonly step: OfflineStep
  readonly attempts: readonly Attempt[]
}) {
  return (
    <li>
      <span class="offline-name">{t(`offline.step.${name}`)}</span>
      <div>
        <StateLabel tone={tone}>{t(text.key, text.values)}</StateLabel>
        {attempts.length > 0 && <Attempts list={attempts} />}
      </div>
    </li>
  )
}

/** Every address with the result of its last attempt and the time of the next one. */
function Attempts({ list }: { readonly list: readonly Attempt[] }) {
  const nowMs = useNow(1_000)
  return (
    <ul class="device-attempts">
      {list.map((attempt) => (
        <li key={attempt.address}>
          <span class="mono">{attempt.address}</span>
          <span title={attempt.error}>{attemptText(attempt)}</span>
          {isTime(attempt.nextMs) && (
            <span class="soft">{t('device.nextTry', { time: formatAgo(Math.max(attempt.nextMs, nowMs), nowMs) })}</span>
          )}
        </li>
      ))}
    </ul>
  )
}

function attemptText({ triedMs, reason }: Attempt): string {
  if (!isTime(triedMs)) return t('device.notTried')
  return t(reason === undefined ? 'dial.reached' : `dial.${reason}`)
}
