/** Where the page is: the parts of the address after the hash, decoded. */
export type Place = readonly string[]

/** What the address says about the view of a place, such as a search; names without a value are left out. */
export type Params = Readonly<Record<string, string>>

export function parsePlace(hash: string): Place {
  const [path = ''] = hash.split('?')
  return path
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
}

export function parseParams(hash: string): Params {
  const at = hash.indexOf('?')
  return at === -1 ? {} : Object.fromEntries(new URLSearchParams(hash.slice(at + 1)))
}

/** The address of a place, for links. */
export function addressOf(...place: Place): string {
  return `#/${place.map(encodeURIComponent).join('/')}`
}

/** The same place with some of its parameters changed; an empty value removes one. */
export function withParams(hash: string, changes: Params): string {
  const params = Object.entries({ ...parseParams(hash), ...changes }).filter(([, value]) => value !== '')
  const [path = ''] = hash.split('?')
  const place = path === '' ? '#/' : path
  return params.length === 0 ? place : `${place}?${new URLSearchParams(params).toString()}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
