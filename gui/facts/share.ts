import type { FolderDeviceConfig } from '../../src/core/config.ts'

/** A device with which a folder is shared, as it is sent to the daemon. */
export interface Share {
  readonly deviceID: string
  readonly introducedBy?: string
  readonly encryptionPassword: string
}

/** The passwords by device of those with whom a folder is shared; the device itself is not among them. */
export function sharesOf(devices: readonly FolderDeviceConfig[], ownId: string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(devices.filter(({ deviceID }) => deviceID !== ownId).map(({ deviceID, encryptionPassword }) => [deviceID, encryptionPassword]))
}

/** The list that the daemon gets; who introduced a device that stays is not forgotten. */
export function shareList(before: readonly FolderDeviceConfig[], shares: Readonly<Record<string, string>>, ownId: string | undefined): readonly Share[] {
  const own = before.filter(({ deviceID }) => deviceID === ownId)
  const chosen = Object.entries(shares).map(([deviceID, encryptionPassword]) => {
    const known = before.find((device) => device.deviceID === deviceID)
    return { ...known, deviceID, encryptionPassword }
  })
  return [...own, ...chosen]
}

/** Whether two choices share a folder alike. */
export function sameShares(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const ids = Object.keys(a)
  return ids.length === Object.keys(b).length && ids.every((id) => Object.hasOwn(b, id) && a[id] === b[id])
}
