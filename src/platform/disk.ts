import type { FileType } from '../core/records/file-info.ts'

/** The type of an item. `other` is never synchronized: pipes, sockets, devices. */
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
   * Changes with every change of the item, also where size and time are restored. Nanoseconds as a double, so changes
   * less than 256 ns apart may be equal; the clocks of file systems are coarser. A rename or a hard link changes it
   * too. Undefined where the file system has none.
   */
  readonly changeStamp?: number
  /** Number of hard links. Left out where it is not needed. */
  readonly nameCount?: number
}

/** A directory and items in it at about one moment. */
export interface DirectoryStat {
  readonly directory: DiskStat
  /** In the order of their names; undefined for one that is missing. */
  readonly items: readonly (DiskStat | undefined)[]
}

/**
 * A name in a directory. `valid` is false for bytes that are no UTF-8: such a name is displayed, never opened; its
 * invalid bytes appear as `\xNN`, so that users find the item and no two names are equal.
 */
export interface DiskName {
  readonly name: string
  readonly valid: boolean
}

/** An open file. Every call may reject with an error whose `code` is the system's (`ENOSPC`, `EIO`, …). */
export interface DiskFile extends AsyncDisposable {
  /** The file descriptor, for threads of this process; undefined where there is none. */
  readonly descriptor?: number
  /**
   * A descriptor of the same file that bypasses the page cache, for whole pages; undefined where unsupported. Closed
   * with the file.
   */
  readonly directDescriptor?: number | undefined
  /** The state at the time of opening, where `open` read it anyway. */
  readonly opened?: DiskStat
  stat(): Promise<DiskStat>
  /** Bytes read; 0 at the end of the file. May be fewer than requested. */
  read(into: Uint8Array, positionBytes: number): Promise<number>
  /** Writes all of it or rejects. */
  write(data: Uint8Array, positionBytes: number): Promise<void>
  truncate(sizeBytes: number): Promise<void>
  /** Resolves once the content is durable. */
  sync(): Promise<void>
  chmod(mode: number): Promise<void>
  chown(userId: number, groupId: number): Promise<void>
  /**
   * The current path of the open file, without symlinks; undefined where the system does not provide it. Only this
   * identifies the opened file reliably: a path may resolve differently a moment later.
   */
  realPath?(): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * `read` and `write` open an existing regular file (`write` reads too); `create` fails where any item exists, also a
 * dangling symlink. No mode follows a final symlink (`ELOOP`) or blocks on a pipe.
 */
export type OpenMode = 'read' | 'write' | 'create'

/**
 * A directory that is held open. Calls below `path` refer to this directory, even when another one, or a symlink, gets
 * its name meanwhile; where the system does not support that, `path` is the plain path.
 */
export interface HeldDirectory extends AsyncDisposable {
  readonly path: string
  /** The path of the directory when it was opened, without symlinks and with slashes. */
  readonly realPath: string
}

export interface LockOptions {
  /** Releasing the lock does not remove the file. */
  readonly leaveFile?: boolean
}

/**
 * Files and directories by absolute path. No call follows a symlink in the last component unless stated otherwise.
 * Failures reject with an error that has the system's `code`. A path that is relative or contains a NUL is rejected
 * with `EINVAL`, one with a lone surrogate with `EILSEQ`: the system would use another name.
 */
export interface Disk {
  open(path: string, mode: OpenMode, permissions?: number): Promise<DiskFile>
  lstat(path: string): Promise<DiskStat>
  /** Follows symlinks: for a folder root or a home, never for an item in a folder. */
  stat(path: string): Promise<DiskStat>
  /**
   * A directory, through symlinks, and items in it, which are not followed: what is checked before every scan, in one
   * call of a thread instead of one for each.
   */
  statDirectory(path: string, names: readonly string[]): Promise<DirectoryStat>
  /** Follows symlinks. In no particular order. */
  list(path: string): Promise<readonly DiskName[]>
  makeDirectory(path: string, permissions: number): Promise<void>
  /** Parents too; an existing directory is fine. */
  makeDirectories(path: string, permissions: number): Promise<void>
  removeFile(path: string): Promise<void>
  removeDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /**
   * Exchanges two items atomically: each gets the name of the other. False, with nothing changed, where the system or
   * the file system cannot. Fails with `ENOENT` where either is missing.
   */
  exchange(from: string, to: string): Promise<boolean>
  /**
   * A rename that fails with `EEXIST` instead of replacing an item. Without a native call, for a directory, and where
   * there are no hard links, it checks first and renames then: an empty directory, or a file, created in between is
   * replaced.
   */
  renameNew(from: string, to: string): Promise<void>
  /**
   * Copies a file in the fastest way of the system. Fails with `EEXIST` where any item exists. The parts may be of
   * different moments: the caller verifies the content.
   */
  copyNew(from: string, to: string, permissions: number): Promise<void>
  /**
   * Creates a hard link. Fails with `EEXIST` where any item exists; where hard links are not supported, or not across
   * these directories, with the system's code (`EXDEV`, `EPERM`, `ENOTSUP`, …).
   */
  linkNew(from: string, to: string): Promise<void>
  /**
   * Clones a file by sharing its blocks (copy-on-write), in constant time; rejects where unsupported, without creating
   * a file.
   */
  cloneNew(from: string, to: string, permissions: number): Promise<void>
  makeSymlink(target: string, path: string): Promise<void>
  /** Rejects with `EILSEQ` where the target is no UTF-8, which a string cannot represent. */
  readSymlink(path: string): Promise<string>
  /** `ELOOP` for a symlink: its target is not changed. */
  chmod(path: string, mode: number): Promise<void>
  /** Of the item itself, also of a symlink. `EPERM` without the privilege, `ENOSYS` where there are no owners. */
  chown(path: string, userId: number, groupId: number): Promise<void>
  /**
   * As exactly as the system allows, always within the same second. Without a native call the real disk takes seconds
   * as a double, so dates of 1970 to 2038 are up to 120 ns off, until 2106 up to 240 ns, and file systems may be
   * coarser: a caller that needs the resulting time reads it back.
   */
  setModified(path: string, modifiedS: number, modifiedNs: number): Promise<void>
  /**
   * Hides an item from file managers. Does nothing where hiding is a matter of the name: only Windows has an attribute
   * for it. Takes as long as the start of a program: not for single files.
   */
  hide(path: string): Promise<void>
  /**
   * Makes renames and removals in a directory durable; does nothing where the system has no such call.
   * Follows symlinks.
   */
  syncDirectory(path: string): Promise<void>
  /** Fails for anything but a directory: a symlink is not followed in the last component. */
  holdDirectory(path: string): Promise<HeldDirectory>
  space(path: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** The real path behind symlinks, with slashes on every system: that of an item is that of the root, and its name. */
  realPath(path: string): Promise<string>
  /**
   * An exclusive lock that the system drops when the process ends; undefined when it is held, by this process or
   * another. Creates the file, 0600, where there is none; releasing removes it, unless `leaveFile` is set for a file of
   * another program.
   */
  lock(path: string, options?: LockOptions): Promise<AsyncDisposable | undefined>
}

/** The synchronous calls of walking and hashing: for threads, and for the simulated disk. */
export interface SyncDisk {
  lstat(path: string): DiskStat
  list(path: string): readonly DiskName[]
  readSymlink(path: string): string
  /** Bytes read; 0 at the end. */
  read(path: string, into: Uint8Array, positionBytes: number): number
  /** Removes a file of a tree, never through a symlink below its root. */
  removeFile(root: string, name: string): void
}
