import { TwinfoldError } from '../../core/errors.ts'
import { faultOf } from '../../rest/check.ts'
import type { Parameters } from '../../rest/declaration.ts'

const PER_PAGE_DEFAULT = 65_536
/** More than any index page; the product with the page number is a safe integer. */
const PER_PAGE_MAX = 65_536 * 16
/** Characters of an invalid value that the error text quotes. */
const QUOTED_MAX = 40
const PAGE_MAX = Math.floor(Number.MAX_SAFE_INTEGER / PER_PAGE_MAX)

/** The parameters of a request. Names and values are decoded but not validated. */
export class Query<Name extends string = string> {
  readonly #pairs: readonly (readonly [name: string, value: string])[]
  readonly #declared: Parameters

  constructor(pairs: readonly (readonly [string, string])[], declared: Parameters) {
    this.#pairs = pairs
    this.#declared = declared
  }

  /** The first value when a name is repeated. */
  first(name: Name): string | undefined {
    return this.#pairs.find(([each]) => each === name)?.[1]
  }

  all(name: Name): readonly string[] {
    return this.#pairs.filter(([each]) => each === name).map(([, value]) => value)
  }

  /**
   * A whole number in base 10. A value that does not match its declaration throws `bad-request` if that is strict, and
   * is treated as absent otherwise, as an empty value always is.
   */
  integer(name: Name): number | undefined {
    const text = this.first(name)
    if (text === undefined || text === '') return undefined
    const declared = Object.hasOwn(this.#declared, name) ? this.#declared[name] : undefined
    if (declared?.strict !== true) return /^[+-]?\d{1,19}$/.test(text) ? Number(text) : undefined
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
    const fault = faultOf(declared.schema, value, name)
    if (fault === undefined) return value
    throw new TwinfoldError('bad-request', `${fault}, not ${JSON.stringify(text.slice(0, QUOTED_MAX))}`)
  }

  /** Paging with both values clamped: an invalid or non-positive one is the default. */
  paging(this: Query<'page' | 'perpage'>): { readonly page: number; readonly perPage: number } {
    const page = this.integer('page') ?? 1
    const perPage = this.integer('perpage') ?? PER_PAGE_DEFAULT
    return {
      page: page < 1 ? 1 : Math.min(page, PAGE_MAX),
      perPage: perPage < 1 ? PER_PAGE_DEFAULT : Math.min(perPage, PER_PAGE_MAX),
    }
  }
}

const NONE: Parameters = {}
const EMPTY = new Query([], NONE)

/** Throws `bad-request` for escapes that are not UTF-8: a guess could scan or change another item. */
export function parseQuery(text: string, declared: Parameters = NONE): Query {
  if (text === '') return EMPTY
  const pairs = text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): readonly [string, string] => {
      const mark = pair.indexOf('=')
      return mark < 0 ? [decode(pair), ''] : [decode(pair.slice(0, mark)), decode(pair.slice(mark + 1))]
    })
  return new Query(pairs, declared)
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    throw new TwinfoldError('bad-request', 'the query is not percent-encoded UTF-8', { cause: error })
  }
}
