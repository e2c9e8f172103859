import { hash } from 'node:crypto'
import { sep } from 'node:path'
import { TwinfoldError } from './errors.ts'
import { leadsElsewhere } from './windows-names.ts'

const TEMPORARY_PREFIXES = ['.syncthing.', '~syncthing~'] as const
const INTERNAL_NAMES: ReadonlySet<string> = new Set(['.stfolder', '.stignore', '.stversions'])
/** The short names that Windows may give to them. */
const INTERNAL_SHORT_NAME = /^st(?:fold|igno|vers)~\d$/
/** A marker that had other files in it when its folder was removed: it was renamed with the time. */
const REMOVED_MARKER = /^\.stfolder\.removed-\d{8}-\d{6}$/
const NOT_ASCII = /[^\x00-\x7f]/
/** Joiners, marks of direction and of byte order: HFS+ ignores them in names. */
const IGNORED_BY_DISKS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Negative, zero or positive: UTF-8 byte order, which is the order of every index and every walk. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/** UTF-16 puts surrogate pairs (U+10000 and up) below U+E000; UTF-8 puts them above everything. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

/** Whether `name` lies below `directory`; '' is the root, and everything lies below it. */
export function isBelow(name: string, directory: string): boolean {
  if (directory === '') return name !== ''
  return name.charCodeAt(directory.length) === 47 && name.startsWith(directory)
}

export function isAtOrBelow(name: string, directory: string): boolean {
  return name === directory || isBelow(name, directory)
}

/** The parent directory of a name; '' for names in the root. */
export function parentOf(name: string): string {
  const slash = name.lastIndexOf('/')
  return slash < 0 ? '' : name.slice(0, slash)
}

export function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

export function joinPath(root: string, name: string): string {
  if (name === '') return root
  return root.endsWith('/') ? root + name : `${root}/${name}`
}

/** A path as the system spells it, with the separator of names: Windows also takes it. */
export function slashedPath(path: string, platform: string): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}

/** Whether a path is that directory or below it. The root of a disk ends with a slash itself. */
export function isPathWithin(path: string, directory: string): boolean {
  return directory.endsWith('/') ? path.startsWith(directory) : isAtOrBelow(path, directory)
}

/** A path for comparisons: Windows has two separators and ignores the case. */
export function pathKey(path: string, separator: string = sep): string {
  return separator === '\\' ? path.replaceAll('\\', '/').toLowerCase() : path
}

/** Our temporary files, as we spell them: old ones are removed, so another spelling, made by a user, is not one. */
export function isTemporary(name: string): boolean {
  const base = baseOf(name)
  return TEMPORARY_PREFIXES.some((prefix) => base.startsWith(prefix))
}

/**
 * Whether a name without directories is that of a temporary file in any spelling. Never indexed: on a disk that folds
 * names a peer could otherwise write into a temporary file.
 */
export function looksTemporary(base: string): boolean {
  const first = base.charCodeAt(0)
  if (!(first === 46 || first === 126 || first > 127)) return false // neither a dot nor a tilde: the common case
  const folded = foldName(base)
  return TEMPORARY_PREFIXES.some((prefix) => folded.startsWith(prefix))
}

/**
 * Twinfold's own items at the root of a folder, and everything below them; deeper names are ordinary. In every spelling
 * that some disk takes for the same name, as a peer could otherwise replace the ignore patterns.
 */
export function isInternal(name: string): boolean {
  if (!mayBeInternal(name.charCodeAt(0))) return false // the common case
  const slash = name.indexOf('/')
  const top = slash < 0 ? name : name.slice(0, slash)
  const folded = withoutWindowsEnd(foldName(top))
  return INTERNAL_NAMES.has(folded) || INTERNAL_SHORT_NAME.test(folded)
}

/** Whether a name at the root of a folder is the marker of an earlier time, which other devices may have as an item. */
export function isRemovedMarker(name: string): boolean {
  return REMOVED_MARKER.test(name)
}

/** By the first character: a dot, the s of a short name, or one that folds to another. */
function mayBeInternal(first: number): boolean {
  return first === 46 || first === 83 || first === 115 || first > 127
}

/** Whether a name, or a directory above it, is internal or temporary in any spelling: nothing of a peer goes there. */
export function isReserved(name: string): boolean {
  return isInternal(name) || name.split('/').some(looksTemporary)
}

/**
 * One spelling for all that disks which fold names may take for the same name. The capitals come first: some letters
 * have the same capital and different small ones.
 */
export function foldName(name: string): string {
  if (!NOT_ASCII.test(name)) return name.toLowerCase()
  return name.replace(IGNORED_BY_DISKS, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** Windows drops dots and spaces at the end of a name; what follows a colon is a stream of the same file. */
function withoutWindowsEnd(name: string): string {
  const colon = name.indexOf(':')
  let end = colon < 0 ? name.length : colon
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  return name.slice(0, end)
}

/** Whether a name is in the form stored in indexes. */
export function isNormal(name: string): boolean {
  return !NOT_ASCII.test(name) || name.normalize('NFC') === name
}

/**
 * A path as the user typed it, relative to the folder root; '' is the root itself. One leading slash means the root.
 * Throws `path-escapes-folder` for a path that leaves the folder, contains a NUL or starts with two slashes.
 */
export function cleanSub(text: string): string {
  const refused = () =>
    new TwinfoldError('path-escapes-folder', `path is not inside the folder: ${JSON.stringify(text)}`)
  if (text.includes('\0') || text.startsWith('//') || !text.isWellFormed()) throw refused()
  const parts: string[] = []
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) throw refused()
  }
  return parts.join('/').normalize('NFC')
}

/** What a scan covers: cleaned and sorted paths, none inside another. Never empty: the whole folder is its root, ''. */
export type ScanScope = readonly [string, ...string[]]

export const WHOLE_FOLDER: ScanScope = ['']

/** The scope of a scan of these paths, in any spelling; without paths the whole folder. */
export function scanScope(texts: readonly string[]): ScanScope {
  return sortScope(texts.map(cleanSub))
}

/** The scope of names that are clean already. */
export function sortScope(names: readonly string[]): ScanScope {
  // With the lowest character as the separator the descendants of a name follow it; comparing names with each of
  // their ancestors would take the square of their length.
  const ordered = names.map((name) => name.replaceAll('/', '\0')).sort()
  const outermost: string[] = []
  let covered: string | undefined
  for (const each of ordered) {
    if (covered !== undefined && (covered === '' || each === covered || each.startsWith(`${covered}\0`))) continue
    covered = each
    outermost.push(each.replaceAll('\0', '/'))
  }
  const [first, ...others] = outermost.sort(compareNames)
  return first === undefined ? WHOLE_FOLDER : [first, ...others]
}

/** All ancestor directories of a name, the root ('') first. */
export function ancestorsOf(name: string): readonly string[] {
  if (name === '') return []
  const ancestors = ['']
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    ancestors.push(name.slice(0, slash))
  }
  return ancestors
}

/** The name of the conflict copy of a losing version: `dir/photo.sync-conflict-20260131-235959-ABCDEFG.jpg`. */
export function conflictName(name: string, when: string, device: string): string {
  const directory = parentOf(name)
  const base = baseOf(name)
  const { stem, extension } = splitExtension(base)
  const rest = `.sync-conflict-${when}-${device}${extension}`
  const kept = `${cutToBytes(stem, NAME_SIZE_BYTES_MAX - Buffer.byteLength(rest))}${rest}`
  return directory === '' ? kept : `${directory}/${kept}`
}

/** Records with longer names are not stored: above the limit of all file systems; bounds memory for a million names. */
export const INDEXED_NAME_LENGTH_MAX = 8_192

/** The maximum length of a file name on all common file systems. */
export const NAME_SIZE_BYTES_MAX = 255

/** From the last dot on, dot included, also where it is the first character, as other devices parse names. */
export function splitExtension(base: string): { readonly stem: string; readonly extension: string } {
  const dot = base.lastIndexOf('.')
  return dot < 0 ? { stem: base, extension: '' } : { stem: base.slice(0, dot), extension: base.slice(dot) }
}

export function cutToBytes(text: string, sizeBytesMax: number): string {
  // Every code unit has a byte at least; a surrogate that is cut off from its other half exceeds the size.
  const start = text.slice(0, Math.max(0, sizeBytesMax))
  let sizeBytes = Buffer.byteLength(start)
  if (sizeBytes <= sizeBytesMax) return start
  const characters = [...start]
  while (sizeBytes > sizeBytesMax && characters.length > 0) sizeBytes -= Buffer.byteLength(characters.pop()!)
  return characters.join('')
}

/** Matches the conflict copies of a file: same stem and extension, in the same directory. */
export function isConflictOf(candidate: string, name: string): boolean {
  const { stem, extension } = splitExtension(baseOf(name))
  const base = baseOf(candidate)
  if (parentOf(candidate) !== parentOf(name) || !base.startsWith(stem) || !base.endsWith(extension)) return false
  return /^\.sync-conflict-.{8}-.{6}/su.test(base.slice(stem.length))
}

/** Longer names exceed the limit of some file systems once our prefix and suffix are added. */
const TEMPORARY_SIZE_BYTES_MAX = 160

/** The temporary file of `name`, in the same directory. */
export function temporaryName(name: string, platform: string): string {
  const [unix, windows] = TEMPORARY_PREFIXES
  const prefix = platform === 'win32' ? windows : unix
  const directory = parentOf(name)
  const base = baseOf(name)
  const room = TEMPORARY_SIZE_BYTES_MAX - prefix.length - TEMPORARY_SUFFIX.length
  const middle = Buffer.byteLength(base) > room ? hash('sha256', base, 'hex') : base
  const temporary = `${prefix}${middle}${TEMPORARY_SUFFIX}`
  return directory === '' ? temporary : `${directory}/${temporary}`
}

const TEMPORARY_SUFFIX = '.tmp'

/** The limit of file systems that encrypt names. */
const ASIDE_SIZE_BYTES_MAX = 143
const ASIDE = /^\.syncthing\.(.+)\.[0-9a-f]{16}(\.cut)?\.aside$/s

/**
 * The name, in the same directory, of an item that is checked before it is removed, and of two items that exchange
 * their places. Unlike a temporary file such an item is always complete: after a crash it is put back or kept. `id`: 16
 * hexadecimal digits.
 */
export function asideName(name: string, id: string): string {
  const directory = parentOf(name)
  const base = baseOf(name)
  const around = `.syncthing..${id}.aside`.length
  const isLong = around + Buffer.byteLength(base) > ASIDE_SIZE_BYTES_MAX
  const kept = isLong ? cutToBytes(base, ASIDE_SIZE_BYTES_MAX - around - '.cut'.length) : base
  const aside = `.syncthing.${kept}.${id}${isLong ? '.cut' : ''}.aside`
  return directory === '' ? aside : `${directory}/${aside}`
}

export interface Aside {
  /** The former name of the item. */
  readonly name: string
  /** The name is only the first part of it. */
  readonly isCut: boolean
}

/** Undefined for any other name. */
export function parseAside(path: string): Aside | undefined {
  const [, base, cut] = ASIDE.exec(baseOf(path)) ?? []
  if (base === undefined) return undefined
  const directory = parentOf(path)
  return { name: directory === '' ? base : `${directory}/${base}`, isCut: cut !== undefined }
}

/**
 * Whether an index may hold a name: relative, normalised, without `..`. Records of other devices with any other name
 * are dropped before the disk is accessed. On Windows also no name that leads to another item.
 */
export function isCanonical(name: string): boolean {
  if (name === '' || name.includes('\0') || !name.isWellFormed() || !isNormal(name)) return false
  if (leadsElsewhere(name, sep)) return false
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const CONFLICT_NAME = /\.sync-conflict-\d{8}-\d{6}(-[A-Z2-7]{7})?(?=\.[^.]*$|$)/

/** The original name of a conflict copy; any other name is returned unchanged. */
export function conflictOriginal(name: string): string {
  const directory = parentOf(name)
  const original = baseOf(name).replace(CONFLICT_NAME, '')
  return directory === '' ? original : `${directory}/${original}`
}

/** The short id of a device in the name of a conflict copy, whose version won; empty where there is none. */
export function conflictDevice(name: string): string {
  return CONFLICT_NAME.exec(baseOf(name))?.[1]?.slice(1) ?? ''
}

/** What some file system refuses in a name, and what hides a part of it. */
const UNUSABLE_IN_NAMES = /[\p{C}\s/\\:*?"<>|]+/gu
const LABEL_SIZE_BYTES_MAX = 40

/**
 * The name of a version that is kept beside its file: `dir/plan (desk 2026-01-31).txt`, `dir/plan (desk 2026-01-31
 * 2).txt`. The label may be any text.
 */
export function besideName(name: string, label: string, nth = 1): string {
  const directory = parentOf(name)
  const base = baseOf(name)
  const dot = base.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [base.slice(0, dot), base.slice(dot)] : [base, '']
  const usable = cutToBytes(label.replace(UNUSABLE_IN_NAMES, ' ').normalize('NFC').trim(), LABEL_SIZE_BYTES_MAX).trim()
  const rest = ` (${usable}${nth === 1 ? '' : ` ${nth}`})${extension}`
  const beside = `${cutToBytes(stem, NAME_SIZE_BYTES_MAX - Buffer.byteLength(rest))}${rest}`
  return directory === '' ? beside : `${directory}/${beside}`
}

export function isConflictName(name: string): boolean {
  const base = baseOf(name)
  // Without a name of its own it is a copy of nothing.
  return CONFLICT_NAME.test(base) && base.replace(CONFLICT_NAME, '') !== ''
}
