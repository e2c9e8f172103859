import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { FolderExplorer } from '../../../src/model/queries/explorer.ts'
import { DEVICES } from '../../db/records.ts'
import { DOCS, simConfig, simFolder, SimHub } from '../../support/model.ts'

export const ROOT = '/data/docs'
export const [ANNA, BEN] = [DEVICES[0]!, DEVICES[1]!]
export const FIRST_PAGE = { page: 1, perPage: 100 }
export const NEVER = new AbortController().signal

interface Explored extends AsyncDisposable {
  readonly hub: SimHub
  readonly explorer: FolderExplorer
}

/** A folder shared with Anna and Ben, who are not connected. */
export async function explored(files: Record<string, string>, changes: Partial<FolderConfig> = {}): Promise<Explored> {
  const devices = [ANNA, BEN].map((deviceID) => ({ deviceID, introducedBy: '' as const, encryptionPassword: '' }))
  const hub = await SimHub.open(simConfig([simFolder('docs', { devices, ...changes })]))
  for (const [name, text] of Object.entries(files)) hub.platform.disk.put(`${ROOT}/${name}`, text)
  hub.run()
  if (changes.paused !== true) await hub.while(hub.model.scan(DOCS))
  return { hub, explorer: await hub.model.explorer(), [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() }
}
