import type { Program } from './program.ts'
import type { Sample, Sizes } from './rows.ts'

/** What every group of measurements gets. */
export interface Bench {
  readonly programs: readonly Program[]
  readonly sizes: Sizes
  readonly rounds: number
  /** For short measurements with many rounds. */
  readonly repeats: number
  readonly scratch: string
  record(sample: Sample): void
}
