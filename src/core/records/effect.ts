/** What an action does to an item. */
export const EFFECTS = [
  /** A file that is not there is obtained. */
  'fetch',
  /** A file is replaced by another version. */
  'replace',
  /** A directory or symlink is made. */
  'make',
  /** Only mode, time or attributes are set. */
  'metadata',
  'delete',
  /** A file that was changed there, too, is kept as a conflict copy. */
  'conflict',
  /** Deleted elsewhere, the file stays as a kept one. */
  'collect',
  /** A change of ours is sent to other devices. */
  'announce',
  /** It stays on the disk, and is no longer synchronized. */
  'ignore',
  /** It differs from the newest version, and stays as it is. */
  'leave',
  /** No device that is left has this version. */
  'lose',
  /** It becomes as it was at a moment. */
  'restore',
  /** It is newer than that moment, or its name is in use, and stays. */
  'keep',
] as const

export type Effect = (typeof EFFECTS)[number]
