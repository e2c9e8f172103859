import { INDEXED_NAME_LENGTH_MAX } from '../core/paths.ts'

const QUOTED_LENGTH_MAX = 256

/** An empty component, `.`, `..`, or a slash at either end. */
const SUSPICIOUS = /(?:^|\/)\.{0,2}(?:\/|$)/

/** The fault of a malformed name; undefined for a relative path inside the folder. */
export function nameFault(name: string): string | undefined {
  if (!SUSPICIOUS.test(name)) return undefined
  if (name.startsWith('/') || name.startsWith('../') || name === '.' || name === '..') return 'filename is invalid'
  return 'filename not in canonical format'
}

/** Quotes and truncates a name for an error text. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= QUOTED_LENGTH_MAX ? name : `${name.slice(0, QUOTED_LENGTH_MAX)}…`)
}

/** A name that no file can have, or that exceeds the limit. */
export function isUnusableName(name: string): boolean {
  return name.length > INDEXED_NAME_LENGTH_MAX || name.includes('\0')
}
