import { TwinfoldError } from '../core/errors.ts'

const PER_PAGE_DEFAULT = 65_536
/** More than any index page; the product with the page number stays a safe integer. */
const PER_PAGE_MAX = 65_536 * 16
const PAGE_MAX = Math.floor(Number.MAX_SAFE_INTEGER / PER_PAGE_MAX)

/** The parameters of a request. Names and values are decoded; nothing else has been looked at. */
export class Query<Name extends string = string> {
  readonly #pairs: readonly (readonly [name: string, value: string])[]

  constructor(pairs: readonly (readonly [string, string])[]) {
    this.#pairs = pairs
  }

  /** The first value counts when a name is repeated. */
  first(name: Name): string | undefined {
    return this.#pairs.find(([each]) => each === name)?.[1]
  }

  all(name: Name): readonly string[] {
    return this.#pairs.filter(([each]) => each === name).map(([, value]) => value)
  }

  /** A whole number in base 10; undefined for everything else, which means "absent". */
  integer(name: Name): number | undefined {
    const text = this.first(name)
    if (text === undefined || !/^[+-]?\d{1,19}$/.test(text)) return undefined
    return Number(text)
  }

  /** Paging with both values clamped: a bad or non-positive one is the default. */
  paging(this: Query<'page' | 'perpage'>): { readonly page: number; readonly perPage: number } {
    const page = this.integer('page') ?? 1
    const perPage = this.integer('perpage') ?? PER_PAGE_DEFAULT
    return {
      page: page < 1 ? 1 : Math.min(page, PAGE_MAX),
      perPage: perPage < 1 ? PER_PAGE_DEFAULT : Math.min(perPage, PER_PAGE_MAX),
    }
  }
}

const EMPTY = new Query([])

/** Throws `bad-request` for escapes that are no UTF-8: guessing would scan or change something else than was meant. */
export function parseQuery(text: string): Query {
  if (text === '') return EMPTY
  const pairs = text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): readonly [string, string] => {
      const mark = pair.indexOf('=')
      return mark < 0 ? [decode(pair), ''] : [decode(pair.slice(0, mark)), decode(pair.slice(mark + 1))]
    })
  return new Query(pairs)
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    throw new TwinfoldError('bad-request', 'the query is not percent-encoded UTF-8', { cause: error })
  }
}
