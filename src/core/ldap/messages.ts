import { berFlag, berNumber, berText, berValue, bigEndian, malformed, readBer, TAG, type BerValue } from './ber.ts'
import { encodeFilter } from './filter.ts'

/** Far above what a login needs; a message that is longer ends the connection. */
export const MESSAGE_BYTES_MAX = 64 * 1024

const VERSION = 3
const SIMPLE = 0x80
const REQUEST = { bind: 0x60, unbind: 0x42, search: 0x63, extended: 0x77 } as const
const START_TLS = '1.3.6.1.4.1.1466.20037'
/** Asks for no attribute: only the number of entries matters. */
const NO_ATTRIBUTES = '1.1'
const SUBTREE = 2
const NEVER_ALIASES = 0
/** A second one is enough to know that the first is not the only one. */
const ENTRIES_MAX = 2

const OPERATIONS = {
  0x61: 'bound',
  0x64: 'entry',
  0x65: 'searched',
  0x73: 'reference',
  0x78: 'extended',
} as const

export interface DirectoryReply {
  readonly id: number
  readonly is: (typeof OPERATIONS)[keyof typeof OPERATIONS]
  /** 0 is success; of results only. */
  readonly code: number
}

export const RESULT = {
  success: 0,
  sizeLimitExceeded: 4,
  noSuchObject: 32,
  invalidName: 34,
  inappropriate: 48,
  invalidCredentials: 49,
  unwilling: 53,
} as const

export function bindRequest(id: number, name: string, password: string): Uint8Array {
  return message(id, berValue(REQUEST.bind, berNumber(VERSION), berText(name), berText(password, SIMPLE)))
}

export function unbindRequest(id: number): Uint8Array {
  return message(id, berValue(REQUEST.unbind))
}

export function startTlsRequest(id: number): Uint8Array {
  return message(id, berValue(REQUEST.extended, berText(START_TLS, 0x80)))
}

/** Of entries below a name that match the text of a filter. Throws `config-invalid` for a text that is no filter. */
export function searchRequest(id: number, baseName: string, filter: string, timeLimitS: number): Uint8Array {
  return message(
    id,
    berValue(
      REQUEST.search,
      berText(baseName),
      berNumber(SUBTREE, TAG.enumerated),
      berNumber(NEVER_ALIASES, TAG.enumerated),
      berNumber(ENTRIES_MAX),
      berNumber(timeLimitS),
      berFlag(true),
      encodeFilter(filter),
      berValue(TAG.sequence, berText(NO_ATTRIBUTES)),
    ),
  )
}

function message(id: number, operation: Uint8Array): Uint8Array {
  return berValue(TAG.sequence, berNumber(id), operation)
}

/** Reads what follows the tag and length of a message. Throws `password-unavailable`. */
export function readReply(content: Uint8Array): DirectoryReply {
  const [id, operation] = readBer(content)
  if (id?.tag !== TAG.integer || id.content.length > 4 || operation === undefined) throw malformed('no reply')
  const is = Object.hasOwn(OPERATIONS, operation.tag) ? OPERATIONS[operation.tag as keyof typeof OPERATIONS] : undefined
  if (is === undefined) throw malformed(`a reply of the unknown kind ${operation.tag}`)
  const hasResult = is !== 'entry' && is !== 'reference'
  return { id: bigEndian(id.content), is, code: hasResult ? resultCode(operation) : 0 }
}

function resultCode({ content }: BerValue): number {
  const [code] = readBer(content)
  if (code?.tag !== TAG.enumerated || code.content.length > 4) throw malformed('a result without a code')
  return bigEndian(code.content)
}
