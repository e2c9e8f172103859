import { TwinfoldError } from '../../core/errors.ts'
import type { Json } from '../../core/config/config-json.ts'

/** Deeper than any real body; bounds the recursion of every reader. */
const DEPTH_MAX = 64
/** Values in one body: a thousand folders with all their fields are about a hundred thousand. */
const VALUES_MAX = 1_000_000

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON in Syncthing's format: indented by two, trailing newline, safe inside HTML. */
export function formatJson(value: unknown): string {
  return `${escapeJson(JSON.stringify(value, null, 2))}\n`
}

/** Makes a part of a JSON text safe inside HTML. */
export function escapeJson(text: string): string {
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, (sign) => ESCAPES[sign]!) : text
}

/**
 * Reads a request body. Throws `bad-request` with the reason for a body that is not JSON, is nested too deep, has
 * too many values, or has a number that is not exact. Of a repeated key the last is used; `__proto__` is dropped.
 */
export function parseJson(bytes: Uint8Array): Json {
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw bad('the body is not valid UTF-8', error)
  }
  checkShape(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw bad(text.trim() === '' ? 'unexpected end of JSON input' : `invalid JSON${whereOf(error)}`, error)
  }
  return cleanValue(value)
}

/** Counts nesting and values before parsing. The content of strings is skipped. */
function checkShape(text: string): void {
  let depth = 0
  let values = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = endOfString(text, i)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEPTH_MAX) throw bad(`JSON nested deeper than ${DEPTH_MAX} levels`)
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x2c && ++values > VALUES_MAX) throw bad(`JSON with more than ${VALUES_MAX} values`)
  }
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i
}

/** Only the position: the engine's full message quotes the body, which may contain a password. */
function whereOf(error: unknown): string {
  // The engine gives only texts.
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  return position === undefined ? '' : ` at position ${position}`
}

function cleanValue(value: unknown): Json {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return cleanNumber(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  const entries = Object.entries(Object(value)).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), cleanValue(item)]))
}

/** Refuses a number that would be rounded. */
function cleanNumber(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw bad('a number is out of range')
  }
  return value === 0 ? 0 : value
}

function bad(message: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('bad-request', message, { cause })
}
