import type { DebugJson } from '../../src/rest/system.ts'
import { client } from './client.ts'
import { Store } from '../base/store.ts'

/** The facilities and those with debug logging enabled; undefined until loaded. */
export const debugFacilities = new Store<DebugJson | undefined>(undefined)

export async function loadDebug(): Promise<void> {
  const loaded = await client.debugFacilities()
  // It is kept when the page that shows it is left: what cannot be shown would stay.
  const isRight = loaded.facilities instanceof Object && Array.isArray(loaded.enabled)
  debugFacilities.set(isRight ? loaded : undefined)
}

export async function switchDebug(facility: string, on: boolean): Promise<void> {
  await client.setDebugFacilities(on ? { enable: [facility] } : { disable: [facility] })
  await loadDebug()
}
