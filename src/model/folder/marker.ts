import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { systemCode } from '../../core/errors.ts'
import { DEFAULT_MARKER_NAME } from '../../core/folder-stop.ts'
import type { FolderId } from '../../core/ids.ts'
import { compactTime, rfc3339 } from '../../core/formats/local-time.ts'
import type { Disk } from '../../platform/disk.ts'
import { removeClones } from '../state/clones-directory.ts'

/**
 * Creates the root with its parents and the marker, which later checks use to detect an unmounted disk. Changes nothing
 * that exists.
 */
export async function createMarker(disk: Disk, root: string, folder: FolderId, nowMs: number): Promise<void> {
  await disk.makeDirectories(root, 0o777)
  const marker = join(root, DEFAULT_MARKER_NAME)
  try {
    await disk.makeDirectory(marker, 0o777)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return
    throw error
  }
  await using file = await disk.open(join(marker, fileName(folder)), 'create', 0o666)
  await file.write(new TextEncoder().encode(content(folder, nowMs)), 0)
  await file.sync()
  await disk.syncDirectory(root)
  await disk.hide(marker).catch(() => {}) // a convenience: the marker works all the same
}

/**
 * Removes the marker, so that the directory can be shared again later. A marker that contains other files is renamed
 * instead; the files of the folder are never touched.
 */
export async function removeMarker(disk: Disk, root: string, folder: FolderId, nowMs: number): Promise<void> {
  const marker = join(root, DEFAULT_MARKER_NAME)
  await removeClones(disk, root)
  await disk.removeFile(join(marker, fileName(folder))).catch(ignoreMissing)
  try {
    await disk.removeDirectory(marker)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    await disk.rename(marker, `${marker}.removed-${compactTime(nowMs)}`)
  }
}

function ignoreMissing(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

function fileName(folder: FolderId): string {
  return `syncthing-folder-${createHash('sha256').update(folder).digest('hex').slice(0, 6)}.txt`
}

function content(folder: FolderId, nowMs: number): string {
  return [
    '# This directory is a Syncthing folder marker.',
    '# Do not delete.',
    '',
    `folderID: ${folder}`,
    `created: ${rfc3339(nowMs)}`,
    '',
  ].join('\n')
}
