import type { Run } from './runs.ts'

/** The figures of a test for a row of docs/faults.md. */
export interface Row {
  readonly id: string
  readonly tried: number
}

/** The row that a line of output has; undefined for any other line. */
export function rowOf(line: string): Row | undefined {
  if (!line.startsWith('{"id":"')) return undefined
  const value: unknown = parsed(line)
  if (typeof value !== 'object' || value === null || !('id' in value) || !('tried' in value)) return undefined
  const { id, tried } = value
  return typeof id === 'string' && typeof tried === 'number' ? { ...value, id, tried } : undefined
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // a test printed something else
  }
}

/** Rows about many or unusual files, and a small heap: their cases are files. */
const OF_FILES = ['C-14', 'C-15', 'C-18']

/** Crashes and failures of storage and state are injected faults, all other cases are inputs. */
export function soakRun(
  command: string,
  seconds: number,
  rows: readonly Row[],
  failures: number,
): Omit<Run, 'date' | 'commit'> {
  const sum = (of: readonly Row[]) => of.reduce((total, { tried }) => total + tried, 0)
  const injected = rows.filter(({ id }) => /^[CD]-/.test(id) && !OF_FILES.includes(id))
  const inputs = rows.filter((row) => !injected.includes(row))
  const details = { rows }
  return {
    command,
    seconds,
    rounds: new Set(rows.map(({ id }) => id)).size,
    inputs: sum(inputs),
    faults: sum(injected),
    failures,
    details,
  }
}
