import type { LogLevel, LogLine } from './types.ts'

export type LogFormat = 'text' | 'json'

const SHORT: Readonly<Record<LogLevel, string>> = { DEBUG: 'DBG', INFO: 'INF', WARN: 'WRN', ERROR: 'ERR' }
const MESSAGE_LENGTH_MAX = 8_192

/** Control characters, line separators, direction overrides and lone surrogates. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Sanitizes a message for the log: one line of bounded length, in which a file name can neither forge a second line nor
 * control a terminal.
 */
export function printable(message: string): string {
  const cut = message.length > MESSAGE_LENGTH_MAX ? `${message.slice(0, MESSAGE_LENGTH_MAX)}…` : message
  return cut.replace(
    UNPRINTABLE,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** One line without its line end. Text is in local time; JSON is in UTC. */
export function formatLine(line: LogLine, format: LogFormat): string {
  if (format === 'json') {
    const { level, facility, message } = line
    return JSON.stringify({ time: new Date(line.timeMs).toISOString(), level, facility, message })
  }
  return `${localTime(line.timeMs)} ${SHORT[line.level]} ${line.facility}: ${line.message}`
}

function localTime(timeMs: number): string {
  const time = new Date(timeMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}
