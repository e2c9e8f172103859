/** Bounds the cost of one comparison, which is the product of both lengths. */
const LENGTH_MAX = 200

/** The candidates that are most similar to a text, best first: equal but for case, or a few characters different. */
export function nearestTexts(text: string, candidates: Iterable<string>, limit: number): readonly string[] {
  const wanted = text.slice(0, LENGTH_MAX).toLowerCase()
  const worst = Math.max(1, Math.floor(wanted.length / 3))
  const rated: { readonly candidate: string; readonly distance: number }[] = []
  for (const candidate of candidates) {
    const other = candidate.slice(0, LENGTH_MAX).toLowerCase()
    if (Math.abs(other.length - wanted.length) > worst) continue
    const distance = editDistance(wanted, other)
    if (distance <= worst) rated.push({ candidate, distance })
  }
  return rated
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      let best = Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + cost)
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) best = Math.min(best, before[column - 2]! + 1)
      line.push(best)
    }
    before = above
    above = line
  }
  return above[b.length]!
}
