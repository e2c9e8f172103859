import { formatAgo, formatMoment } from '../i18n/format.ts'
import { useLive } from '../live/live.ts'
import { t } from '../i18n/texts.ts'
import { useNow } from './parts.tsx'

/** When a paused folder or device is resumed, and by which rule it is paused; nothing where it is paused for good. */
export function PausedUntil({ id }: { readonly id: string }) {
  const until = useLive((state) => state.pauses.find((pause) => pause.id === id)?.until)
  const scheduled = useLive((state) => state.scheduledPauses.find((pause) => pause.id === id))
  const nowMs = useNow(15_000)
  if (scheduled !== undefined) return <span class="soft">{causeText(scheduled)}</span>
  if (until === undefined) return null
  const untilMs = Date.parse(until)
  return (
    <span class="soft" title={formatMoment(untilMs)}>
      {t('command.resumesAt', { time: formatAgo(Math.max(untilMs, nowMs), nowMs) })}
    </span>
  )
}

function causeText({ rule, until }: { readonly rule: string | null; readonly until: string | null }): string {
  if (rule === null) return t('schedule.pausedBattery')
  if (until === null) return t('schedule.paused', { rule })
  return t('schedule.pausedUntil', { rule, time: formatMoment(Date.parse(until)) })
}
