import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { FolderConfig } from '../core/config/config.ts'
import type { CompletionJson } from '../rest/completion.ts'
import type { CliContext } from './context.ts'
import { stateOf } from './device-commands.ts'
import { tableLines } from './table.ts'
import { formatBytes } from './text.ts'

/** How much another device has. */
export interface DeviceShare {
  readonly deviceID: string
  readonly name: string
  readonly state: string
  /** Undefined where the daemon does not know it. */
  readonly completion: CompletionJson | undefined
}

/** The other devices and how much of all folders, or of one, they have. */
export async function deviceShares(client: Client, folder?: FolderConfig): Promise<readonly DeviceShare[]> {
  const [devices, connections, { myID }] = await Promise.all([
    client.devices(),
    client.call('GET /rest/system/connections'),
    client.systemStatus(),
  ])
  const shared = devices.filter(
    ({ deviceID }) => deviceID !== myID && (folder?.devices.some((each) => each.deviceID === deviceID) ?? true),
  )
  return Promise.all(
    shared.map(async (device) => ({
      deviceID: device.deviceID,
      name: device.name,
      state: stateOf(device, myID, connections),
      completion: await completionOf(client, device.deviceID, folder?.id),
    })),
  )
}

/** A paused folder has no completion. */
async function completionOf(client: Client, device: string, folder = ''): Promise<CompletionJson | undefined> {
  try {
    return await client.call('GET /rest/db/completion', { query: { device, folder } })
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return undefined
    throw error
  }
}

/** The number of conflict copies; 0 for a Syncthing, which does not list them. */
export async function conflictCount(client: Client, folder: string): Promise<number> {
  return await totalOf(client.call('GET /rest/twinfold/conflicts', { query: { folder, perpage: 1 } }))
}

/** The number of files that other devices have deleted and that stay here; 0 for a Syncthing. */
export async function keptCount(client: Client, folder: string): Promise<number> {
  return await totalOf(client.call('GET /rest/twinfold/kept', { query: { folder, perpage: 1 } }))
}

async function totalOf(page: Promise<{ readonly total: number }>): Promise<number> {
  try {
    return (await page).total
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return 0
    throw error
  }
}

export function printShares(context: CliContext, shares: readonly DeviceShare[]): void {
  if (shares.length === 0) return
  const columns = [
    { title: 'DEVICE', shrink: 'end' },
    { title: 'STATE' },
    { title: 'HAS', align: 'right' },
    { title: 'NEEDS', align: 'right' },
  ] as const
  const rows = shares.map(({ name, deviceID, state, completion }) => [
    name === '' ? deviceID : name,
    state,
    completion === undefined ? 'unknown' : `${percentText(completion.completion)} %`,
    completion === undefined ? '' : formatBytes(completion.needBytes),
  ])
  context.print('')
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
}

/** Rounded down, so that 100 means complete; never outside 0 to 100. */
function percentText(percent: number): string {
  return String(Math.floor(Math.min(100, Math.max(0, percent))))
}
