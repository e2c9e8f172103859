import type { RestoreResultJson, VersionsJson } from '../../src/rest/versions.ts'
import type { Sort } from './table.ts'

const BY_PATH: Sort = { column: 'name', descending: false }

/** A file with the versions of it that are kept, the newest first. */
export interface VersionedFile {
  readonly path: string
  readonly versions: VersionsJson[string]
}

/** The files whose path contains the text, in upper or lower case, by path or by the time of the newest version. */
export function versionedFiles(versions: VersionsJson, text: string, by: Sort = BY_PATH): readonly VersionedFile[] {
  const wanted = text.trim().toLowerCase()
  const sign = by.descending ? -1 : 1
  const keyOf = ({ path, versions: kept }: VersionedFile) =>
    by.column === 'time' ? Date.parse(kept[0]?.versionTime ?? '') : path
  return Object.entries(versions)
    .filter(([path, kept]) => kept.length > 0 && path.toLowerCase().includes(wanted))
    .map(([path, kept]) => ({ path, versions: kept }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -sign : keyOf(a) > keyOf(b) ? sign : a.path < b.path ? -1 : 1))
}

/** What was restored and what was not. */
export function restoreOutcome(wanted: Readonly<Record<string, string>>, failures: RestoreResultJson) {
  const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
  return { restored: Object.keys(wanted).length - failed.length, failed }
}
