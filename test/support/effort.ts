/** How much harder than usual randomised and repeated tests try: `npm run soak` raises it. */
const FACTOR = Math.max(1, Number(process.env['TWINFOLD_EFFORT'] ?? 1) || 1)

/**
 * A number of rounds, seeds or kills: `usual` under `npm test`, that of long runs times their factor under
 * `npm run nightly` and `npm run soak`.
 */
export function effort(usual: number, ofLongRuns = usual): number {
  return FACTOR > 1 ? Math.round(ofLongRuns * FACTOR) : usual
}

/** A number of cases: `usual` under `npm test`, that of the fault catalogue under `npm run soak`. */
export function casesOf(usual: number, catalogue: number): number {
  return FACTOR > 1 ? catalogue : usual
}

/** The report line of a row of the fault catalogue. Figures are for readers; assertions are separate. */
export function reportRow(row: { readonly id: string; readonly tried: number } & Record<string, unknown>): void {
  console.log(JSON.stringify(row))
}
