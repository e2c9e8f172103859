import type { XattrFilter } from '../config/config.ts'
import { GlobAutomaton } from '../ignore/ignore-automaton.ts'
import { parseGlob, variantsOf } from '../ignore/ignore-glob.ts'
import { compareNames } from '../paths.ts'
import { fieldsOf, tagged } from './platform-data.ts'
import { viewPlatform, type ExtendedAttribute } from './platform-view.ts'

/** By name, in byte order, no name twice. */
export type AttributeList = readonly ExtendedAttribute[]

const LINUX_FIELD = 3
const ENTRY_FIELD = 1
const NAME_FIELD = 1
const VALUE_FIELD = 2
/** What Linux takes for the name of an attribute. */
const NAME_SIZE_BYTES_MAX = 255
/** Devices drop what a record says of systems when it is 1 MiB or more, with owners and all. */
const TOTAL_SIZE_BYTES_MAX = 512 * 1_024
const COUNT_MAX = 1_000
/** Of all namespaces the one that means nothing to the system itself. */
const USER_NAMESPACE = 'user.'

/** The attributes that a record names for Linux; undefined where it says nothing about them. */
export function linuxAttributesOf(platform: Uint8Array | undefined): AttributeList | undefined {
  const told = platform === undefined ? undefined : viewPlatform(platform).linux
  return told && inOrder(told)
}

/** The same platform data with other attributes for Linux: said even when there are none. The rest stays as it is. */
export function withLinuxAttributes(platform: Uint8Array | undefined, attributes: AttributeList): Uint8Array {
  const fields = (platform === undefined ? undefined : fieldsOf(platform)) ?? []
  const entries = attributes.map(({ name, value }) =>
    tagged(
      ENTRY_FIELD,
      Buffer.concat([tagged(NAME_FIELD, Buffer.from(name)), value.length === 0 ? value : tagged(VALUE_FIELD, value)]),
    ),
  )
  const bytesOf = (list: typeof fields) => list.map(({ whole }) => whole)
  return Buffer.concat([
    ...bytesOf(fields.filter(({ number }) => number < LINUX_FIELD)),
    tagged(LINUX_FIELD, Buffer.concat(entries)),
    ...bytesOf(fields.filter(({ number }) => number > LINUX_FIELD)),
  ])
}

/** In byte order of their names; of two with the same name the last counts. */
export function inOrder(attributes: Iterable<ExtendedAttribute>): AttributeList {
  const byName = new Map<string, ExtendedAttribute>()
  for (const attribute of attributes) byName.set(attribute.name, attribute)
  return [...byName.values()].sort((a, b) => compareNames(a.name, b.name))
}

export function areSameAttributes(a: AttributeList, b: AttributeList): boolean {
  return a.length === b.length && a.every((attribute, i) => isSame(attribute, b[i]!))
}

/** What must be done to `now` so that it becomes `wanted`. */
export interface AttributeChange {
  readonly set: AttributeList
  readonly remove: readonly string[]
}

export function attributeChange(now: AttributeList, wanted: AttributeList): AttributeChange {
  const known = new Map(now.map((attribute) => [attribute.name, attribute]))
  const names = new Set(wanted.map(({ name }) => name))
  return {
    set: wanted.filter((attribute) => !isSame(attribute, known.get(attribute.name))),
    remove: now.map(({ name }) => name).filter((name) => !names.has(name)),
  }
}

function isSame(a: ExtendedAttribute, b: ExtendedAttribute | undefined): boolean {
  return b !== undefined && a.name === b.name && Buffer.compare(a.value, b.value) === 0
}

/** Which attributes a folder synchronizes. */
export class AttributeFilter {
  readonly #patterns = new GlobAutomaton()
  /** Of the patterns up to the first that cannot be read: nobody knows what that was meant for, so it denies the rest. */
  readonly #permits: boolean[] = []
  readonly #hasPatterns: boolean
  readonly #singleMax: number
  readonly #totalMax: number

  constructor({ entries, maxSingleEntrySize, maxTotalSize }: XattrFilter) {
    this.#hasPatterns = entries.length > 0
    for (const [line, { match, permit }] of entries.entries()) {
      if (!this.#add(match, line)) break
      this.#permits.push(permit)
    }
    this.#singleMax = maxSingleEntrySize > 0 ? maxSingleEntrySize : Number.POSITIVE_INFINITY
    this.#totalMax = maxTotalSize > 0 ? Math.min(maxTotalSize, TOTAL_SIZE_BYTES_MAX) : TOTAL_SIZE_BYTES_MAX
  }

  /** False for a pattern that cannot be read, or for which there is no room. */
  #add(match: string, line: number): boolean {
    try {
      for (const glob of variantsOf(parseGlob(withoutSlashes(match))))
        this.#patterns.add(glob, { rooted: true, tail: 'tree', line })
      return true
    } catch {
      return false
    }
  }

  /**
   * The first pattern that matches decides, and what none matches is denied. Without any pattern everything of users is
   * permitted; what has a meaning to the system (rights, access lists, labels) only where a pattern says so.
   */
  permitsName(name: string): boolean {
    if (name === '' || name.includes('\0') || Buffer.byteLength(name) > NAME_SIZE_BYTES_MAX) return false
    if (!this.#hasPatterns) return name.startsWith(USER_NAMESPACE)
    return this.#permits[this.#patterns.first(withoutSlashes(name), this.#permits.length)] ?? false
  }

  permits({ name, value }: ExtendedAttribute): boolean {
    return Buffer.byteLength(name) + value.length <= this.#singleMax && this.permitsName(name)
  }

  /**
   * Those that are permitted. `too-large`: they are more than a folder takes of one item, and whoever asked leaves all
   * of them as they are, for a part would look as if the rest had been removed.
   */
  permitted(attributes: AttributeList): AttributeList | 'too-large' {
    const list = attributes.filter((attribute) => this.permits(attribute))
    let sizeBytes = 0
    for (const { name, value } of list) sizeBytes += Buffer.byteLength(name) + value.length
    return sizeBytes > this.#totalMax || list.length > COUNT_MAX ? 'too-large' : list
  }
}

/** To patterns of paths a slash is the end of a name; in the name of an attribute it is a character like any other. */
function withoutSlashes(text: string): string {
  return text.replaceAll('/', '\0')
}
