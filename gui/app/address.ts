/** Where the page is: the parts of the address after the hash, decoded. */
export type Place = readonly string[]

export function parsePlace(hash: string): Place {
  return hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
}

/** The address of a place, for links. */
export function addressOf(...place: Place): string {
  return `#/${place.map(encodeURIComponent).join('/')}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
