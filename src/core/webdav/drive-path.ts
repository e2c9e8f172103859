/** The address of the network drive below that of the page. */
export const DRIVE_PATH = '/dav'

/** A place of the drive. Without a folder it is the top, which has all folders. */
export interface DrivePath {
  readonly folder: string
  /** Relative to the folder's root; '' is the root. */
  readonly name: string
  /** The address ends with a slash: it is that of a directory. */
  readonly isDirectory: boolean
}

/** Whether a decoded path belongs to the drive. */
export function isDrivePath(path: string): boolean {
  return path.startsWith(DRIVE_PATH) && (path.length === DRIVE_PATH.length || path[DRIVE_PATH.length] === '/')
}

/**
 * Parses a path as sent, part by part: the ID of a folder may hold a slash, the name of an item never does. Undefined
 * for what is no place of the drive.
 */
export function parseDrivePath(rawPath: string): DrivePath | undefined {
  const [, top, ...parts] = rawPath.split('/').map(decodePart)
  if (top !== DRIVE_PATH.slice(1)) return undefined
  const isDirectory = parts.length === 0 || parts.at(-1) === ''
  if (parts.at(-1) === '') parts.pop()
  const [folder, ...names] = parts
  if (folder === undefined) return { folder: '', name: '', isDirectory: true }
  if (folder === '' || names.some((name) => !isName(name))) return undefined
  return { folder, name: names.join('/'), isDirectory }
}

/** Undefined for an invalid escape, which then is no part of any name. */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

function isName(part: string | undefined): boolean {
  return part !== undefined && part !== '' && part !== '.' && part !== '..' && !part.includes('/')
}

/** The address of a place, with a slash at the end of a directory. Every name has one, whatever its characters. */
export function hrefOf({ folder, name, isDirectory }: DrivePath): string {
  if (folder === '') return `${DRIVE_PATH}/`
  const top = `${DRIVE_PATH}/${encodePart(folder)}`
  const path = name === '' ? top : `${top}/${name.split('/').map(encodePart).join('/')}`
  return isDirectory ? `${path}/` : path
}

/** The address of an item in a directory, whose own address is known. */
export function childHref(directoryHref: string, base: string, isDirectory: boolean): string {
  return `${directoryHref}${encodePart(base)}${isDirectory ? '/' : ''}`
}

/** An ID from a configuration file may hold half a surrogate pair, which has no encoding. */
function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed())
}
