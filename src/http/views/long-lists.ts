import type { Clock } from '../../platform/clock.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { escapeJson } from '../pipeline/json.ts'
import { json, jsonPieces, type Reply } from '../pipeline/reply.ts'

/** Characters of one piece: some milliseconds of work. */
const PIECE_LENGTH = 64 * 1024
const LIST_INDENT = '    '
/** Fewer entries are formatted at once, which takes a third of the time. */
const SHORT_MAX = 32

/** The entries of a long list; each is made when it is formatted. */
class LongList<T> {
  readonly length: number
  readonly entries: () => Iterable<T>

  constructor(length: number, entries: () => Iterable<T>) {
    this.length = length
    this.entries = entries
  }
}

/** A reply of which every list is long. */
export type WithLongLists<T> = {
  readonly [K in keyof T]: T[K] extends readonly (infer E)[] | null ? LongList<E> | Extract<T[K], null> : T[K]
}

export function longList<I, T>(items: readonly I[], toJson: (item: I) => T): LongList<T> {
  return new LongList(items.length, function* () {
    for (const item of items) yield toJson(item)
  })
}

/** A reply with long lists, in pieces; with short ones at once. */
export function longListsReply(
  reply: Readonly<Record<string, unknown>>,
  clock: Pick<Clock, 'sleep'>,
  request: Pick<HttpRequest, 'signal'>,
): Reply {
  const plain: Record<string, unknown> = {}
  let length = 0
  for (const key of Object.keys(reply)) {
    const value = reply[key]
    const isLong = value instanceof LongList
    if (isLong) length += value.length
    if (length > SHORT_MAX) return jsonPieces(longListsJson(reply), clock, request.signal)
    plain[key] = isLong ? [...value.entries()] : value
  }
  return json(plain)
}

/** An object in the format of `formatJson`, in pieces. */
export function* longListsJson(reply: Readonly<Record<string, unknown>>): Generator<string, void, undefined> {
  let text = '{'
  let separator = '\n'
  for (const [key, value] of Object.entries(reply)) {
    text += `${separator}  ${JSON.stringify(key)}: `
    separator = ',\n'
    if (!(value instanceof LongList)) {
      text += indented(value, '  ')
      continue
    }
    let start = '['
    for (const entry of value.entries()) {
      text += `${start}\n${LIST_INDENT}${indented(entry, LIST_INDENT)}`
      start = ','
      if (text.length < PIECE_LENGTH) continue
      yield escapeJson(text)
      text = ''
    }
    text += start === '[' ? '[]' : '\n  ]'
  }
  yield escapeJson(`${text}\n}\n`)
}

/** The lines after the first are indented; a text has no line breaks of its own, as JSON escapes them. */
function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}
