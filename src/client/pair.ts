import type { Caller, DeviceChange } from './groups.ts'
import { ClientError } from './errors.ts'

export interface PairOptions {
  /** IDs of folders to share; at least one of the two devices has each. */
  readonly folders?: readonly string[]
  /** Settings of the other device on this one, and of this device on the other, such as addresses. */
  readonly here?: DeviceChange
  readonly there?: DeviceChange
}

interface Side {
  readonly client: Caller
  readonly deviceID: string
  readonly name: string
  readonly folders: ReadonlySet<string>
}

/** Adds each device to the other, and shares folders. What is there already stays as it is. */
export async function pairDevices(one: Caller, other: Caller, options: PairOptions): Promise<void> {
  const [here, there] = await Promise.all([sideOf(one), sideOf(other)])
  const ids = options.folders ?? []
  const missing = ids.find((id) => !here.folders.has(id) && !there.folders.has(id))
  if (missing !== undefined) {
    throw new ClientError('status', `neither device has a folder "${missing}"; add it with addFolder`, { status: 404 })
  }
  await addDevice(here, there, options.here)
  await addDevice(there, here, options.there)
  for (const id of ids) {
    await shareFolder(here, there, id)
    await shareFolder(there, here, id)
  }
}

async function sideOf(client: Caller): Promise<Side> {
  const { myID: deviceID } = await client.call('GET /rest/system/status')
  const [devices, folders] = [
    await client.call('GET /rest/config/devices'),
    await client.call('GET /rest/config/folders'),
  ]
  const name = devices.find((device) => device.deviceID === deviceID)?.name ?? ''
  return { client, deviceID, name, folders: new Set(folders.map(({ id }) => id)) }
}

async function addDevice({ client }: Side, { deviceID, name }: Side, settings: DeviceChange = {}): Promise<void> {
  const isThere = (await client.call('GET /rest/config/devices')).some((device) => device.deviceID === deviceID)
  if (isThere) await client.call('PATCH /rest/config/devices/:id', { id: deviceID, body: settings })
  else await client.call('POST /rest/config/devices', { body: { name, ...settings, deviceID } })
}

async function shareFolder({ client, folders }: Side, { deviceID }: Side, id: string): Promise<void> {
  if (!folders.has(id)) return
  const { devices } = await client.call('GET /rest/config/folders/:id', { id })
  if (devices.some((device) => device.deviceID === deviceID)) return
  await client.call('PATCH /rest/config/folders/:id', { id, body: { devices: [...devices, { deviceID }] } })
}
