import type { FileType } from '../core/records/file-info.ts'

/** What a path is. `other` is everything that is never synchronized: pipes, sockets, devices. */
export type DiskType = FileType | 'other'

export interface DiskStat {
  readonly type: DiskType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** The low twelve bits. */
  readonly mode: number
  readonly userId: number
  readonly groupId: number
  /** Two paths with equal device and inode are the same item. */
  readonly deviceId: bigint
  readonly inode: bigint
  /**
   * Moves with every change, also where size and time are put back. Nanoseconds as a double, so changes less than 256 ns
   * apart may look like one; the clocks of file systems are coarser. Left out where nobody compares it.
   */
  readonly changeStamp?: number
  /** How many names the item has. Left out where nobody counts them. */
  readonly nameCount?: number
}

/**
 * A name in a directory. `valid` is false for bytes that are no UTF-8: such a name is shown, never opened; its bad
 * bytes read as `\xNN`, so that people find the item and no two of them look the same.
 */
export interface DiskName {
  readonly name: string
  readonly valid: boolean
}

/** An open file. Every call may reject with an error whose `code` is the system's (`ENOSPC`, `EIO`, …). */
export interface DiskFile extends AsyncDisposable {
  /** What the system calls the open file, for threads of this process; undefined where there is no such thing. */
  readonly descriptor?: number
  /**
   * The same open file past the system's memory, for whole pages at a time; undefined where there is no such way.
   * Closed with the file.
   */
  readonly directDescriptor?: number | undefined
  /** As it was when it was opened, where opening had a look anyway. */
  readonly opened?: DiskStat
  stat(): Promise<DiskStat>
  /** Bytes read; 0 at the end of the file. May be fewer than asked for. */
  read(into: Uint8Array, positionBytes: number): Promise<number>
  /** Writes all of it or rejects. */
  write(data: Uint8Array, positionBytes: number): Promise<void>
  truncate(sizeBytes: number): Promise<void>
  /** Resolves once the content would survive a loss of power. */
  sync(): Promise<void>
  chmod(mode: number): Promise<void>
  chown(userId: number, groupId: number): Promise<void>
  /**
   * Where the file is at this moment, by a path without symlinks, however it was found; undefined where the system
   * does not tell. Only this answers for sure what was opened: a path can lead elsewhere a moment later.
   */
  realPath?(): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * `read` and `write` open a regular file that is there (`write` reads too); `create` fails where anything is there
 * already, a dangling symlink included. No form follows a final symlink (`ELOOP`) or waits at a pipe.
 */
export type OpenMode = 'read' | 'write' | 'create'

/**
 * A directory that is held open. What is done below `path` is done in this directory, even when another one, or a symlink,
 * gets its name meanwhile; where the system cannot do that, it is only the path that it had.
 */
export interface HeldDirectory extends AsyncDisposable {
  readonly path: string
  /** Where the directory was when it was opened, without symlinks. */
  readonly realPath: string
}

export interface LockOptions {
  /** Giving the lock back leaves the file where it is. */
  readonly leaveFile?: boolean
}

/**
 * Files and directories by absolute path. No call follows a symlink in the last component unless it says so.
 * What goes wrong rejects with an error that has the system's `code`. A path that is relative or contains a NUL is
 * refused with `EINVAL`, one with half a character with `EILSEQ`: the system would take it for another name.
 */
export interface Disk {
  open(path: string, mode: OpenMode, permissions?: number): Promise<DiskFile>
  lstat(path: string): Promise<DiskStat>
  /** Follows symlinks: for a folder root or a home, never for an item in a folder. */
  stat(path: string): Promise<DiskStat>
  /** Follows symlinks. In no particular order. */
  list(path: string): Promise<readonly DiskName[]>
  makeDirectory(path: string, permissions: number): Promise<void>
  /** Parents too; an existing directory is fine. */
  makeDirectories(path: string, permissions: number): Promise<void>
  removeFile(path: string): Promise<void>
  removeDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /**
   * A rename that refuses with `EEXIST` to replace what is there. For a directory, and where there are no hard links,
   * it looks first and renames then: what is made in between must be an empty directory, or a file, to be replaced.
   */
  renameNew(from: string, to: string): Promise<void>
  /**
   * A new file with the content of another, in the quickest way the system has. Refuses with `EEXIST` where anything is
   * there already. The content is as it was at some moment for each part of it: whoever relies on it looks.
   */
  copyNew(from: string, to: string, permissions: number): Promise<void>
  /**
   * A second name for a file: the same content under both until one of them goes. Refuses with `EEXIST` where anything
   * is there already; where the system has no such names, or not across these directories, with its own code
   * (`EXDEV`, `EPERM`, `ENOTSUP`, …).
   */
  linkNew(from: string, to: string): Promise<void>
  /**
   * The same where the system lets both files share what they have in common, which takes no time; rejects where it
   * does not, with nothing made.
   */
  cloneNew(from: string, to: string, permissions: number): Promise<void>
  makeSymlink(target: string, path: string): Promise<void>
  /** Rejects with `EILSEQ` where the target is no UTF-8: it would not come back as it was. */
  readSymlink(path: string): Promise<string>
  /** `ELOOP` for a symlink: what is behind it stays as it is. */
  chmod(path: string, mode: number): Promise<void>
  /** Of the item itself, also of a symlink. `EPERM` for those who may not, `ENOSYS` where there are no owners. */
  chown(path: string, userId: number, groupId: number): Promise<void>
  /**
   * As exactly as the system lets us, always within the same second. The real disk takes seconds as a double, so
   * dates of 1970 to 2038 come out up to 120 ns off, until 2106 up to 240 ns, and file systems may be coarser: whoever
   * must know the time that an item has now reads it back.
   */
  setModified(path: string, modifiedS: number, modifiedNs: number): Promise<void>
  /**
   * Makes renames and removals in a directory survive a loss of power; does nothing where the system has no such call.
   * Follows symlinks.
   */
  syncDirectory(path: string): Promise<void>
  /** Refuses what is no directory itself: a symlink is not followed in the last component. */
  holdDirectory(path: string): Promise<HeldDirectory>
  space(path: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** The real path behind symlinks. */
  realPath(path: string): Promise<string>
  /**
   * An exclusive lock that the system drops when the process ends; undefined when somebody else has it, in this
   * process or another. Makes the file, 0600, where there is none; giving the lock back removes it, unless it is to be
   * left: for a file that is somebody else's.
   */
  lock(path: string, options?: LockOptions): Promise<AsyncDisposable | undefined>
}

/** The few calls that walking and hashing need, without promises: for threads, and for the simulated disk. */
export interface SyncDisk {
  lstat(path: string): DiskStat
  list(path: string): readonly DiskName[]
  readSymlink(path: string): string
  /** Bytes read; 0 at the end. */
  read(path: string, into: Uint8Array, positionBytes: number): number
  removeFile(path: string): void
}
