/** Why a folder stops, in the words of Syncthing, which other clients match in `GET /rest/db/status`. */
export const PATH_MISSING = 'folder path missing'
export const MARKER_MISSING =
  'folder marker missing (this indicates potential data loss, ' +
  'search docs/forum to get information about how to proceed)'
export const STOP_REASONS = { 'path-missing': PATH_MISSING, 'marker-missing': MARKER_MISSING } as const
/** The only marker that is created and removed automatically; other names are chosen and managed by the user. */
export const DEFAULT_MARKER_NAME = '.stfolder'
export const PATH_NO_DIRECTORY = 'folder path not a directory'
