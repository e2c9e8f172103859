import { hash } from 'node:crypto'
import { TwinfoldError } from './errors.ts'

const TEMPORARY_PREFIXES = ['.syncthing.', '~syncthing~'] as const
const INTERNAL_NAMES: ReadonlySet<string> = new Set(['.stfolder', '.stignore', '.stversions'])
const NOT_ASCII = /[^\x00-\x7f]/

/** Negative, zero or positive: the order of the UTF-8 bytes, which is the order of every index and every walk. */
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
  return name.length > directory.length && name.charCodeAt(directory.length) === 47 && name.startsWith(directory)
}

export function isAtOrBelow(name: string, directory: string): boolean {
  return name === directory || isBelow(name, directory)
}

/** The directory a name lies in; '' for what lies in the root. */
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

/** Our own half-written files, in the spelling of every platform. Never indexed. */
export function isTemporary(name: string): boolean {
  const base = baseOf(name)
  return TEMPORARY_PREFIXES.some((prefix) => base.startsWith(prefix))
}

/** What the program keeps at the root of a folder, and everything below it. The same names deeper down are ordinary. */
export function isInternal(name: string): boolean {
  const slash = name.indexOf('/')
  return INTERNAL_NAMES.has(slash < 0 ? name : name.slice(0, slash))
}

/** Whether a name is in the form that indexes hold. */
export function isNormal(name: string): boolean {
  return !NOT_ASCII.test(name) || name.normalize('NFC') === name
}

/**
 * A path as somebody typed it, relative to the folder root; '' is the root itself. One leading slash means the root.
 * Refuses with `path-escapes-folder` what climbs out, holds a NUL or starts with two slashes.
 */
export function cleanSub(text: string): string {
  const message = `path is not inside the folder: ${JSON.stringify(text)}`
  const refused = () => new TwinfoldError('path-escapes-folder', message)
  if (text.includes('\0') || text.startsWith('//') || !text.isWellFormed()) throw refused()
  const parts: string[] = []
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) throw refused()
  }
  return parts.join('/').normalize('NFC')
}

/** Cleaned, sorted, none twice and none inside another; [''] when one of them is the root, or none is given. */
export function cleanSubs(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return ['']
  const wanted = new Set(texts.map(cleanSub))
  return [...wanted].filter((sub) => !ancestorsOf(sub).some((ancestor) => wanted.has(ancestor))).sort(compareNames)
}

/** All directories above a name, the root ('') first. */
export function ancestorsOf(name: string): readonly string[] {
  if (name === '') return []
  const ancestors = ['']
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    ancestors.push(name.slice(0, slash))
  }
  return ancestors
}

/** The name a losing version is kept under: `dir/photo.sync-conflict-20260131-235959-ABCDEFG.jpg`. */
export function conflictName(name: string, when: string, device: string): string {
  const directory = parentOf(name)
  const base = baseOf(name)
  const { stem, extension } = splitExtension(base)
  const rest = `.sync-conflict-${when}-${device}${extension}`
  const kept = `${cutToBytes(stem, NAME_SIZE_BYTES_MAX - Buffer.byteLength(rest))}${rest}`
  return directory === '' ? kept : `${directory}/${kept}`
}

/** What the longest name of a file may take on every file system in use. */
export const NAME_SIZE_BYTES_MAX = 255

/** From the last dot on, dot included, also where it is the first character: other devices read names this way. */
export function splitExtension(base: string): { readonly stem: string; readonly extension: string } {
  const dot = base.lastIndexOf('.')
  return dot < 0 ? { stem: base, extension: '' } : { stem: base.slice(0, dot), extension: base.slice(dot) }
}

export function cutToBytes(text: string, sizeBytesMax: number): string {
  const characters = [...text]
  let sizeBytes = Buffer.byteLength(text)
  while (sizeBytes > sizeBytesMax && characters.length > 0) sizeBytes -= Buffer.byteLength(characters.pop()!)
  return characters.join('')
}

/** Which conflict copies belong to a file: those of the same stem and extension, in the same directory. */
export function isConflictOf(candidate: string, name: string): boolean {
  const { stem, extension } = splitExtension(baseOf(name))
  const base = baseOf(candidate)
  if (parentOf(candidate) !== parentOf(name) || !base.startsWith(stem) || !base.endsWith(extension)) return false
  return /^\.sync-conflict-.{8}-.{6}/su.test(base.slice(stem.length))
}

/** Longer names do not fit with our prefix and suffix around them on every file system. */
const TEMPORARY_SIZE_BYTES_MAX = 160

/** The file that `name` is while it is being made, in the same directory. */
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

/**
 * Whether a name is one that an index may hold: relative, in its shortest spelling, nothing that climbs. Whatever another
 * device says of a name that is not is not worth a look at the disk.
 */
export function isCanonical(name: string): boolean {
  if (name === '' || name.includes('\0') || !name.isWellFormed() || !isNormal(name)) return false
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const CONFLICT_NAME = /\.sync-conflict-\d{8}-\d{6}(-[A-Z2-7]{7})?(?=\.[^.]*$|$)/

/** The name of the file that a conflict copy was made of; any other name is its own. */
export function conflictOriginal(name: string): string {
  const directory = parentOf(name)
  const original = baseOf(name).replace(CONFLICT_NAME, '')
  return directory === '' ? original : `${directory}/${original}`
}

export function isConflictName(name: string): boolean {
  return CONFLICT_NAME.test(baseOf(name))
}
