import type { Bench } from './bench-options.ts'
import { compareRuns, comparisonText, type RunPair } from './compare.ts'
import type { Program } from './program.ts'
import type { RowInfo, Sample } from './rows.ts'

/** Rows that say most in an acceptable time. */
export const AGAINST_ROWS = 'large,small,http,rest,start,idle,sync-large,sync-small,sync-delta,sync-one'

export interface Against {
  /** The name of the other commit, for messages. */
  readonly commit: string
  readonly before: Program
  readonly after: Program
  readonly pairs: number
  readonly infos: ReadonlyMap<string, RowInfo>
  readonly groups: readonly (readonly [name: string, run: (bench: Bench) => Promise<void>])[]
}

/**
 * Measures another commit and this tree in turns, in the order ABBA, so that a machine that becomes slower favours
 * none. Both are measured by the bench of this tree. Resolves with whether nothing became worse.
 */
export async function runAgainst(bench: Bench, against: Against): Promise<boolean> {
  let isGood = true
  for (const [name, run] of against.groups) {
    const pairs: RunPair[] = []
    try {
      for (let number = 0; number < against.pairs; number++) pairs.push(await measurePair(bench, against, run, number))
    } catch (error) {
      const where = error instanceof SideError ? error.side : 'this tree'
      console.error(`${name} could not be measured at ${where}:`, error instanceof SideError ? error.cause : error)
      isGood &&= where === against.commit // a row that the other commit does not have is no fault of this tree
    }
    isGood = report(against, pairs) && isGood
  }
  return isGood
}

class SideError extends Error {
  readonly side: string

  constructor(side: string, cause: unknown) {
    super(`not measured at ${side}`, { cause })
    this.side = side
  }
}

async function measurePair(
  bench: Bench,
  { commit, before, after }: Against,
  run: (bench: Bench) => Promise<void>,
  number: number,
): Promise<RunPair> {
  const measure = async (program: Program): Promise<readonly Sample[]> => {
    const samples: Sample[] = []
    const own: Bench = { ...bench, programs: [program], rounds: 1, record: (sample) => samples.push(sample) }
    await run(own).catch((error: unknown) => {
      throw new SideError(program === before ? commit : 'this tree', error)
    })
    for (const sample of samples) bench.record(sample)
    return samples
  }
  if (number % 2 === 0) return { before: await measure(before), after: await measure(after) }
  const first = await measure(after)
  return { before: await measure(before), after: first }
}

function report({ infos }: Against, pairs: readonly RunPair[]): boolean {
  const comparisons = compareRuns(infos, pairs)
  for (const comparison of comparisons) console.log(comparisonText(comparison))
  return comparisons.every(({ change }) => change !== 'worse')
}
