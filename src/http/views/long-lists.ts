import { escapeJson } from '../pipeline/json.ts'

/** Characters of one piece: some milliseconds of work. */
const PIECE_LENGTH = 64 * 1024
const LIST_INDENT = '    '

/** The entries of a long list; each is made when it is formatted. */
class LongList<T> {
  readonly entries: () => Iterable<T>

  constructor(entries: () => Iterable<T>) {
    this.entries = entries
  }
}

/** A reply of which every list is long. */
export type WithLongLists<T> = {
  readonly [K in keyof T]: T[K] extends readonly (infer E)[] | null ? LongList<E> | Extract<T[K], null> : T[K]
}

export function longList<I, T>(items: readonly I[], toJson: (item: I) => T): LongList<T> {
  return new LongList(function* () {
    for (const item of items) yield toJson(item)
  })
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
