/**
 * Planted faults that no test can find, because the behaviour stays the same; each was judged by reading.
 * They are printed and counted apart, and the score is of the others.
 */
import type { Mutant } from './mutate.ts'

interface Equivalent {
  readonly file: string
  /** The line as it stands, without indentation. */
  readonly code: string
  /** The change as it is reported. */
  readonly change: string
  readonly reason: string
}

const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'src/http/pipeline/login-throttle.ts',
    code: 'if (waitMs > 0) await this.#clock.sleep(waitMs, signal)',
    change: '> → >=',
    reason: 'a sleep of no time ends at the same time',
  },
]

export function equivalentReason({ file, code, change }: Mutant): string | undefined {
  return EQUIVALENT.find((one) => one.file === file && one.code === code && one.change === change)?.reason
}
