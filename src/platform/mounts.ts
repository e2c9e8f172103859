import { dirname } from 'node:path'
import type { Disk } from './disk.ts'

const MOUNT_TABLE = '/proc/self/mountinfo'
const LIMITS = '/proc/self/limits'
/** Larger tables are not read: mounts inside folders are not noticed then. */
const TABLE_SIZE_BYTES_MAX = 4 * 1_024 * 1_024
const CHUNK_SIZE_BYTES = 64 * 1_024

/** The paths below a directory at which file systems are mounted, relative to it; none on systems without a table. */
export async function mountPointsBelow(
  disk: Pick<Disk, 'open' | 'realPath'>,
  directory: string,
): Promise<readonly string[]> {
  try {
    const [table, root] = await Promise.all([readTable(disk), disk.realPath(directory)])
    return parseMountPoints(table, root)
  } catch {
    return [] // no such table on this system
  }
}

/** The type of the file system at a path, as in the table; undefined on systems without one. */
export async function fileSystemOf(disk: Pick<Disk, 'open' | 'realPath'>, path: string): Promise<string | undefined> {
  try {
    const [table, place] = await Promise.all([readTable(disk), disk.realPath(path)])
    return parseFileSystem(table, place)
  } catch {
    return undefined // no such table on this system
  }
}

/** The type follows a lone hyphen; of mounts at the same point, the last one is seen. */
export function parseFileSystem(table: string, place: string): string | undefined {
  let found: { readonly point: string; readonly type: string } | undefined
  for (const line of table.split('\n')) {
    const fields = line.split(' ')
    const point = unescape(fields[4] ?? '')
    const type = fields[fields.indexOf('-') + 1]
    const isAround = point === '/' || place === point || place.startsWith(`${point}/`)
    if (point === '' || type === undefined || !isAround) continue
    if (found === undefined || point.length >= found.point.length) found = { point, type }
  }
  return found?.type
}

/** The most files that this process may have open; undefined on systems that do not tell. */
export async function openFilesMax(disk: Pick<Disk, 'open'>): Promise<number | undefined> {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(await readEndless(disk, LIMITS)) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined // no such file on this system
  }
}

/** The fifth field of each line is the mount point; special characters in it are octal escapes. */
export function parseMountPoints(table: string, root: string): readonly string[] {
  const prefix = root.endsWith('/') ? root : `${root}/`
  const points = table
    .split('\n')
    .map((line) => unescape(line.split(' ')[4] ?? ''))
    .filter((point) => point.startsWith(prefix) && point.length > prefix.length)
  return [...new Set(points)].map((point) => point.slice(prefix.length).normalize('NFC')).sort()
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\([0-7]{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}

function readTable(disk: Pick<Disk, 'open'>): Promise<string> {
  return readEndless(disk, MOUNT_TABLE)
}

/** Files of the kernel have no size: they are read until their end. */
async function readEndless(disk: Pick<Disk, 'open'>, path: string): Promise<string> {
  await using file = await disk.open(path, 'read')
  const chunks: Buffer[] = []
  for (let done = 0; done < TABLE_SIZE_BYTES_MAX;) {
    const chunk = Buffer.allocUnsafe(CHUNK_SIZE_BYTES)
    const count = await file.read(chunk, done)
    if (count === 0) return Buffer.concat(chunks).toString()
    chunks.push(chunk.subarray(0, count))
    done += count
  }
  return ''
}

/** The highest directory above a path that is on the same file system, without symlinks: where that is mounted. */
export async function mountPointOf(disk: Pick<Disk, 'realPath' | 'stat'>, path: string): Promise<string> {
  let place = await disk.realPath(path)
  const { deviceId } = await disk.stat(place)
  for (let above = dirname(place); above !== place; above = dirname(place)) {
    if ((await disk.stat(above)).deviceId !== deviceId) break
    place = above
  }
  return place
}
