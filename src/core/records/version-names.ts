import { parseCompactTime } from '../formats/local-time.ts'
import { baseOf, cutToBytes, NAME_SIZE_BYTES_MAX, parentOf, splitExtension } from '../paths.ts'

/** The name of an archived version: `dir/photo~20260131-235959.jpg`. The longest names are truncated. */
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

/** Parses the name of an archived version; undefined for a name without a time. */
export function parseVersionName(kept: string): NamedVersion | undefined {
  const directory = parentOf(kept)
  const [, stem = '', when = '', extension = ''] = TAGGED.exec(baseOf(kept)) ?? []
  const base = `${stem}${extension}`
  const versionMs = parseCompactTime(when)
  if (versionMs === undefined || base === '') return undefined
  return { name: directory === '' ? base : `${directory}/${base}`, versionMs }
}

const NO_TIME = '00000000-000000'

/** A key shared by the names of all archived versions of one file. */
export function versionKeyOf(name: string): string {
  return versionName(name, NO_TIME)
}

/** That key for the name of an archived version; undefined for a name without a time. */
export function versionKey(kept: string): string | undefined {
  const [, stem = '', when = '', extension = ''] = TAGGED.exec(baseOf(kept)) ?? []
  if (parseCompactTime(when) === undefined) return undefined
  const directory = parentOf(kept)
  const key = `${stem}~${NO_TIME}${extension}`
  return directory === '' ? key : `${directory}/${key}`
}
