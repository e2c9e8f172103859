import type { XattrFilter } from '../config/config.ts'
import { GlobAutomaton } from '../ignore/ignore-automaton.ts'
import { parseGlob, variantsOf } from '../ignore/ignore-glob.ts'
import { compareNames } from '../paths.ts'
import { fieldsOf, taggedField } from './platform-data.ts'
import { viewPlatform, type ExtendedAttribute } from './platform-view.ts'

/** By name, in byte order, without duplicates. */
export type AttributeList = readonly ExtendedAttribute[]

const LINUX_FIELD = 3
const ENTRY_FIELD = 1
const NAME_FIELD = 1
const VALUE_FIELD = 2
/** The maximum length of an attribute name on Linux. */
const NAME_SIZE_BYTES_MAX = 255
/** Devices drop the platform data of a record when it is 1 MiB or more, owners included. */
const TOTAL_SIZE_BYTES_MAX = 512 * 1_024
const COUNT_MAX = 1_000
/** The only namespace without a meaning to the system. */
const USER_NAMESPACE = 'user.'

/** The Linux attributes of a record; undefined when it has none of this field. */
export function linuxAttributesOf(platform: Uint8Array | undefined): AttributeList | undefined {
  const linux = platform === undefined ? undefined : viewPlatform(platform).linux
  return linux && inOrder(linux)
}

/** The same platform data with other attributes for Linux, written even when empty. The rest is unchanged. */
export function withLinuxAttributes(platform: Uint8Array | undefined, attributes: AttributeList): Uint8Array {
  const fields = (platform === undefined ? undefined : fieldsOf(platform)) ?? []
  const entries = attributes.map(({ name, value }) =>
    taggedField(
      ENTRY_FIELD,
      Buffer.concat([
        taggedField(NAME_FIELD, Buffer.from(name)),
        value.length === 0 ? value : taggedField(VALUE_FIELD, value),
      ]),
    ),
  )
  const bytesOf = (list: typeof fields) => list.map(({ whole }) => whole)
  return Buffer.concat([
    ...bytesOf(fields.filter(({ number }) => number < LINUX_FIELD)),
    taggedField(LINUX_FIELD, Buffer.concat(entries)),
    ...bytesOf(fields.filter(({ number }) => number > LINUX_FIELD)),
  ])
}

/** Sorted by name in byte order; of two with the same name the last counts. */
export function inOrder(attributes: Iterable<ExtendedAttribute>): AttributeList {
  const byName = new Map<string, ExtendedAttribute>()
  for (const attribute of attributes) byName.set(attribute.name, attribute)
  return [...byName.values()].sort((a, b) => compareNames(a.name, b.name))
}

export function areSameAttributes(a: AttributeList, b: AttributeList): boolean {
  return a.length === b.length && a.every((attribute, i) => isSame(attribute, b[i]!))
}

/** The changes that turn `now` into `wanted`. */
export interface AttributeChange {
  readonly set: AttributeList
  readonly remove: readonly string[]
}

export function attributeChange(now: AttributeList, wanted: AttributeList): AttributeChange {
  const current = new Map(now.map((attribute) => [attribute.name, attribute]))
  const names = new Set(wanted.map(({ name }) => name))
  return {
    set: wanted.filter((attribute) => !isSame(attribute, current.get(attribute.name))),
    remove: now.map(({ name }) => name).filter((name) => !names.has(name)),
  }
}

function isSame(a: ExtendedAttribute, b: ExtendedAttribute | undefined): boolean {
  return b !== undefined && a.name === b.name && Buffer.compare(a.value, b.value) === 0
}

/** Which attributes a folder synchronizes. */
export class AttributeFilter {
  readonly #patterns = new GlobAutomaton()
  /** The patterns up to the first invalid one, which denies everything after it. */
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

  /** False for a pattern that is invalid or exceeds the limit. */
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
   * The first matching pattern decides; a name without a match is denied. Without any pattern user attributes are
   * permitted; attributes with a meaning to the system (rights, access lists, labels) need a matching pattern.
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
   * The permitted attributes. `too-large`: they exceed the limit per item, and the caller leaves all of them unchanged,
   * because a part would mean that the rest was removed.
   */
  permitted(attributes: AttributeList): AttributeList | 'too-large' {
    const list = attributes.filter((attribute) => this.permits(attribute))
    let sizeBytes = 0
    for (const { name, value } of list) sizeBytes += Buffer.byteLength(name) + value.length
    return sizeBytes > this.#totalMax || list.length > COUNT_MAX ? 'too-large' : list
  }
}

/** In path patterns a slash separates names; in an attribute name it is an ordinary character. */
function withoutSlashes(text: string): string {
  return text.replaceAll('/', '\0')
}
