import type { DeviceConfig, FolderConfig, OptionsConfig, Size } from '../config/config.ts'
import type { FolderExtensions } from '../config/extensions.ts'
import type { RefusalCode } from '../refusals.ts'
import type { CauseCode } from '../remedies/cause.ts'

/** Everything that the checks decide on. What could not be found out is undefined, and nothing is concluded from it. */
export interface DoctorFacts {
  readonly nowMs: number
  readonly isRoot: boolean
  /** Of the process; undefined on systems without. */
  readonly userId: number | undefined
  readonly openFiles: { readonly used: number | undefined; readonly max: number | undefined }
  readonly watches: { readonly used: number; readonly allowed: number } | undefined
  /** Failures of the program that nothing handled, since its start. */
  readonly unhandledFailures: number
  /** Settings that put the device at risk. */
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly remedy: string }[]
  /** The address on which the page is served to other hosts without TLS. */
  readonly plainPage: string | undefined
  readonly home: HomeFacts
  readonly certificates: readonly CertificateFacts[]
  readonly options: Pick<OptionsConfig, 'globalAnnounceEnabled' | 'localAnnounceEnabled' | 'relaysEnabled'>
  readonly listeners: readonly { readonly address: string; readonly error: string | null }[]
  readonly discovery: readonly { readonly name: string; readonly error: string | null }[]
  /** A newer release that a check has found. */
  readonly release: { readonly version: string; readonly command: string | undefined } | undefined
  /** Keys and users with a time until which they are valid. */
  readonly grants: readonly { readonly kind: string; readonly name: string; readonly expiresMs: number }[]
  /** Indexes that were damaged and replaced since the start. */
  readonly recoveries: readonly {
    readonly folder: string | undefined
    readonly reason: string
    readonly keptAt: string
  }[]
  readonly disks: readonly DiskFacts[]
  readonly folders: readonly FolderFacts[]
  readonly devices: readonly DeviceFacts[]
  readonly disagreements: readonly {
    readonly device: string
    readonly folder: string | undefined
    readonly code: RefusalCode
  }[]
  /** Errors of folders, with their causes. */
  readonly troubles: readonly TroubleFacts[]
}

interface HomeFacts {
  readonly path: string
  readonly space: SpaceFacts | undefined
  readonly minFree: Size
  /** The type of its file system, as in the table of mounts. */
  readonly fileSystem: string | undefined
}

export interface SpaceFacts {
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface CertificateFacts {
  readonly what: 'page' | 'device'
  readonly file: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

interface DiskFacts extends SpaceFacts {
  readonly path: string
  readonly folders: readonly string[]
  readonly daysLeft: number | undefined
}

export interface FolderFacts {
  readonly config: FolderConfig
  readonly extensions: FolderExtensions
  /** Its directory, without symlinks; undefined where it cannot be found. */
  readonly root: string | undefined
  readonly owner: { readonly userId: number; readonly mode: number } | undefined
  /** Whether its disk treats names that differ in case, or in Unicode normalization, as one; undefined: not known. */
  readonly foldsCase: boolean | undefined
  readonly foldsUnicode: boolean | undefined
  /** Temporary files at its top that are older than they are kept. */
  readonly oldTemporaryFiles: number
  readonly ignoreError: string | undefined
  readonly conflicts: number
  /** Files whose loss the deletion guard holds. */
  readonly heldFiles: number
  readonly versions: { readonly files: number; readonly sizeBytes: number } | undefined
  /** 0 is never. */
  readonly lastScanMs: number
  readonly receiveOnlyChanged: number
  /** The other devices that it is shared with. */
  readonly sharedWith: readonly string[]
}

export interface DeviceFacts {
  readonly config: DeviceConfig
  readonly isConnected: boolean
  /** 0 is never. */
  readonly lastSeenMs: number
  /** How far its clock is ahead of ours; undefined where it did not tell. */
  readonly clockAheadMs: number | undefined
  /** Folders shared with it. */
  readonly folders: number
  readonly hasAddress: boolean
}

/** An error of a folder, of its items or of its watch, as `core/remedies` explains it. */
export interface TroubleFacts {
  readonly folder: string
  readonly about: 'folder' | 'items' | 'watch'
  readonly cause: CauseCode
  readonly items: number
  readonly message: string
  readonly remedy: string
  readonly command: string | undefined
}
