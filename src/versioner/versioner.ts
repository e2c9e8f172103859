import { versionPolicy } from '../core/records/version-policy.ts'
import { ExternalVersioner } from './external.ts'
import { KeptVersions } from './kept-versions.ts'
import type { Versioner, VersionerDeps, VersionerOptions } from './types.ts'

/** Undefined for a folder that keeps no old versions. Does not access the disk. */
export function createVersioner(deps: VersionerDeps, options: VersionerOptions): Versioner | undefined {
  const policy = versionPolicy(options.folder.versioning)
  if (policy === undefined) return undefined
  return policy.kind === 'external'
    ? new ExternalVersioner(deps, options, policy.command)
    : new KeptVersions(deps, options, policy)
}
