import type { ErrorDetail } from '../errors.ts'
import { STOP_REASONS } from '../folder-stop.ts'
import { CAUSE_NAMES } from './cause.ts'

interface FolderPlace {
  readonly path: string
  readonly markerName: string
}

/** The reason for users: with the path and what to do. Without a detail it is returned as it is. */
export function explainStop(
  detail: ErrorDetail | undefined,
  reason: string,
  { path, markerName }: FolderPlace,
): string {
  switch (detail) {
    case 'marker-missing':
      return (
        `${CAUSE_NAMES.marker}: the disk is probably not mounted at ${path}. If it is mounted and the files are ` +
        `complete, create an empty directory ${markerName} there`
      )
    case 'path-missing':
      return `${CAUSE_NAMES.missing}: the disk is probably not mounted, or ${path} was moved or removed`
    default:
      return reason
  }
}

/** The same for clients of REST, where the reason is only a text. */
export function stopText(reason: string, place: FolderPlace): string {
  const details = ['marker-missing', 'path-missing'] as const
  return explainStop(
    details.find((detail) => STOP_REASONS[detail] === reason),
    reason,
    place,
  )
}
