import type { DebugJson } from '../../src/rest/system.ts'
import { client } from './client.ts'
import { Store } from './store.ts'

/** The facilities and those with debug logging enabled; undefined until loaded. */
export const debug = new Store<DebugJson | undefined>(undefined)

export async function loadDebug(): Promise<void> {
  debug.set(await client.debugFacilities())
}

export async function switchDebug(facility: string, on: boolean): Promise<void> {
  await client.setDebugFacilities(on ? { enable: [facility] } : { disable: [facility] })
  await loadDebug()
}
