/** How much harder than usual randomised and repeated tests try: `npm run soak` raises it. */
const FACTOR = Math.max(1, Number(process.env['TWINFOLD_EFFORT'] ?? 1) || 1)

/** A number of rounds, seeds or kills: `usual` under `npm test`, more under `npm run soak`. */
export function effort(usual: number): number {
  return Math.round(usual * FACTOR)
}

/** The report line of a row of the fault catalogue. Figures are for readers; assertions are separate. */
export function reportRow(row: { readonly id: string; readonly tried: number } & Record<string, unknown>): void {
  console.log(JSON.stringify(row))
}

/** The middle of some durations: single ones are longer on a busy machine, whatever is measured. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/**
 * Whether work under an attack takes about as long as without: whoever has to wait for the attacker takes seconds.
 * Medians of durations of the same machine are compared, so that its speed does not matter.
 */
export function isUnhindered(quietMs: readonly number[], attackedMs: readonly number[], allowedMs: number): boolean {
  return median(attackedMs) <= 20 * median(quietMs) + allowedMs
}
