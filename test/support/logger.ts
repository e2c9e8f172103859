import type { Facility } from '../../src/core/facilities.ts'
import type { Logger } from '../../src/events/types.ts'

/** A logger for tests: prints nothing, stores all lines, debug lines too. */
export function quietLogger(facility: Facility): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  return {
    facility,
    lines,
    debug: (message) => note('DEBUG')(message()),
    info: note('INFO'),
    warn: note('WARN'),
    error: note('ERROR'),
  }
}
