/** A semantic version. Build metadata is left out: it does not order versions. */
export interface SemanticVersion {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** Empty for a release; numbers are compared as numbers, the rest as text. */
  readonly preRelease: readonly (number | string)[]
}

/** The registry allows 256; a lower limit suffices, because versions go into command lines and onto the page. */
const LENGTH_MAX = 64
const NUMBER = '(0|[1-9]\\d{0,8})'
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const PATTERN = new RegExp(`^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`)

/** Undefined for anything but a semantic version. A leading `v` is allowed. */
export function parseVersion(text: string): SemanticVersion | undefined {
  if (text.length > LENGTH_MAX) return undefined
  const [, major, minor, patch, preRelease = ''] = PATTERN.exec(text) ?? []
  if (major === undefined) return undefined
  const parts = preRelease === '' ? [] : preRelease.split('.')
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    preRelease: parts.map((part) => (/^(0|[1-9]\d{0,14})$/.test(part) ? Number(part) : part)),
  }
}

/** The canonical text, without `v` and build metadata. */
export function versionText({ major, minor, patch, preRelease }: SemanticVersion): string {
  return `${major}.${minor}.${patch}${preRelease.length === 0 ? '' : `-${preRelease.join('.')}`}`
}

/** Negative when `a` comes before `b`, zero for equal ones. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePreReleases(a.preRelease, b.preRelease)
}

/** A release sorts after all its pre-releases; of two with the same beginning the longer one sorts later. */
function comparePreReleases(a: SemanticVersion['preRelease'], b: SemanticVersion['preRelease']): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [at, ours] of a.entries()) {
    const theirs = b[at]
    if (theirs === undefined) return 1
    const order = compareIdentifiers(ours, theirs)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers sort before texts. */
function compareIdentifiers(a: number | string, b: number | string): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return a === b ? 0 : a < b ? -1 : 1
}
