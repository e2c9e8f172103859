import { lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { joinPath, parentOf } from '../../../core/paths.ts'
import { DiskError } from '../../disk-error.ts'
import { nameFromBytes, REPLACEMENT } from '../../files/disk-name.ts'
import type { DiskName, SyncDisk } from '../../disk.ts'
import { exactStat } from './disk-stat.ts'
import { PlaceOfFile } from './place-of-file.ts'
import { realPathSync } from './real-path.ts'

/** Synchronous disk access for threads, where a blocking call does not block the event loop. */
export const walkDisk: Omit<SyncDisk, 'read'> = {
  lstat: (path) => exactStat(lstatSync(path, { bigint: true })),

  list(path) {
    const names = readdirSync(path)
    if (!names.some((name) => name.includes(REPLACEMENT))) return names.map(validName)
    return readdirSync(path, { encoding: 'buffer' }).map(nameFromBytes)
  },

  readSymlink(path) {
    const { name, valid } = nameFromBytes(readlinkSync(path, { encoding: 'buffer' }))
    if (!valid) throw new DiskError('EILSEQ', 'link target is not in UTF8 encoding', 'readlink', path)
    return name
  },

  removeFile(root, name) {
    const place = { path: joinPath(root, name), temporaryPath: joinPath(root, name) }
    const realDirectory = joinPath(realPathSync(root), parentOf(name))
    using held = new PlaceOfFile({ ...place, realDirectory })
    unlinkSync(held.path)
  },
}

function validName(name: string): DiskName {
  return { name, valid: true }
}
