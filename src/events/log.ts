import { messageOf } from '../core/errors.ts'
import { nameDevices } from '../core/formats/name-devices.ts'
import { FACILITY_NAMES, parseFacility, type Facility } from '../core/facilities.ts'
import type { Clock } from '../platform/clock.ts'
import { formatLine, printable, type LogFormat } from './log-format.ts'
import { Ring } from './ring.ts'
import type { Logger, LogControl, LogLevel, LogLine } from './types.ts'

const LINES_MAX = 1_000
const ERRORS_MAX = 5
const REPORT_LENGTH_MAX = 65_536

const RANK: Readonly<Record<LogLevel, number>> = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3 }

export interface LogDeps {
  readonly clock: Clock
  /** Writes one line without its line end. It may throw: a full disk or a closed pipe loses lines only. */
  readonly write: (line: string) => void
}

export interface LogOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Initial levels of single facilities, in the syntax of `STTRACE`. */
  readonly trace: string
}

/** The log: one level per facility, a ring of recent lines, one sink. */
export class Log implements LogControl {
  readonly #deps: LogDeps
  readonly #format: LogFormat
  readonly #levels: Map<Facility, LogLevel>
  readonly #lines = new Ring<LogLine>(LINES_MAX)
  readonly #errors = new Ring<LogLine>(ERRORS_MAX)
  #nameOf: (device: string) => string | undefined = () => undefined
  #writing = false
  #lostCount = 0
  #lostReason = ''

  constructor(deps: LogDeps, options: LogOptions) {
    this.#deps = deps
    this.#format = options.format
    this.#levels = new Map(FACILITY_NAMES.map((facility) => [facility, options.level]))
    for (const [facility, level] of parseTrace(options.trace)) this.#levels.set(facility, level)
  }

  /** From now on lines have the names of devices in place of their IDs; undefined: the ID stays. */
  setDeviceNames(nameOf: (device: string) => string | undefined): void {
    this.#nameOf = nameOf
  }

  /** The logger of one facility; it follows the facility's level. */
  logger(facility: Facility): Logger {
    return {
      facility,
      debug: (message) => {
        if (this.#passes(facility, 'DEBUG')) this.#add(facility, 'DEBUG', textOf(message))
      },
      info: (message) => this.#add(facility, 'INFO', message),
      warn: (message) => this.#add(facility, 'WARN', message),
      error: (message) => this.#add(facility, 'ERROR', message),
    }
  }

  lines(sinceMs?: number): readonly LogLine[] {
    return this.#lines.filter((line) => sinceMs === undefined || line.timeMs > sinceMs)
  }

  errors(): readonly LogLine[] {
    return this.#errors.filter(() => true)
  }

  /** Stored as sent, because a client reads it back; sanitized for the log. */
  reportError(message: string): void {
    const kept = message.slice(0, REPORT_LENGTH_MAX)
    this.#errors.push({ timeMs: this.#deps.clock.nowMs(), level: 'ERROR', facility: 'http', message: kept })
    this.#record('http', 'ERROR', printable(`reported from outside: ${message}`))
  }

  clearErrors(): void {
    this.#errors.clear()
  }

  level(facility: Facility): LogLevel {
    return this.#levels.get(facility) ?? 'INFO'
  }

  setLevel(facility: Facility, level: LogLevel): void {
    this.#levels.set(facility, level)
  }

  #passes(facility: Facility, level: LogLevel): boolean {
    return RANK[level] >= RANK[this.level(facility)]
  }

  #add(facility: Facility, level: LogLevel, message: string): void {
    if (!this.#passes(facility, level)) return
    // Whole IDs are of use for debugging.
    const named = level === 'DEBUG' ? message : nameDevices(message, this.#nameOf)
    const line = this.#record(facility, level, printable(named))
    if (level === 'WARN' || level === 'ERROR') this.#errors.push(line)
  }

  #record(facility: Facility, level: LogLevel, message: string): LogLine {
    const line: LogLine = { timeMs: this.#deps.clock.nowMs(), level, facility, message }
    this.#lines.push(line)
    // Prevents endless recursion when the sink logs its own errors.
    if (!this.#writing) this.#write(line)
    return line
  }

  #write(line: LogLine): void {
    this.#writing = true
    try {
      if (this.#lostCount > 0) {
        const message = printable(`${this.#lostCount} lines could not be written: ${this.#lostReason}`)
        this.#deps.write(formatLine({ timeMs: line.timeMs, level: 'WARN', facility: 'events', message }, this.#format))
        this.#lostCount = 0
      }
      this.#deps.write(formatLine(line, this.#format))
    } catch (error) {
      this.#lostCount++
      this.#lostReason = messageOf(error)
    } finally {
      this.#writing = false
    }
  }
}

/** A debug message that fails to build must not fail its caller. */
function textOf(message: () => string): string {
  try {
    return message()
  } catch (error) {
    return `could not build this log message: ${messageOf(error)}`
  }
}

/**
 * `model,scanner db;http:WARN`: facilities with their levels, DEBUG where none is given. `all` is every facility.
 * Unknown names and levels are skipped, as in Syncthing.
 */
export function parseTrace(text: string): ReadonlyMap<Facility, LogLevel> {
  const levels = new Map<Facility, LogLevel>()
  for (const entry of text.split(/[,;\s]+/)) {
    const [name = '', levelName = 'DEBUG'] = entry.split(':', 2)
    const level = parseLogLevel(levelName)
    if (level === undefined) continue
    const facility = parseFacility(name)
    for (const each of name === 'all' ? FACILITY_NAMES : facility === undefined ? [] : [facility])
      levels.set(each, level)
  }
  return levels
}

/** The level of that name, case-insensitive; undefined for an unknown name. */
function parseLogLevel(text: string): LogLevel | undefined {
  const name = text.trim().toUpperCase()
  return Object.hasOwn(RANK, name) ? (name as LogLevel) : undefined
}
