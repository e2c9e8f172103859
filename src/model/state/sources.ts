import { TwinfoldError } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { BlockRequest, DownloadUpdate } from '../../protocol/types.ts'

/** A device that can serve a block at this moment. */
export interface BlockSource {
  readonly device: DeviceId
  /** The device has the block in a file it has not finished yet. */
  readonly fromTemporary: boolean
}

/** The names of the stored records; undefined: any. */
export type RecordsListener = (device: DeviceId, names: readonly string[] | undefined) => void

/** A pull that exchanges files with other devices that need them too. */
export interface FileSharing extends Disposable {
  /** The device alone has files that they need: what others have as well is rather requested from those. */
  spare(device: DeviceId): void
}

/** What the puller needs of the connected devices. */
export interface Sources {
  /** Connected devices that can serve this block of this very version, the one that will serve it soonest first. */
  sourcesOf(folder: FolderId, file: FileHead, blockNumber: number): Promise<readonly BlockSource[]>
  /**
   * The device that alone can serve this version of a file, where `holders` are those that have it by the index;
   * undefined: none, or several.
   */
  onlySource(folder: FolderId, file: FileHead, holders: readonly DeviceId[]): DeviceId | undefined
  /**
   * To be called before the index is read for a file; the returned function stores the devices that have it, which
   * saves a second lookup.
   */
  expectHolders(folder: FolderId): (file: FileHead, holders: readonly DeviceId[]) => void
  /** Resolves with the bytes, unverified. Rejects when the device refuses or disconnects, or the signal aborts. */
  request(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<Uint8Array>
  /** True while at least one device that shares the folder is connected and not paused. */
  hasConnectedDevice(folder: FolderId): boolean
  /** These devices. */
  connectedDevices(folder: FolderId): readonly DeviceId[]
  /** Until the result is disposed of, the listener is called whenever such a device has sent records. */
  shareFiles(folder: FolderId, listener: RecordsListener): FileSharing
  /** Announces to all of them the blocks of unfinished files that are available here. */
  sendDownloadProgress(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void>
}

/** Why a file is not pulled at the moment, in the errors of `GET /rest/folder/errors`. */
export const NO_SOURCE = 'no connected device has the required version of this file'

export function noSource(): TwinfoldError {
  return itemFailed(NO_SOURCE, { detail: 'no-source' })
}

/** For a device without connections. */
export const NO_SOURCES: Sources = {
  sourcesOf: async () => [],
  onlySource: () => undefined,
  expectHolders: () => () => {},
  request: async (device) => {
    throw new TwinfoldError('device-missing', `device ${device} is not connected`)
  },
  hasConnectedDevice: () => false,
  connectedDevices: () => [],
  shareFiles: () => ({ spare: () => {}, [Symbol.dispose]: () => {} }),
  sendDownloadProgress: async () => {},
}
