import type { ShortId } from '../../core/ids.ts'
import { parseVersion, versionToText, type VersionVector } from '../../core/records/version-vector.ts'
import { damaged } from '../sqlite/damage.ts'

interface Version {
  readonly vector: VersionVector
  readonly author: ShortId
}

/** The author is usually one of the devices in the vector: then its position replaces the id. */
function versionText(vector: VersionVector, author: ShortId): string {
  const place = vector.findIndex((counter) => counter.device === author)
  return `${place === -1 ? author.toString(16) : `@${place}`}/${versionToText(vector)}`
}

/** Caches the text of the last version: items that a scan finds in the same second share it. */
export class VersionTexts {
  #vector: VersionVector = []
  #author: ShortId | undefined
  #text = ''

  get(vector: VersionVector, author: ShortId): string {
    if (author !== this.#author || !isSameCounter(vector, this.#vector)) {
      this.#text = versionText(vector, author)
      this.#vector = vector
      this.#author = author
    }
    return this.#text
  }
}

function isSameCounter(a: VersionVector, b: VersionVector): boolean {
  if (a === b) return true
  if (a.length !== 1 || b.length !== 1) return false
  return a[0]!.device === b[0]!.device && a[0]!.value === b[0]!.value
}

function parseVersionText(text: string): Version | undefined {
  const slash = text.indexOf('/')
  const vector = parseVersion(text.slice(slash + 1))
  if (slash < 1 || vector === undefined) return undefined
  if (text.startsWith('@')) {
    const counter = vector[Number(text.slice(1, slash))]
    return counter === undefined ? undefined : { vector, author: counter.device }
  }
  return { vector, author: BigInt(`0x${text.slice(0, slash)}`) as ShortId }
}

/** Files scanned in the same second have the same version: most rows of a scan are cache hits. */
export class VersionCache {
  static readonly LIMIT = 4096
  readonly #known = new Map<string, Version>()

  get(text: string): Version {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const version = parseVersionText(text)
    if (version === undefined) throw damaged('it holds a version that was never written')
    if (this.#known.size >= VersionCache.LIMIT) this.#known.clear()
    this.#known.set(text, version)
    return version
  }
}
