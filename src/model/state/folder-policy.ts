import type { FolderConfig, FolderTypeName } from '../../core/config/config.ts'

/** What a folder type may do: one table instead of a class per type. */
export interface FolderPolicy {
  /** A local change is not announced: its record carries the receive-only flag. */
  readonly localChangesStayHere: boolean
  /** Files of other devices are written to our disk. */
  readonly takesFiles: boolean
  /** Our index is announced to others. */
  readonly announcesChanges: boolean
  readonly hasIgnores: boolean
  /** Permission bits are neither compared nor announced, regardless of `ignorePerms`. */
  readonly ignoresPermissions: boolean
  /** Edits of ours that lose are kept as conflict copies. A changed file of an encrypted folder is a damaged one. */
  readonly keepsConflicts: boolean
  /** Files that other devices delete may stay here. The names of an encrypted folder do not show what is kept. */
  readonly mayCollect: boolean
  readonly canOverride: boolean
  readonly canRevert: boolean
}

const PLAIN: FolderPolicy = {
  localChangesStayHere: false,
  takesFiles: true,
  announcesChanges: true,
  hasIgnores: true,
  ignoresPermissions: false,
  keepsConflicts: true,
  mayCollect: true,
  canOverride: false,
  canRevert: false,
}

export const FOLDER_POLICIES: Readonly<Record<FolderTypeName, FolderPolicy>> = {
  sendreceive: PLAIN,
  sendonly: { ...PLAIN, takesFiles: false, canOverride: true },
  receiveonly: { ...PLAIN, localChangesStayHere: true, announcesChanges: false, canRevert: true },
  receiveencrypted: {
    ...PLAIN,
    localChangesStayHere: true,
    announcesChanges: false,
    hasIgnores: false,
    ignoresPermissions: true,
    keepsConflicts: false,
    mayCollect: false,
    canRevert: true,
  },
}

/** `kept`: the disk stores none, so items have those of their records, and new ones have none. */
export type PermissionRule = 'applied' | 'ignored' | 'kept'

export function permissionRule(
  { ignorePerms, type }: Pick<FolderConfig, 'ignorePerms' | 'type'>,
  platform: string,
): PermissionRule {
  if (ignorePerms || FOLDER_POLICIES[type].ignoresPermissions) return 'ignored'
  return platform === 'win32' ? 'kept' : 'applied'
}
