import { formatAgo, formatMoment } from '../i18n/format.ts'
import { useLive } from '../live/live.ts'
import { t } from '../i18n/texts.ts'
import { useNow } from './parts.tsx'

/** When a paused folder or device is resumed; nothing where it is paused for good. */
export function PausedUntil({ id }: { readonly id: string }) {
  const until = useLive((state) => state.pauses.find((pause) => pause.id === id)?.until)
  const nowMs = useNow(15_000)
  if (until === undefined) return null
  const untilMs = Date.parse(until)
  return (
    <span class="soft" title={formatMoment(untilMs)}>
      {t('command.resumesAt', { time: formatAgo(Math.max(untilMs, nowMs), nowMs) })}
    </span>
  )
}
