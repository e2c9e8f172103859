import { fstatSync, readlinkSync, type BigIntStats } from 'node:fs'
import {
  chmod,
  constants,
  copyFile,
  lchmod,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  statfs,
  symlink,
  unlink,
  type FileHandle,
} from 'node:fs/promises'
import { systemCode } from '../../../core/errors.ts'
import { checkPath, DiskError } from '../../disk-error.ts'
import { nameFromBytes, REPLACEMENT } from '../../files/disk-name.ts'
import type { Disk, DiskFile, DiskName, DiskStat, OpenMode } from '../../disk.ts'
import { DirectDescriptor } from './direct-descriptor.ts'
import { exactStat } from './disk-stat.ts'
import { secondsText } from './disk-time.ts'
import { lockFile } from './lock.ts'
import { holdDirectory, O_PATH } from './held-directory.ts'
import { renameNew } from './rename-new.ts'

/** Windows lacks this flag: there `open` checks first. */
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW
/** Prevents blocking on a pipe in place of a file. Without effect on files. */
const NO_BLOCK: number = constants.O_NONBLOCK ?? 0

const OPEN_FLAGS: Record<OpenMode, number> = {
  read: constants.O_RDONLY | NO_BLOCK | (NO_FOLLOW ?? 0),
  write: constants.O_RDWR | NO_BLOCK | (NO_FOLLOW ?? 0),
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (NO_FOLLOW ?? 0),
}

export const nodeDisk: Disk = {
  async open(path, mode, permissions = 0o666) {
    checkPath(path, 'open')
    if (NO_FOLLOW === undefined && mode !== 'create') await refuseSymlink(path, 'open')
    const handle = await open(path, OPEN_FLAGS[mode], permissions)
    try {
      if (mode === 'create') return new NodeFile(handle, 'write')
      // The inode is cached after opening: a call in a thread would take ten times as long.
      const stats = fstatSync(handle.fd, { bigint: true })
      refuseOddities(stats, path)
      return new NodeFile(handle, mode, exactStat(stats))
    } catch (error) {
      await handle.close()
      throw error
    }
  },

  async lstat(path) {
    checkPath(path, 'lstat')
    return exactStat(await lstat(path, { bigint: true }))
  },

  async stat(path) {
    checkPath(path, 'stat')
    return exactStat(await stat(path, { bigint: true }))
  },

  async list(path) {
    checkPath(path, 'list')
    const names = await readdir(path)
    if (!names.some((name) => name.includes(REPLACEMENT))) return names.map(validName)
    return (await readdir(path, { encoding: 'buffer' })).map(nameFromBytes)
  },

  async makeDirectory(path, permissions) {
    checkPath(path, 'mkdir')
    await mkdir(path, permissions)
  },

  async makeDirectories(path, permissions) {
    checkPath(path, 'mkdir')
    await mkdir(path, { mode: permissions, recursive: true })
  },

  async removeFile(path) {
    checkPath(path, 'unlink')
    await unlink(path)
  },

  async removeDirectory(path) {
    checkPath(path, 'rmdir')
    await rmdir(path)
  },

  async rename(from, to) {
    checkPath(from, 'rename')
    checkPath(to, 'rename')
    await rename(from, to)
  },

  async renameNew(from, to) {
    checkPath(from, 'rename')
    checkPath(to, 'rename')
    await renameNew(from, to)
  },

  async copyNew(from, to, permissions) {
    await copyItself(from, to, permissions, constants.COPYFILE_FICLONE)
  },

  async cloneNew(from, to, permissions) {
    await copyItself(from, to, permissions, constants.COPYFILE_FICLONE_FORCE)
  },

  async linkNew(from, to) {
    checkPath(from, 'link')
    checkPath(to, 'link')
    const stats = await lstat(from, { bigint: true })
    if (stats.isSymbolicLink()) throw symlinkRefused('link', from)
    refuseOddities(stats, from)
    await link(from, to)
  },

  async holdDirectory(path) {
    checkPath(path, 'open')
    return await holdDirectory(path)
  },

  async makeSymlink(target, path) {
    checkPath(path, 'symlink')
    if (target.includes('\0')) throw new DiskError('EINVAL', 'target contains a NUL', 'symlink', path)
    if (!target.isWellFormed()) throw new DiskError('EILSEQ', 'target is not valid Unicode', 'symlink', path)
    await symlink(target, path)
  },

  async readSymlink(path) {
    checkPath(path, 'readlink')
    return decodePath(await readlink(path, { encoding: 'buffer' }), 'readlink', path)
  },

  async chmod(path, mode) {
    checkPath(path, 'chmod')
    await chmodItself(path, mode)
  },

  async chown(path, userId, groupId) {
    checkPath(path, 'chown')
    refuseOwners('chown', path)
    await lchown(path, userId, groupId)
  },

  async setModified(path, modifiedS, modifiedNs) {
    checkPath(path, 'utime')
    const time = secondsText(modifiedS, modifiedNs)
    await lutimes(path, time, time)
  },

  async syncDirectory(path) {
    checkPath(path, 'fsync')
    if (process.platform === 'win32') return // has no such call
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      await handle.sync()
    } catch (error) {
      if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'ENOTSUP') throw error // some file systems have none
    } finally {
      await handle.close()
    }
  },

  async space(path) {
    checkPath(path, 'statfs')
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  },

  async realPath(path) {
    checkPath(path, 'realpath')
    return decodePath(await realpath(path, { encoding: 'buffer' }), 'realpath', path)
  },

  async lock(path, options = {}) {
    checkPath(path, 'lock')
    return lockFile(path, options)
  },
}

class NodeFile implements DiskFile {
  readonly opened?: DiskStat
  readonly #handle: FileHandle
  readonly #direct: DirectDescriptor

  constructor(handle: FileHandle, access: 'read' | 'write', opened?: DiskStat) {
    this.#handle = handle
    this.#direct = new DirectDescriptor(access)
    if (opened !== undefined) this.opened = opened
  }

  get descriptor(): number {
    return this.#handle.fd
  }

  get directDescriptor(): number | undefined {
    return this.#direct.for(this.#handle.fd)
  }

  async stat(): Promise<DiskStat> {
    return exactStat(await this.#handle.stat({ bigint: true }))
  }

  async read(into: Uint8Array, positionBytes: number): Promise<number> {
    return (await this.#handle.read(into, 0, into.length, positionBytes)).bytesRead
  }

  async write(data: Uint8Array, positionBytes: number): Promise<void> {
    for (let done = 0; done < data.length;) {
      const { bytesWritten } = await this.#handle.write(data, done, data.length - done, positionBytes + done)
      done += bytesWritten
    }
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#handle.truncate(sizeBytes)
  }

  sync(): Promise<void> {
    return this.#handle.sync()
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode)
  }

  async chown(userId: number, groupId: number): Promise<void> {
    refuseOwners('chown')
    await this.#handle.chown(userId, groupId)
  }

  async realPath(): Promise<string | undefined> {
    if (process.platform !== 'linux') return undefined
    try {
      // Resolved in memory, without disk access.
      const { name, valid } = nameFromBytes(readlinkSync(`/proc/self/fd/${this.#handle.fd}`, { encoding: 'buffer' }))
      return valid ? name : undefined
    } catch {
      return undefined // no /proc
    }
  }

  close(): Promise<void> {
    this.#direct.close()
    return this.#handle.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function validName(name: string): DiskName {
  return { name, valid: true }
}

/** Linux opens a directory for reading and fails at the first read; a pipe opens and reads as empty. */
function refuseOddities(stats: BigIntStats, path: string): void {
  if (stats.isDirectory()) throw new DiskError('EISDIR', 'illegal operation on a directory', 'open', path)
  if (!stats.isFile()) throw new DiskError('EINVAL', 'not a regular file', 'open', path)
}

async function copyItself(from: string, to: string, permissions: number, how: number): Promise<void> {
  checkPath(from, 'copyfile')
  checkPath(to, 'copyfile')
  const stats = await lstat(from, { bigint: true })
  if (stats.isSymbolicLink()) throw symlinkRefused('copyfile', from)
  refuseOddities(stats, from)
  await copyFile(from, to, constants.COPYFILE_EXCL | how)
  await chmodItself(to, permissions)
}

async function refuseSymlink(path: string, call: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) throw symlinkRefused(call, path)
}

function symlinkRefused(call: string, path: string): DiskError {
  return new DiskError('ELOOP', 'is a symbolic link', call, path)
}

function decodePath(bytes: Buffer, call: string, path: string): string {
  const { name, valid } = nameFromBytes(bytes)
  if (!valid) throw new DiskError('EILSEQ', `'${name}' is not valid UTF-8`, call, path)
  return name
}

/** Node does nothing on Windows and reports success. */
function refuseOwners(call: string, path = ''): void {
  if (process.platform === 'win32') throw new DiskError('ENOSYS', 'not supported', call, path)
}

/**
 * The system's chmod follows symlinks: one created between the check and the call would change a file elsewhere. On
 * Linux the item is held open, checked and changed by descriptor.
 */
async function chmodItself(path: string, mode: number): Promise<void> {
  if (process.platform !== 'linux') {
    await refuseSymlink(path, 'chmod')
    return process.platform === 'darwin' ? lchmod(path, mode) : chmod(path, mode)
  }
  const handle = await open(path, O_PATH | constants.O_NOFOLLOW)
  try {
    if ((await handle.stat()).isSymbolicLink()) throw symlinkRefused('chmod', path)
    await chmod(`/proc/self/fd/${handle.fd}`, mode)
  } finally {
    await handle.close()
  }
}
