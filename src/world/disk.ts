import type { FileType } from '../core/file-info.ts'

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
}

/** A name in a directory. `valid` is false for bytes that are no UTF-8: such a name is shown, never opened. */
export interface DiskName {
  readonly name: string
  readonly valid: boolean
}

/** An open file. Every call may reject with an error whose `code` is the system's (`ENOSPC`, `EIO`, …). */
export interface DiskFile extends AsyncDisposable {
  stat(): Promise<DiskStat>
  /** Bytes read; 0 at the end of the file. May be fewer than asked for. */
  read(into: Uint8Array, positionBytes: number): Promise<number>
  /** Writes all of it or rejects. */
  write(data: Uint8Array, positionBytes: number): Promise<void>
  truncate(sizeBytes: number): Promise<void>
  /** Resolves once the content would survive a loss of power. */
  sync(): Promise<void>
  chmod(mode: number): Promise<void>
  close(): Promise<void>
}

/** `create` fails where anything is there already, a dangling symlink included; no form follows a final symlink. */
export type OpenMode = 'read' | 'write' | 'create'

/**
 * Files and directories by absolute path. No call follows a symlink in the last component unless it says so.
 * What goes wrong rejects with an error that has the system's `code`.
 */
export interface Disk {
  open(path: string, mode: OpenMode, permissions?: number): Promise<DiskFile>
  lstat(path: string): Promise<DiskStat>
  /** Follows symlinks: for a folder root or a home, never for an item in a folder. */
  stat(path: string): Promise<DiskStat>
  list(path: string): Promise<readonly DiskName[]>
  makeDirectory(path: string, permissions: number): Promise<void>
  /** Parents too; an existing directory is fine. */
  makeDirectories(path: string, permissions: number): Promise<void>
  removeFile(path: string): Promise<void>
  removeDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  makeSymlink(target: string, path: string): Promise<void>
  readSymlink(path: string): Promise<string>
  chmod(path: string, mode: number): Promise<void>
  setModified(path: string, modifiedS: number, modifiedNs: number): Promise<void>
  /** Makes renames and removals in a directory survive a loss of power; does nothing where the system has no such call. */
  syncDirectory(path: string): Promise<void>
  space(path: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** The real path behind symlinks. */
  realPath(path: string): Promise<string>
  /** An exclusive lock that the system drops when the process ends; undefined when somebody else has it. */
  lock(path: string): Promise<AsyncDisposable | undefined>
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
