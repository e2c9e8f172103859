/** The elements of all lists in turn, the first of each, then the second of each; every one once, and at most `max`. */
export function takeTurns<T>(lists: readonly (readonly T[])[], max: number): readonly T[] {
  const taken = new Set<T>()
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0)
  for (let at = 0; at < longest; at++) {
    for (const list of lists) {
      const element = list[at]
      if (element === undefined) continue
      if (taken.size >= max) return [...taken]
      taken.add(element)
    }
  }
  return [...taken]
}
