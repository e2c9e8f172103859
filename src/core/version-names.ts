import { parseCompactTime } from './local-time.ts'
import { baseOf, cutToBytes, NAME_SIZE_BYTES_MAX, parentOf, splitExtension } from './paths.ts'

/** The name an old version is kept under: `dir/photo~20260131-235959.jpg`. The longest names lose their end. */
export function versionName(name: string, when: string): string {
  const directory = parentOf(name)
  const { stem, extension } = splitExtension(baseOf(name))
  const rest = `~${when}${extension}`
  const kept = `${cutToBytes(stem, NAME_SIZE_BYTES_MAX - Buffer.byteLength(rest))}${rest}`
  return directory === '' ? kept : `${directory}/${kept}`
}

export interface NamedVersion {
  /** The file that it is a version of. */
  readonly name: string
  readonly versionMs: number
}

const TAGGED = /^(.*)~(\d{8}-\d{6})(\.[^.]*)?$/s

/** What a kept version's name tells; undefined for a name that carries no time. */
export function parseVersionName(kept: string): NamedVersion | undefined {
  const directory = parentOf(kept)
  const [, stem = '', when = '', extension = ''] = TAGGED.exec(baseOf(kept)) ?? []
  const base = `${stem}${extension}`
  const versionMs = parseCompactTime(when)
  if (versionMs === undefined || base === '') return undefined
  return { name: directory === '' ? base : `${directory}/${base}`, versionMs }
}

/** Whether a name is one under which a version of this file is kept. */
export function isVersionOf(kept: string, name: string): boolean {
  const { stem, extension } = splitExtension(baseOf(name))
  const base = baseOf(kept)
  // Names are compared before times are read: directories are large.
  if (!base.endsWith(extension) || !(base.startsWith(`${stem}~`) || Buffer.byteLength(base) >= NAME_SIZE_BYTES_MAX - 3)) return false
  const when = base.slice(base.length - extension.length - TIME_LENGTH, base.length - extension.length)
  return parseCompactTime(when) !== undefined && versionName(name, when) === kept
}

const TIME_LENGTH = 'YYYYMMDD-HHMMSS'.length
