import { CAUSE_CODES, causeOf, type CauseCode } from '../../src/core/remedies/cause.ts'

/** An item that failed. */
export interface ItemProblem {
  readonly path: string
  readonly error: string
}

/** The failed items of one cause. */
export interface CauseGroup {
  readonly code: CauseCode
  readonly problems: readonly ItemProblem[]
}

/** By cause, the largest group first. Items without a source are no errors, and come last. */
export function groupByCause(problems: readonly ItemProblem[]): readonly CauseGroup[] {
  const groups = Map.groupBy(problems, ({ error }) => causeOf(error))
  return [...groups]
    .map(([code, found]) => ({ code, problems: found }))
    .sort(
      (one, other) =>
        Number(one.code === 'noSource') - Number(other.code === 'noSource') ||
        other.problems.length - one.problems.length ||
        CAUSE_CODES.indexOf(one.code) - CAUSE_CODES.indexOf(other.code),
    )
}
