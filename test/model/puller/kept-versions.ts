/** Reads and restores the versions of a simulated folder. */
import type { VersioningConfig } from '../../../src/core/config/config.ts'
import { DOCS } from '../../support/model.ts'
import { SimPull } from './sim-pull.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

export function keeping(
  type: string,
  params: Readonly<Record<string, string>> = {},
  changes: Partial<VersioningConfig> = {},
): VersioningConfig {
  return { type, params, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic', ...changes }
}

export async function start(
  type: string,
  params: Readonly<Record<string, string>> = {},
  changes: Partial<VersioningConfig> = {},
): Promise<SimPull> {
  return await SimPull.start({ folder: { versioning: keeping(type, params, changes) } })
}

/** The files among the versions, with their content. */
export async function keptVersions(pull: SimPull): Promise<readonly string[]> {
  const files = (await pull.tree('.stversions').catch(() => [])).filter((path) => !path.endsWith('/'))
  return await Promise.all(files.map(async (path) => `${path.slice('.stversions/'.length)}=${await pull.read(path)}`))
}

export async function listed(pull: SimPull): Promise<Readonly<Record<string, readonly number[]>>> {
  const versions = await pull.hub.while(pull.hub.model.versions(DOCS))
  return Object.fromEntries([...versions].map(([name, list]) => [name, list.map(({ versionMs }) => versionMs)]))
}

export async function restore(
  pull: SimPull,
  name: string,
  versionMs: number,
): Promise<readonly (readonly [string, string])[]> {
  const failures = await pull.hub.while(pull.hub.model.restoreVersions(DOCS, new Map([[name, versionMs]])))
  await pull.rest()
  return [...failures]
}
