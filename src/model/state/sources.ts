import { TwinfoldError } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { BlockRequest, DownloadUpdate } from '../../protocol/types.ts'

/** Where blocks can be had at this moment. */
export interface BlockSource {
  readonly device: DeviceId
  /** The device has the block in a file it has not finished yet. */
  readonly fromTemporary: boolean
}

/** What the puller asks of the devices we are connected to. */
export interface Sources {
  /** Connected devices that can serve this block of this very version, those with the fewest open requests first. */
  sourcesOf(folder: FolderId, file: FileHead, blockNumber: number): Promise<readonly BlockSource[]>
  /**
   * To be called before the index is asked about a file; what it returns is told the answer, so that nobody need ask
   * again who has it.
   */
  expectHolders(folder: FolderId): (file: FileHead, holders: readonly DeviceId[]) => void
  /** Resolves with the bytes as they came, not verified. Rejects when the device refuses, leaves, or the signal aborts. */
  request(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<Uint8Array>
  /** True while at least one device that shares the folder is connected and not paused. */
  isAnyoneThere(folder: FolderId): boolean
  /** Tells all of them which blocks of files we have not finished they may have from us. */
  tellProgress(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void>
}

/** Nobody is connected, ever. */
export const NO_SOURCES: Sources = {
  sourcesOf: async () => [],
  expectHolders: () => () => {},
  request: async (device) => {
    throw new TwinfoldError('device-missing', `device ${device} is not connected`)
  },
  isAnyoneThere: () => false,
  tellProgress: async () => {},
}
