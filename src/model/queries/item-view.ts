import type { FolderConfig } from '../../core/config/config.ts'
import type { DeviceId } from '../../core/ids.ts'
import { deviceVersion, itemState } from '../../core/records/item-state.ts'
import type { Listing, NameRecords } from '../../db/types.ts'
import type { Item } from './explorer-types.ts'

/** All other devices that a folder is shared with. */
export function othersOf(folder: FolderConfig, ownDevice: DeviceId): readonly DeviceId[] {
  return folder.devices.map(({ deviceID }) => deviceID).filter((id) => id !== ownDevice)
}

export function devicesOf(records: NameRecords | undefined, others: readonly DeviceId[]): Item['devices'] {
  return others.map((deviceID) => ({
    deviceID,
    version: records === undefined ? 'none' : deviceVersion(records.others.get(deviceID), records.global),
  }))
}

/** The items with these names, in the same order; names without a record are left out. */
export async function itemsOf(
  listing: Pick<Listing, 'recordsOf'>,
  names: readonly string[],
  others: readonly DeviceId[],
): Promise<readonly Item[]> {
  return (await listing.recordsOf(names)).map((records) => ({
    records,
    state: itemState(records.local, records.global),
    devices: devicesOf(records, others),
  }))
}
