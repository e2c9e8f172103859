import type { FolderConfig, VersioningConfig } from './config.ts'
import type { FolderExtensions } from './extensions.ts'

/** Deleted and replaced files stay in a trash can for this time, in folders that are made here. */
const TRASH_DAYS = 30

/** A trash can that Syncthing understands, too. */
const TRASH: VersioningConfig = Object.freeze({
  type: 'trashcan',
  params: Object.freeze({ cleanoutDays: String(TRASH_DAYS) }),
  cleanupIntervalS: 3600,
  fsPath: '',
  fsType: 'basic',
})
const SAFE = Object.freeze({ guard: true, versionsPercentMax: 10 })
const UNSAFE = Object.freeze({ guard: false, versionsPercentMax: 0, archiveLocal: false })

type Folder = Pick<FolderConfig, 'type' | 'versioning'>

/** What switching the safety of a folder changes in both of its configurations; absent fields stay. */
export interface SafetyChange {
  readonly versioning?: VersioningConfig
  readonly extensions: Partial<FolderExtensions>
}

/**
 * Versioning that the user chose is kept, and has no limit that could remove versions of it at once. An encrypted
 * folder has none of this: its files cannot be restored here.
 */
export function safetyOn({ type, versioning }: Folder): SafetyChange {
  if (type === 'receiveencrypted') return { extensions: {} }
  if (versioning.type !== '') return { extensions: isTrash(versioning) ? SAFE : { guard: true } }
  return { versioning: { ...TRASH, fsPath: versioning.fsPath, fsType: versioning.fsType }, extensions: SAFE }
}

/** What a new folder gets with the fields that it gives; the defaults for new folders supply the rest. */
export function safetyOfNew(
  defaults: Folder,
  given: { readonly type?: FolderConfig['type']; readonly versioning?: { readonly type?: string } },
): SafetyChange {
  const { type = defaults.type, versioning } = given
  const folder = { type, versioning: { ...defaults.versioning, type: versioning?.type ?? defaults.versioning.type } }
  return { ...safetyOn(folder), extensions: extensionsOfNew(folder) }
}

/** The settings of a folder that is made here: those of the safety, and merges that are offered. */
export function extensionsOfNew(folder: Folder): Partial<FolderExtensions> {
  if (folder.type === 'receiveencrypted') return {}
  return { ...safetyOn(folder).extensions, merge: 'offer' }
}

/** The files in the trash can stay where they are. */
export function safetyOff({ versioning }: Folder): SafetyChange {
  return { ...(isTrash(versioning) && { versioning: { ...versioning, type: '' } }), extensions: UNSAFE }
}

/** Whether a folder lacks the trash can, or any other versioning, or the guard. */
export function isWithoutSafety(folder: Folder, { guard }: Pick<FolderExtensions, 'guard'>): boolean {
  return folder.type !== 'receiveencrypted' && (folder.versioning.type === '' || !guard)
}

function isTrash({ type, params }: VersioningConfig): boolean {
  return type === TRASH.type && params['cleanoutDays'] === TRASH.params['cleanoutDays']
}
