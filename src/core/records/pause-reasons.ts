import type { Reason } from './reason.ts'

/** What pauses a folder or a device. */
export interface PauseFacts {
  /** `user`: its owner, for a time or until it is resumed. */
  readonly by: 'rule' | 'battery' | 'user'
  readonly rule?: string | undefined
  /** When it ends, as RFC 3339; undefined: not known. */
  readonly until?: string | undefined
}

/** As `paused by the rule night until 2026-07-02T06:00:00Z`. */
export function pauseText({ by, rule = '', until }: PauseFacts): string {
  const end = until === undefined ? '' : ` until ${until}`
  if (by === 'rule') return `paused by the rule ${rule}${end}`
  return by === 'battery' ? 'paused while the machine runs on its battery' : `paused${end}`
}

export function folderPauseReason(pause: PauseFacts): Reason<'paused'> {
  const text = `the folder is ${pauseText(pause)}: nothing in it is scanned or downloaded`
  return { code: 'paused', text, ...pauseFields(pause) }
}

/** Why devices that may have an item are not connected. */
export interface AbsenceFacts {
  /** Only devices at local addresses are connected, because the connection is metered. */
  readonly isMetered: boolean
  /** Paused devices with the newest version. */
  readonly pausedHolders: readonly { readonly name: string; readonly pause: PauseFacts }[]
}

export const METERED_TEXT = 'the connection is metered: only devices at local addresses are connected'

export function absenceReasons({
  isMetered,
  pausedHolders,
}: AbsenceFacts): readonly Reason<'device-paused' | 'metered'>[] {
  const paused = pausedHolders.map(({ name, pause }) => {
    const text = `${name} has the newest version, and is ${pauseText(pause)}`
    return { code: 'device-paused', text, device: name, ...pauseFields(pause) } as const
  })
  if (!isMetered) return paused
  return [...paused, { code: 'metered', text: METERED_TEXT }]
}

function pauseFields({ rule, until }: PauseFacts): Pick<Reason, 'rule' | 'until'> {
  return { ...(rule !== undefined && { rule }), ...(until !== undefined && { until }) }
}
