import { join } from 'node:path'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { includedPaths, resolveIncludes, type IncludeLookup } from '../../core/ignore/ignore-include.ts'
import { sectionPatterns } from '../../core/ignore/selection-section.ts'
import { isPathWithin, parentOf } from '../../core/paths.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'
import type { IgnoresView } from '../types.ts'

export const IGNORE_FILE_NAME = '.stignore'
/** Matches the pattern of temporary files, so scans skip it. */
const TEMPORARY_NAME = '.syncthing..stignore.tmp'
const SIZE_BYTES_MAX = 8 * 1_024 * 1_024
const INCLUDES_MAX = 100
/** Two changes within the precision of the times of a file system, 2 s for FAT, may leave the same state. */
const SETTLED_S = 3

/**
 * The rules of a folder with their includes resolved; undefined without an ignore file. Rejects with `ignore-invalid`
 * when a file cannot be read or parsed: the set of ignored files is unknown then.
 */
export async function loadIgnores(disk: Disk, root: string): Promise<IgnoreRules | undefined> {
  const text = await readText(disk, join(root, IGNORE_FILE_NAME))
  return text === undefined ? undefined : await parseIgnores(disk, root, text)
}

export interface IgnoreFileDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly disk: Disk
}

/** The ignore file of one folder. It is read again when its state has changed: parsing takes longer than most scans. */
export class IgnoreFile {
  readonly #deps: IgnoreFileDeps
  readonly #root: string
  #last: { readonly state: string; readonly rules: IgnoreRules } | undefined

  constructor(deps: IgnoreFileDeps, root: string) {
    this.#deps = deps
    this.#root = root
  }

  /** As `loadIgnores`. `stat` is the present state of the file. */
  async load(stat: DiskStat): Promise<IgnoreRules | undefined> {
    const state = this.#stateOf(stat)
    if (state !== undefined && this.#last?.state === state) return this.#last.rules
    this.#last = undefined
    const { disk } = this.#deps
    const text = await readText(disk, join(this.#root, IGNORE_FILE_NAME))
    if (text === undefined) return undefined
    const rules = await parseIgnores(disk, this.#root, text)
    // Included files may change on their own.
    if (state !== undefined && includedPaths(text, '').length === 0) this.#last = { state, rules }
    return rules
  }

  /** Undefined where the same state may be that of another content. */
  #stateOf({ changeStamp, deviceId, inode, modifiedNs, modifiedS, sizeBytes, type }: DiskStat): string | undefined {
    if (type !== 'file' || changeStamp === undefined) return undefined
    if (modifiedS > this.#deps.clock.nowMs() / 1_000 - SETTLED_S) return undefined
    return [deviceId, inode, sizeBytes, modifiedS, modifiedNs, changeStamp].join(' ')
  }
}

/** The ignore file for display. Never rejects: errors are part of the result. */
export async function viewIgnores(disk: Disk, root: string): Promise<IgnoresView> {
  let ignore: readonly string[] | null = null
  try {
    const text = await readText(disk, join(root, IGNORE_FILE_NAME))
    if (text === undefined) return { ignore: null, expanded: null, error: null }
    ignore = linesOf(text)
    return { ignore, expanded: (await parseIgnores(disk, root, text)).expanded, error: null }
  } catch (error) {
    return { ignore, expanded: [], error: messageOf(error) }
  }
}

/** Replaces the ignore file atomically, whether or not the lines are valid. Without lines the file is removed. */
export async function writeIgnores(disk: Disk, root: string, lines: readonly string[]): Promise<void> {
  const path = join(root, IGNORE_FILE_NAME)
  if (lines.length > 0) {
    const data = new TextEncoder().encode(`${lines.join('\n')}\n`)
    await writeFileAtomically(disk, path, data, 0o644, TEMPORARY_NAME)
    return
  }
  await disk.removeFile(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
  await disk.syncDirectory(root)
}

/** The bytes of the ignore file; empty without one. Rejects as `loadIgnores` does. */
export async function readIgnoreFile(disk: Disk, root: string): Promise<Uint8Array> {
  return (await readData(disk, join(root, IGNORE_FILE_NAME))) ?? new Uint8Array()
}

/** The rules of an ignore file with these bytes. Rejects as `loadIgnores` does. */
export async function rulesOfFile(disk: Disk, root: string, data: Uint8Array): Promise<IgnoreRules> {
  return await parseIgnores(disk, root, textOf(data))
}

/** Replaces the ignore file atomically. Without bytes the file is removed. */
export async function writeIgnoreFile(disk: Disk, root: string, data: Uint8Array): Promise<void> {
  if (data.length === 0) return await writeIgnores(disk, root, [])
  await writeFileAtomically(disk, join(root, IGNORE_FILE_NAME), data, 0o644, TEMPORARY_NAME)
}

/** The contents of the include lines, for the preview of an ignore file that is not written yet. */
export async function includesOf(disk: Disk, root: string, lines: readonly string[]): Promise<IncludeLookup> {
  const included = await readIncludes(disk, root, lines.join('\n'))
  return (path) => included.get(path) ?? { error: 'file not found' }
}

async function parseIgnores(disk: Disk, root: string, text: string): Promise<IgnoreRules> {
  const included = await readIncludes(disk, root, text)
  const lines = resolveIncludes(linesOf(text), (path) => included.get(path) ?? { error: 'file not found' })
  return new IgnoreRules(lines, sectionPatterns(text)) // of this file only: includes may come from other devices
}

/** All files included by the text, transitively, as far as they exist. */
async function readIncludes(disk: Disk, root: string, text: string): Promise<Map<string, Include>> {
  const found = new Map<string, Include>()
  const wanted = [...includedPaths(text, '')]
  for (let path = wanted.shift(); path !== undefined && found.size < INCLUDES_MAX; path = wanted.shift()) {
    if (found.has(path)) continue
    const include = await readInclude(disk, root, path)
    found.set(path, include)
    if ('text' in include) for (const more of includedPaths(include.text, parentOf(path))) wanted.push(more)
  }
  return found
}

type Include = { readonly text: string } | { readonly error: string }

async function readInclude(disk: Disk, root: string, path: string): Promise<Include> {
  try {
    // A symlink may come from another device: it must not expose a file outside the folder.
    const real = await disk.realPath(join(root, path))
    const realRoot = await disk.realPath(root)
    if (!isPathWithin(real, realRoot)) return { error: 'not inside the folder' }
    const text = await readText(disk, real)
    return text === undefined ? { error: 'file not found' } : { text }
  } catch (error) {
    return { error: systemCode(error) === 'ENOENT' ? 'file not found' : messageOf(error) }
  }
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  const data = await readData(disk, path)
  return data === undefined ? undefined : textOf(data)
}

/** ignoreBOM: the mark stays part of the first pattern, for compatibility with Syncthing. */
function textOf(data: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(data)
}

/** Undefined when the file does not exist. The ignore file itself may be a symlink: it is never synchronized. */
async function readData(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await disk.open(await disk.realPath(path), 'read')
    const { sizeBytes, type } = await file.stat()
    if (type !== 'file') throw new TwinfoldError('ignore-invalid', 'not a file')
    if (sizeBytes > SIZE_BYTES_MAX) throw new TwinfoldError('ignore-invalid', `larger than ${SIZE_BYTES_MAX} bytes`)
    const data = new Uint8Array(sizeBytes)
    const length = await fillBuffer(file, data)
    return data.subarray(0, length)
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    if (error instanceof TwinfoldError) throw error
    throw new TwinfoldError('ignore-invalid', messageOf(error), { cause: error })
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  if (lines.at(-1) === '') lines.pop()
  return lines
}
