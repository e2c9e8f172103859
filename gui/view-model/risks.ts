import type { WarningsJson } from '../../src/rest/twinfold.ts'

interface LogLine {
  readonly message: string
}

/** The warnings of the log that are not shown as a risk already: the daemon logs each risk once. */
export function otherWarnings<L extends LogLine>(lines: readonly L[], risks: WarningsJson): readonly L[] {
  return lines.filter(({ message }) => !risks.some((risk) => message.startsWith(risk.message)))
}
