/** Longer than any file system takes, and short enough to hold a million of them. */
const NAME_LENGTH_MAX = 8_192

/** What is wrong with the form of a name; undefined for one that stays inside its folder. Peers that send others are cut off. */
export function nameFault(name: string): string | undefined {
  if (name === '.' || name === '..' || name.startsWith('../')) return 'filename is invalid'
  // A leading slash is canonical, but leads out.
  const rooted = name.startsWith('/')
  const parts = (rooted ? name.slice(1) : name).split('/')
  const clean = parts.every((part, place) => part !== '' && part !== '.' && (part !== '..' || leadsOut(parts, place)))
  if (!clean) return rooted && name.length === 1 ? 'filename is invalid' : 'filename not in canonical format'
  return rooted || parts[0] === '..' ? 'filename is invalid' : undefined
}

/** `..` after nothing but `..` cannot be shortened: the form is right, the name is not. */
function leadsOut(parts: readonly string[], place: number): boolean {
  return parts.slice(0, place).every((part) => part === '..')
}

/** A name that no file can have, or that nobody could keep. */
export function isImpossible(name: string): boolean {
  return name.length > NAME_LENGTH_MAX || name.includes('\0')
}

