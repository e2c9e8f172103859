import { t, type TextKey } from '../i18n/texts.ts'
import type { DeviceFacts, ConnectionWay } from './device.ts'
import { formatAgo, formatPercent } from '../i18n/format.ts'

const WAYS = { relay: 'device.byRelay', lan: 'device.byLan', internet: 'device.byInternet' } as const satisfies Record<
  ConnectionWay,
  TextKey
>

/** The state of a device as text. */
export function deviceText(facts: DeviceFacts, nowMs: number): string {
  const { code } = facts
  switch (code) {
    case 'paused':
    case 'never':
      return t(`device.${code}`)
    case 'offline':
    case 'offlineBehind':
      return t('device.offlineSince', { time: formatAgo(facts.lastSeenMs, nowMs) })
    default:
      return t(`device.${code}`, { way: wayText(facts.way), percent: formatPercent(facts.fraction) })
  }
}

function wayText(way: ConnectionWay): string {
  return t(WAYS[way])
}

/** `tcp-client` when this device dialled, `tcp-server` when the other one did; `relay-…` through a relay. */
export function connectionText(way: ConnectionWay, type: string): string {
  const [transport = '', side] = type.split('-')
  const isKnown = side === 'client' || side === 'server'
  if (!isKnown) return [wayText(way), type].join(' · ')
  const direction = t(side === 'client' ? 'device.outgoing' : 'device.incoming')
  return [wayText(way), ...(way === 'relay' ? [] : [transport.toUpperCase()]), direction].join(' · ')
}
