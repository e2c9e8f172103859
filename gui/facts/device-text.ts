import { t, type TextKey } from '../words/words.ts'
import type { DeviceFacts, Way } from './device.ts'
import { formatAgo, formatPercent } from './format.ts'
import { isTime } from './moments.ts'

const WAYS = { relay: 'device.byRelay', lan: 'device.byLan', internet: 'device.byInternet' } as const satisfies Record<
  Way,
  TextKey
>

/** The state of a device as text. */
export function deviceText(facts: DeviceFacts, nowMs: number): string {
  if (facts.paused) return t('device.paused')
  if (!facts.connected) {
    return isTime(facts.lastSeenMs)
      ? t('device.offlineSince', { time: formatAgo(facts.lastSeenMs, nowMs) })
      : t('device.never')
  }
  const way = wayText(facts.way)
  if (facts.folders === 0) return t('device.sharesNothing', { way })
  if (facts.waiting === 0) return t('device.upToDate', { way })
  return t('device.syncing', { way, percent: formatPercent(facts.fraction) })
}

export function wayText(way: Way): string {
  return t(WAYS[way])
}
