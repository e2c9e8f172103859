import { closeSync, fstatSync, fsync, lstatSync, openSync, statSync } from 'node:fs'
import {
  constants,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  rmdir,
  stat,
  statfs,
  symlink,
  unlink,
} from 'node:fs/promises'
import { promisify } from 'node:util'
import { isMissing, systemCode } from '../../../core/errors.ts'
import { joinPath } from '../../../core/paths.ts'
import { checkPath, DiskError } from '../../disk-error.ts'
import { nameFromBytes, REPLACEMENT } from '../../files/disk-name.ts'
import type { Disk, DiskName, DiskStat, OpenMode } from '../../disk.ts'
import { posix, type Posix } from '../native/posix.ts'
import { NodeFile, QUICK_MS_MAX } from './disk-file.ts'
import { exactStat } from './disk-stat.ts'
import { secondsText } from './disk-time.ts'
import { lockFile } from './lock.ts'
import { holdDirectory } from './held-directory.ts'
import { hideItem } from './hide.ts'
import { chmodItself, copyItself } from './item-calls.ts'
import { refuseOddities, refuseOwners, refuseSymlink, symlinkRefused } from './refusals.ts'
import { makeDirectories } from './make-directories.ts'
import { realPathOf } from './real-path.ts'
import { renameNew } from './rename-new.ts'
import { renameOver } from './rename-over.ts'

const fsyncOf = promisify(fsync)

/** Windows lacks this flag: there `open` checks first. */
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW
/** Prevents blocking on a pipe in place of a file. Without effect on files. */
const NO_BLOCK: number = constants.O_NONBLOCK ?? 0

const OPEN_FLAGS: Record<OpenMode, number> = {
  read: constants.O_RDONLY | NO_BLOCK | (NO_FOLLOW ?? 0),
  write: constants.O_RDWR | NO_BLOCK | (NO_FOLLOW ?? 0),
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (NO_FOLLOW ?? 0),
}

/** For this long a directory that has answered at once is taken to do so again. */
const STILL_QUICK_MS = 50
/** The directory that has answered at once last: scans of single files of one folder often follow each other. */
let lastQuick = { path: '', untilMs: 0 }

/** Everything that calls of Node do. */
const PLAIN_DISK: Omit<Disk, 'exchange' | 'lock' | 'renameNew' | 'setModified'> = {
  async open(path, mode, permissions = 0o666) {
    checkPath(path, 'open')
    if (NO_FOLLOW === undefined && mode !== 'create') await refuseSymlink(path, 'open')
    const startedMs = performance.now()
    const handle = await open(path, OPEN_FLAGS[mode], permissions)
    const isQuick = performance.now() - startedMs < QUICK_MS_MAX
    try {
      if (mode === 'create') return new NodeFile(handle, 'write', { isQuick })
      // The inode is cached after opening: a call in a thread would take ten times as long.
      const stats = fstatSync(handle.fd, { bigint: true })
      refuseOddities(stats, path)
      return new NodeFile(handle, mode, { opened: exactStat(stats), isQuick })
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

  async statDirectory(path, names) {
    checkPath(path, 'stat')
    const startedMs = performance.now()
    const hasAnswered = path === lastQuick.path && startedMs < lastQuick.untilMs
    const directory = exactStat(hasAnswered ? statSync(path, { bigint: true }) : await stat(path, { bigint: true }))
    const paths = directory.type === 'directory' ? names.map((name) => joinPath(path, name)) : []
    for (const item of paths) checkPath(item, 'lstat')
    // Inline where the file system has just answered: a call in a thread takes ten times as long.
    const isQuick = performance.now() - startedMs < QUICK_MS_MAX
    const items = isQuick ? paths.map(lstatInline) : await Promise.all(paths.map(lstatPresent))
    const endedMs = performance.now()
    if (endedMs - startedMs < QUICK_MS_MAX) lastQuick = { path, untilMs: endedMs + STILL_QUICK_MS }
    return { directory, items }
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
    await makeDirectories(path, permissions)
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
    await renameOver(from, to)
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

  async hide(path) {
    checkPath(path, 'hide')
    await hideItem(path)
  },

  async syncDirectory(path) {
    checkPath(path, 'fsync')
    if (process.platform === 'win32') return // has no such call
    // Opened and closed here: in a thread that takes longer than the rest.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      await fsyncOf(descriptor)
    } catch (error) {
      if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'ENOTSUP') throw error // some file systems have none
    } finally {
      closeSync(descriptor)
    }
  },

  async space(path) {
    checkPath(path, 'statfs')
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  },

  async realPath(path) {
    checkPath(path, 'realpath')
    return await realPathOf(path)
  },
}

function lstatInline(path: string): DiskStat | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false }) // an error would cost its stack
    return stats && exactStat(stats)
  } catch (error) {
    return undefinedIfMissing(error)
  }
}

async function lstatPresent(path: string): Promise<DiskStat | undefined> {
  try {
    return exactStat(await lstat(path, { bigint: true }))
  } catch (error) {
    return undefinedIfMissing(error)
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** A disk that uses the native calls where there are any, and calls of Node else. */
export function nodeDiskWith(native: () => Posix | undefined): Disk {
  return {
    ...PLAIN_DISK,

    async exchange(from, to) {
      checkPath(from, 'rename')
      checkPath(to, 'rename')
      return (await native()?.exchange(from, to)) ?? false
    },

    async renameNew(from, to) {
      checkPath(from, 'rename')
      checkPath(to, 'rename')
      if ((await native()?.renameNew(from, to)) !== true) await renameNew(from, to)
    },

    async setModified(path, modifiedS, modifiedNs) {
      checkPath(path, 'utime')
      const calls = native()
      if (calls !== undefined) return await calls.setTimes(path, modifiedS, modifiedNs)
      const time = secondsText(modifiedS, modifiedNs)
      await lutimes(path, time, time)
    },

    async lock(path, options = {}) {
      checkPath(path, 'lock')
      return await lockFile(path, options, native())
    },
  }
}

export const nodeDisk: Disk = nodeDiskWith(posix)

function validName(name: string): DiskName {
  return { name, valid: true }
}

function decodePath(bytes: Buffer, call: string, path: string): string {
  const { name, valid } = nameFromBytes(bytes)
  if (!valid) throw new DiskError('EILSEQ', `'${name}' is not valid UTF-8`, call, path)
  return name
}
