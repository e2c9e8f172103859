import type { FolderConfig, FolderDeviceConfig } from '../../src/core/config/config.ts'

/** What is shared: by id, the password that hides it, or an empty one where it can be read. */
export type Shares = Readonly<Record<string, string>>

/** A device with which a folder is shared, as it is sent to the daemon. */
export interface Share {
  readonly deviceID: string
  readonly introducedBy?: string
  readonly encryptionPassword: string
}

/** The passwords by device of those with whom a folder is shared; the device itself is not among them. */
export function sharesOf(devices: readonly FolderDeviceConfig[], localId: string | undefined): Shares {
  return Object.fromEntries(
    devices
      .filter(({ deviceID }) => deviceID !== localId)
      .map(({ deviceID, encryptionPassword }) => [deviceID, encryptionPassword]),
  )
}

/** The list that the daemon gets; the introducer of a device that stays is kept. */
export function shareList(
  before: readonly FolderDeviceConfig[],
  shares: Shares,
  localId: string | undefined,
): readonly Share[] {
  const unchanged = before.filter(({ deviceID }) => deviceID === localId)
  const chosen = Object.entries(shares).map(([deviceID, encryptionPassword]) => {
    const known = before.find((device) => device.deviceID === deviceID)
    return { ...known, deviceID, encryptionPassword }
  })
  return [...unchanged, ...chosen]
}

/** Whether two choices share a folder in the same way. */
export function sameShares(a: Shares, b: Shares): boolean {
  const ids = Object.keys(a)
  return ids.length === Object.keys(b).length && ids.every((id) => Object.hasOwn(b, id) && a[id] === b[id])
}

/** The choice with one more, or one less. */
export function withShare(shares: Shares, id: string, password: string | undefined): Shares {
  const { [id]: _before, ...others } = shares
  return password === undefined ? others : { ...others, [id]: password }
}

/** The password that a folder has for some device: all devices that can read it use the same. */
export function knownPassword({ devices }: FolderConfig): string | undefined {
  return devices.find(({ encryptionPassword }) => encryptionPassword !== '')?.encryptionPassword
}

/** Whether a device gets another folder in readable form: then it cannot be untrusted. */
export function hasReadableFolder(folders: readonly FolderConfig[], deviceId: string, except: string): boolean {
  return folders.some(
    ({ id, type, devices }) =>
      id !== except &&
      type !== 'receiveencrypted' &&
      devices.some(({ deviceID, encryptionPassword }) => deviceID === deviceId && encryptionPassword === ''),
  )
}

/** The folders a device gets, with their passwords. */
export function foldersSharedWith(folders: readonly FolderConfig[], deviceID: string): Shares {
  return Object.fromEntries(
    folders.flatMap(({ id, devices }) => {
      const share = devices.find((device) => device.deviceID === deviceID)
      return share === undefined ? [] : [[id, share.encryptionPassword]]
    }),
  )
}

/** The folders for which a choice about one device changes something, each with its whole list. */
export function changedShares(
  folders: readonly FolderConfig[],
  deviceID: string,
  shares: Shares,
): readonly { readonly id: string; readonly devices: readonly Share[] }[] {
  return folders.flatMap(({ id, devices }) => {
    const now = devices.find((device) => device.deviceID === deviceID)
    const password = Object.hasOwn(shares, id) ? shares[id] : undefined
    if (now?.encryptionPassword === password) return []
    const others = devices.filter((device) => device.deviceID !== deviceID)
    return [
      {
        id,
        devices: password === undefined ? others : [...others, { ...now, deviceID, encryptionPassword: password }],
      },
    ]
  })
}

/** What happens to each folder of a device when it is removed, as actions to be planned. */
export function unsharePlans(
  folders: readonly FolderConfig[],
  deviceId: string,
): readonly { readonly folder: string; readonly action: string }[] {
  return folders
    .filter(({ devices }) => devices.some(({ deviceID }) => deviceID === deviceId))
    .map(({ id }) => ({ folder: id, action: `unshare:${deviceId}` }))
}
