import { systemCode } from '../../core/errors.ts'
import { joinPath } from '../../core/paths.ts'
import { NOT_THERE } from './block-reader.ts'
import type { Disk, DiskFile, DiskStat } from '../disk.ts'

export interface OpenedFile extends AsyncDisposable {
  readonly file: DiskFile
  readonly stat: DiskStat
  /** The folder's root without symlinks. */
  readonly realRoot: string
}

/**
 * Opens a regular file of a folder for reading; undefined when the name is none, or contains a symlink. Safe against a
 * directory replaced by a symlink meanwhile: the real path of the open file is compared where the system provides it;
 * elsewhere the path is checked again after opening. `knownRealRoot` saves resolving the root: a file below the cached
 * root is inside the folder, for others the root is resolved.
 */
export async function openInside(
  disk: Disk,
  root: string,
  name: string,
  knownRealRoot?: string,
): Promise<OpenedFile | undefined> {
  let file: DiskFile | undefined
  try {
    file = await disk.open(joinPath(root, name), 'read')
    const stat = file.opened ?? (await file.stat())
    if (stat.type !== 'file') return undefined
    const realRoot = await rootOf(disk, { root, name, knownRealRoot }, { file, stat })
    if (realRoot === undefined) return undefined
    const opened = file
    file = undefined
    return { file: opened, stat, realRoot, [Symbol.asyncDispose]: () => opened.close() }
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return undefined
    throw error
  } finally {
    await file?.close()
  }
}

interface Location {
  readonly root: string
  readonly name: string
  readonly knownRealRoot: string | undefined
}

/** The real root of the folder that the open file is in, under exactly this name; undefined when it is elsewhere. */
async function rootOf(
  disk: Disk,
  { root, name, knownRealRoot }: Location,
  opened: { file: DiskFile; stat: DiskStat },
): Promise<string | undefined> {
  const actual = await opened.file.realPath?.()
  if (knownRealRoot !== undefined && actual === joinPath(knownRealRoot, name)) return knownRealRoot
  const realRoot = await disk.realPath(root)
  const expected = joinPath(realRoot, name)
  if (actual !== undefined) return actual === expected ? realRoot : undefined
  const path = joinPath(root, name)
  if ((await disk.realPath(path)) !== expected) return undefined
  const now = await disk.lstat(path)
  return now.deviceId === opened.stat.deviceId && now.inode === opened.stat.inode ? realRoot : undefined
}
