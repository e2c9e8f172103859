/** Longer than any file system takes, and short enough to hold a million of them. */
const NAME_LENGTH_MAX = 8_192
const QUOTED_LENGTH_MAX = 256

/** A component that is empty or made of one or two dots, or a slash at either end. */
const SUSPICIOUS = /(?:^|\/)\.{0,2}(?:\/|$)/

/** What is wrong with the form of a name; undefined for one that stays inside its folder. */
export function nameFault(name: string): string | undefined {
  if (!SUSPICIOUS.test(name)) return undefined
  if (name.startsWith('/') || name.startsWith('../') || name === '.' || name === '..') return 'filename is invalid'
  return 'filename not in canonical format'
}

/** A name as a reason may quote it: short, whatever was sent. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= QUOTED_LENGTH_MAX ? name : `${name.slice(0, QUOTED_LENGTH_MAX)}…`)
}

/** A name that no file can have, or that nobody could keep. */
export function isImpossible(name: string): boolean {
  return name.length > NAME_LENGTH_MAX || name.includes('\0')
}
