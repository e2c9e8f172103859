import type { FolderDeviceConfig } from '../config/config.ts'

/** How a device has a folder in readable form: the folder is shared with it, or it offers the folder itself. */
export type ReadableCopy = 'none' | 'shared' | 'offered'

export interface CopyFacts {
  /** How we share the folder with the device. */
  readonly share: Pick<FolderDeviceConfig, 'encryptionPassword'> | undefined
  /** What the device announces about the folder; `notSharing`: it never accepted it. */
  readonly remoteState: string | undefined
  /** The folder as the device offers it. */
  readonly offer: { readonly remoteEncrypted: boolean } | undefined
}

/**
 * What the settings here and the announcements of a device tell about a readable copy there. With one a password would
 * hide nothing, and the contradiction would disconnect all folders.
 */
export function readableCopy({ share, remoteState, offer }: CopyFacts): ReadableCopy {
  if (share !== undefined) return share.encryptionPassword !== '' || remoteState === 'notSharing' ? 'none' : 'shared'
  return offer === undefined || offer.remoteEncrypted ? 'none' : 'offered'
}
