import type { OverallStatus } from './overall-status.ts'

/** The status as screen readers announce it. */
export interface Announcement {
  /** The kind of the last announced status. */
  readonly kind: string
  /** Empty while the status has changed and the change is not worth announcing. */
  readonly text: string
}

export const NOT_ANNOUNCED: Announcement = { kind: '', text: '' }

/** Statuses of the same kind differ only in their numbers. */
export function statusKind({ tone, parts }: OverallStatus): string {
  return `${tone} ${parts.map(({ key }) => key).join(' ')}`
}

/** A transfer, a scan, a start or changing numbers are not announced; a text that is no longer true is removed. */
export function announce(
  before: Announcement,
  status: OverallStatus,
  textOf: (status: OverallStatus) => string,
): Announcement {
  const kind = statusKind(status)
  if (status.tone === 'busy' || status.parts[0]?.key === 'status.starting')
    return before.text === '' ? before : { ...before, text: '' }
  return kind === before.kind ? before : { kind, text: textOf(status) }
}
