/** Search filters: their text (RFC 4515) as the value that is sent. */
import { TwinfoldError } from '../errors.ts'
import { berText, berValue, TAG } from './ber.ts'

const CHOICE = {
  and: 0xa0,
  or: 0xa1,
  not: 0xa2,
  equal: 0xa3,
  substrings: 0xa4,
  atLeast: 0xa5,
  atMost: 0xa6,
  present: 0x87,
  approximate: 0xa8,
  matching: 0xa9,
} as const
const DEPTH_MAX = 20
const COMPARISONS: Readonly<Record<string, number>> = {
  '=': CHOICE.equal,
  '>=': CHOICE.atLeast,
  '<=': CHOICE.atMost,
  '~=': CHOICE.approximate,
}

/** The value of a filter. Throws `config-invalid` for a text that is none. */
export function encodeFilter(text: string): Uint8Array {
  const reader = new FilterReader(text.trim())
  const value = reader.filter(DEPTH_MAX)
  reader.end()
  return value
}

class FilterReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  filter(depth: number): Uint8Array {
    if (depth === 0) throw this.#invalid('is nested too deeply')
    this.#expect('(')
    const value = this.#inside(depth)
    this.#expect(')')
    return value
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#invalid('has more than one filter')
  }

  #inside(depth: number): Uint8Array {
    switch (this.#text[this.#at]) {
      case '&':
      case '|': {
        const tag = this.#text[this.#at++] === '&' ? CHOICE.and : CHOICE.or
        const filters: Uint8Array[] = []
        while (this.#text[this.#at] === '(') filters.push(this.filter(depth - 1))
        return berValue(tag, Buffer.concat(filters))
      }
      case '!':
        this.#at++
        return berValue(CHOICE.not, this.filter(depth - 1))
      default:
        return this.#comparison()
    }
  }

  #comparison(): Uint8Array {
    const [all, name = '', sign = '', value = ''] =
      /^([^=<>~()]*?)([<>~:]?=)([^()]*)/s.exec(this.#text.slice(this.#at)) ?? []
    if (all === undefined || name.trim() === '') throw this.#invalid('has no comparison')
    this.#at += all.length
    if (sign === ':=') return this.#matchingRule(name, value)
    if (sign === '=' && value === '*') return berText(name.trim(), CHOICE.present)
    const parts = value.split('*')
    if (sign === '=' && parts.length > 1) return this.#substrings(name.trim(), parts)
    return berValue(COMPARISONS[sign]!, berText(name.trim()), this.#bytes(value, TAG.octets))
  }

  /** `name:dn:rule:=value`, as `memberOf:1.2.840.113556.1.4.1941:=…` of Active Directory. */
  #matchingRule(text: string, value: string): Uint8Array {
    const [name = '', ...more] = text.split(':')
    const isDn = more[0]?.toLowerCase() === 'dn'
    const rule = more[isDn ? 1 : 0] ?? ''
    return berValue(
      CHOICE.matching,
      rule === '' ? Buffer.of() : berText(rule, 0x81),
      name.trim() === '' ? Buffer.of() : berText(name.trim(), 0x82),
      this.#bytes(value, 0x83),
      isDn ? berValue(0x84, Uint8Array.of(0xff)) : Buffer.of(),
    )
  }

  #substrings(name: string, parts: readonly string[]): Uint8Array {
    const last = parts.length - 1
    const pieces = parts.flatMap((part, at) =>
      part === '' ? [] : [this.#bytes(part, at === 0 ? 0x80 : at === last ? 0x82 : 0x81)],
    )
    if (pieces.length === 0) throw this.#invalid('has stars without a text')
    return berValue(CHOICE.substrings, berText(name), berValue(TAG.sequence, Buffer.concat(pieces)))
  }

  /** A value with its escapes, two hexadecimal digits each. */
  #bytes(text: string, tag: number): Uint8Array {
    const parts = text.split(/(\\[\da-f]{2})/i).map((part, at) => {
      if (at % 2 === 1) return Uint8Array.of(Number.parseInt(part.slice(1), 16))
      if (part.includes('\\')) throw this.#invalid('has a backslash without two hexadecimal digits')
      return Buffer.from(part)
    })
    return berValue(tag, Buffer.concat(parts))
  }

  #expect(char: string): void {
    if (this.#text[this.#at++] !== char) throw this.#invalid(`has no "${char}" at character ${this.#at}`)
  }

  #invalid(what: string): TwinfoldError {
    return new TwinfoldError('config-invalid', `the searchFilter of the LDAP settings ${what}`)
  }
}
