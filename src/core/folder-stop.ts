import type { ErrorDetail } from './errors.ts'

/** Why a folder stops, in the words of Syncthing, which other clients match in `GET /rest/db/status`. */
export const PATH_MISSING = 'folder path missing'
export const MARKER_MISSING =
  'folder marker missing (this indicates potential data loss, ' +
  'search docs/forum to get information about how to proceed)'
export const STOP_REASONS = { 'path-missing': PATH_MISSING, 'marker-missing': MARKER_MISSING } as const
/** The only marker that is created and removed automatically; other names are chosen and managed by the user. */
export const DEFAULT_MARKER_NAME = '.stfolder'
export const PATH_NO_DIRECTORY = 'folder path not a directory'

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
        `folder marker missing: the disk is probably not mounted at ${path}. If it is mounted and the files are ` +
        `complete, create an empty directory ${markerName} there`
      )
    case 'path-missing':
      return `folder path missing: the disk is probably not mounted, or ${path} was moved or removed`
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
