import { TwinfoldError } from '../errors.ts'
import { parentOf } from '../paths.ts'

const FILES_MAX = 100
const LINES_MAX = 200_000

/** The text of an included file by its path in the folder, or the reason why it is missing. */
export type IncludeLookup = (path: string) => { readonly text: string } | { readonly error: string }

interface OpenFile {
  readonly lines: readonly string[]
  readonly directory: string
  at: number
}

/**
 * The lines of an ignore file with its includes expanded. Only the first occurrence of a line counts, over all files;
 * an include line too, so a file may include itself. Throws `ignore-invalid` with the line.
 */
export function resolveIncludes(lines: readonly string[], lookup: IncludeLookup): readonly string[] {
  const seenLines = new Set<string>()
  const seenFiles = new Set<string>()
  const resolved: string[] = []
  // An explicit stack, so that a long chain of includes does not nest calls.
  const open: OpenFile[] = [{ lines, directory: '', at: 0 }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const raw = top.lines[top.at++]
    if (raw === undefined) {
      open.pop()
      continue
    }
    const line = trimLine(raw)
    if (seenLines.has(line)) continue
    seenLines.add(line)
    if (seenLines.size > LINES_MAX) throw invalid(`more than ${LINES_MAX} lines, at ${JSON.stringify(line)}`)
    const target = includeTarget(line)
    if (target === undefined) {
      resolved.push(line)
      continue
    }
    if (target === '') throw invalid('parse error: failed to parse #include line: no file?')
    const path = includePath(top.directory, target)
    if (path === undefined) throw failed(target, 'not inside the folder')
    if (seenFiles.has(path)) throw failed(target, 'multiple include')
    if (seenFiles.size >= FILES_MAX) throw failed(target, `more than ${FILES_MAX} include files`)
    seenFiles.add(path)
    const found = lookup(path)
    if ('error' in found) throw failed(target, found.error)
    open.push({ lines: splitLines(found.text), directory: parentOf(path), at: 0 })
  }
  return resolved
}

/** The paths of the include lines of a text, relative to the folder root, without those outside of the folder. */
export function includedPaths(text: string, directory: string): readonly string[] {
  const paths = new Set<string>()
  for (const line of splitLines(text)) {
    const target = includeTarget(trimLine(line))
    const path = target === undefined || target === '' ? undefined : includePath(directory, target)
    if (path !== undefined) paths.add(path)
  }
  return [...paths]
}

/** Blanks at both ends removed; a byte order mark is not one of them, it belongs to the pattern. */
export function trimLine(line: string): string {
  let start = 0
  let end = line.length
  while (start < end && BLANK.test(line[start]!)) start++
  while (end > start && BLANK.test(line[end - 1]!)) end--
  return line.slice(start, end)
}

const BLANK = /[^\S\ufeff]|\u0085/

function splitLines(text: string): readonly string[] {
  return text.split('\n')
}

const DIRECTIVE = '#include'

/** The target of an include line, '' when it is missing; undefined for any other line. */
function includeTarget(line: string): string | undefined {
  if (!line.startsWith(DIRECTIVE)) return undefined
  const space = line.search(/\s/)
  return space < 0 ? '' : line.slice(space).trim()
}

/** Undefined for a path that leaves the folder. */
function includePath(directory: string, target: string): string | undefined {
  if (target.includes('\0') || target.startsWith('/')) return undefined
  const parts = directory === '' ? [] : directory.split('/')
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.length === 0 ? undefined : parts.join('/')
}

function invalid(message: string): TwinfoldError {
  return new TwinfoldError('ignore-invalid', message)
}

function failed(target: string, reason: string): TwinfoldError {
  return invalid(`parse error: failed to load include file ${target}: ${reason}`)
}
