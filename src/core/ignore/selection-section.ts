import { TwinfoldError } from '../errors.ts'
import { ancestorsOf } from '../paths.ts'
import type { SectionPatterns } from './ignore.ts'
import { trimLine } from './ignore-include.ts'
import { Selection, type SelectionEntry, type SelectionReason } from './selection.ts'

const BEGIN = '// twinfold selection: begin'
const END = '// twinfold selection: end'
const ABOUT =
  '// What is dropped on this device, exceptions first. Use "twinfold keep" and "twinfold drop" to change it.'
/** Dropped items are being removed: a device that stopped meanwhile continues. */
const REMOVING = '// removing'
const REASONS: Readonly<Record<Exclude<SelectionReason, 'chosen'>, string>> = {
  'made-here': '// made here',
  renamed: '// renamed elsewhere',
}
const REASON_OF = new Map(Object.entries(REASONS).map(([reason, line]) => [line, reason as SelectionReason]))
const EVERYTHING = '/*'

/** The marked section of an ignore file that has the selection. */
export interface SelectionSection {
  readonly selection: Selection
  /** The removal of dropped items has begun and not ended. */
  readonly isRemoving: boolean
}

/** The section, and the bytes of the ignore file before and after it, which are those of the user. */
interface Split {
  readonly before: Uint8Array
  readonly lines: readonly string[] | undefined
  readonly after: Uint8Array
}

const NONE: SelectionSection = { selection: Selection.everything, isRemoving: false }

/**
 * The selection in an ignore file. Throws `ignore-invalid` for a section that was edited to something else: it must not
 * be replaced, and what it drops is unknown.
 */
export function readSection(file: Uint8Array): SelectionSection {
  const { lines } = split(file)
  return lines === undefined ? NONE : parse(lines)
}

/** The ignore file with another selection; the lines of the user are the same bytes. Throws as `readSection` does. */
export function replaceSection(file: Uint8Array, section: SelectionSection, platform: string): Uint8Array {
  const { before, lines, after } = split(file)
  if (lines !== undefined) parse(lines)
  if (section.selection.isEverything) return Buffer.concat([before, after])
  // Behind the lines of the user, so that these decide first; a section that they moved stays in its place.
  const newline = before.length === 0 || before.at(-1) === 10 ? '' : '\n'
  const text = `${newline}${linesOf(section, platform).join('\n')}\n`
  return Buffer.concat([before, Buffer.from(text), after])
}

/** The patterns of the section in the text of an ignore file, those that the user has as well left out. */
export function sectionPatterns(text: string): SectionPatterns | undefined {
  const lines = text.split('\n').map(trimLine)
  const [begin, end] = [lines.indexOf(BEGIN), lines.indexOf(END)]
  if (begin < 0 || end < begin) return undefined
  const inside = lines.slice(begin + 1, end)
  const patterns = new Set(inside.filter((line) => line !== '' && !line.startsWith('//')))
  for (const line of [...lines.slice(0, begin), ...lines.slice(end + 1)]) patterns.delete(line)
  return { patterns, isRemoving: inside.includes(REMOVING) }
}

function split(file: Uint8Array): Split {
  const found = { begin: -1, bodyStart: -1, bodyEnd: -1, end: -1 }
  const data = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  for (let start = 0; start < data.length;) {
    const newline = data.indexOf(10, start)
    const next = newline < 0 ? data.length : newline + 1
    // Bytes as characters: the markers are ASCII, and other lines need not be valid text.
    const line = trimLine(data.toString('latin1', start, next))
    if (line === BEGIN) {
      if (found.begin >= 0) throw broken('begins twice')
      found.begin = start
      found.bodyStart = next
    } else if (line === END) {
      if (found.begin < 0 || found.end >= 0) throw broken('has an end without a beginning')
      found.bodyEnd = start
      found.end = next
    }
    start = next
  }
  if (found.begin < 0) return { before: data, lines: undefined, after: new Uint8Array() }
  if (found.end < 0) throw broken('has no end')
  return {
    before: data.subarray(0, found.begin),
    lines: data.toString('utf8', found.bodyStart, found.bodyEnd).split('\n').map(trimLine),
    after: data.subarray(found.end),
  }
}

function broken(what: string): TwinfoldError {
  const remedy = 'move your own lines above it, or remove its marker lines and select again'
  return new TwinfoldError('ignore-invalid', `the selection in .stignore ${what}; ${remedy}`)
}

/** As the first pattern that matches decides, a line behind one for the same path or one above it has no effect. */
function parse(lines: readonly string[]): SelectionSection {
  const entries = new Map<string, SelectionEntry>()
  let reason: SelectionReason = 'chosen'
  let isRemoving = false
  for (const line of lines) {
    if (line === '' || line === ABOUT) continue
    const given = REASON_OF.get(line)
    if (given !== undefined) reason = given
    else if (line === REMOVING) isRemoving = true
    else {
      const { path, state } = parsePattern(line)
      if (![...ancestorsOf(path), path].some((above) => entries.has(above))) entries.set(path, { path, state, reason })
      reason = 'chosen'
    }
  }
  return { selection: new Selection([...entries.values()]), isRemoving }
}

function parsePattern(line: string): Pick<SelectionEntry, 'path' | 'state'> {
  const isKept = line.startsWith('!')
  const pattern = isKept ? line.slice(1) : line
  if (pattern === EVERYTHING && !isKept) return { path: '', state: 'dropped' }
  const path = pattern.startsWith('/') ? unescape(pattern.slice(1)) : undefined
  if (path === undefined || path === '' || path.startsWith('/') || path.endsWith('/')) {
    throw broken(`has the line ${JSON.stringify(line.slice(0, 300))}, which is not the pattern of one path`)
  }
  return { path: path.normalize('NFC'), state: isKept ? 'kept' : 'dropped' }
}

function linesOf({ selection, isRemoving }: SelectionSection, platform: string): readonly string[] {
  const lines = [BEGIN, ABOUT, ...(isRemoving ? [REMOVING] : [])]
  for (const { path, state, reason } of selection.entries) {
    if (reason !== 'chosen') lines.push(REASONS[reason])
    lines.push((state === 'kept' ? '!' : '') + (path === '' ? EVERYTHING : `/${escape(path, platform)}`))
  }
  lines.push(END)
  return lines
}

const SPECIAL = /[\\*?[\]{}]/g
const SPECIAL_ON_WINDOWS = /[[{]/g
/** Removed from the end of a line. */
const LAST_BLANK = /[\s\u0085]$/u
/** A list of lines cannot have a line break: a range around it, of characters that names hardly have. */
const LINE_BREAK = '[\t-\v]'

/** In Syncthing on Windows a backslash separates directories, so a class with one character stands for it there. */
function escape(path: string, platform: string): string {
  const escaped = platform === 'win32' ? path.replaceAll(SPECIAL_ON_WINDOWS, '[$&]') : path.replaceAll(SPECIAL, '\\$&')
  return escaped.replace(LAST_BLANK, (blank) => (blank === '\n' ? blank : `[${blank}]`)).replaceAll('\n', LINE_BREAK)
}

/** Undefined for a pattern that `escape` did not make. */
function unescape(pattern: string): string | undefined {
  let path = ''
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at]!
    if (character === '\\') {
      path += pattern[at + 1] ?? ''
      at += 2
    } else if (pattern.startsWith(LINE_BREAK, at)) {
      path += '\n'
      at += LINE_BREAK.length
    } else if (character === '[') {
      if (pattern[at + 2] !== ']') return undefined
      path += pattern[at + 1]!
      at += 3
    } else if ('*?{'.includes(character)) return undefined
    else {
      path += character
      at++
    }
  }
  return path
}
