import type { RestoreResultJson, VersionsJson } from '../../src/rest/versions.ts'

/** A file with the versions of it that are kept, the newest first. */
export interface VersionedFile {
  readonly path: string
  readonly versions: VersionsJson[string]
}

/** The files whose path contains the text, in upper or lower case, by path. */
export function versionedFiles(versions: VersionsJson, text: string): readonly VersionedFile[] {
  const wanted = text.trim().toLowerCase()
  return Object.entries(versions)
    .filter(([path, kept]) => kept.length > 0 && path.toLowerCase().includes(wanted))
    .map(([path, kept]) => ({ path, versions: kept }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** What was restored and what was not. */
export function restoreOutcome(wanted: Readonly<Record<string, string>>, failures: RestoreResultJson) {
  const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
  return { restored: Object.keys(wanted).length - failed.length, failed }
}
