/** A model with one scanned folder. */
import { DOCS, simConfig, simFolder, SimHub } from '../support/model.ts'

export const ROOT = '/data/docs'

export async function started(
  files: Record<string, string> = { 'a.txt': 'one', 'b/c.txt': 'two' },
  config = simConfig([simFolder('docs')]),
): Promise<SimHub> {
  const hub = await SimHub.open(config)
  for (const [name, text] of Object.entries(files)) hub.platform.disk.put(`${ROOT}/${name}`, text)
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  return hub
}

export async function localNames(hub: SimHub, folder = DOCS): Promise<readonly string[]> {
  const index = await hub.store.folder(folder)
  const records = await index.records.page('local', { within: '', afterName: '', limit: 1_000 })
  return records.map((record) => `${record.deleted ? '-' : ''}${record.name}`)
}
