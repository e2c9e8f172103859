/** Why a folder stops, in the words of Syncthing, which other clients match in `GET /rest/db/status`. */
export const PATH_MISSING = 'folder path missing'
export const PATH_NO_DIRECTORY = 'folder path not a directory'
export const MARKER_MISSING =
  'folder marker missing (this indicates potential data loss, ' +
  'search docs/forum to get information about how to proceed)'

/** The same for users: with the path and what to do. Any other error is returned as it is. */
export function stopText(error: string, { path, markerName }: { readonly path: string; readonly markerName: string }) {
  switch (error) {
    case MARKER_MISSING:
      return (
        `folder marker missing: the disk is probably not mounted at ${path}. If it is mounted and the files are ` +
        `complete, create an empty directory ${markerName} there`
      )
    case PATH_MISSING:
      return `folder path missing: the disk is probably not mounted, or ${path} was moved or removed`
    default:
      return error
  }
}
