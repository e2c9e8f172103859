/** How well a text matches the query: smaller is better, undefined for no match. */
export function matchRank(text: string, typed: string): number | undefined {
  const [plain, wanted] = [plainText(text), plainText(typed).trim()]
  if (plain.startsWith(wanted)) return 0
  if (` ${plain}`.includes(` ${wanted}`)) return 1
  const words = wanted.split(/\s+/)
  if (words.every((word) => ` ${plain}`.includes(` ${word}`))) return 2
  return words.every((word) => plain.includes(word)) ? 3 : undefined
}

/** Those that match, the best first; equals keep their order. */
export function bestMatches<T extends { readonly text: string; readonly search?: string }>(
  items: readonly T[],
  typed: string,
  max: number,
): readonly T[] {
  return items
    .map((item) => ({ item, rank: matchRank(item.search ?? item.text, typed) }))
    .filter((row): row is { item: T; rank: number } => row.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ item }) => item)
}

/** Without accents and capitals, which are often left out. */
function plainText(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
}
