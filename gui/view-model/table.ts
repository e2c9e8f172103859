/** The column that a table is sorted by. */
export interface Sort<C extends string = string> {
  readonly column: C
  readonly descending: boolean
}

/** A line of a table: the heading of a group, or a row. */
export type RowOrHeading<R> = { readonly heading: string; readonly count: number } | { readonly row: R }

export interface Arrangement<R> {
  compare(one: R, other: R): number
  /** Rows that stay on top, above all groups, whatever the table is sorted by. */
  isPinned?(row: R): boolean
  /** The heading of a row's group; rows without one come first. */
  headingOf?(row: R): string
}

/** The sort after a click on the heading of a column: ascending first, then descending. */
export function nextSort<C extends string>(sort: Sort<C>, column: C): Sort<C> {
  return { column, descending: sort.column === column && !sort.descending }
}

/** The lines of a table: pinned rows, rows without a group, then each group in the order of its first row. */
export function arrangeRows<R>(rows: readonly R[], arrangement: Arrangement<R>): readonly RowOrHeading<R>[] {
  const { compare, isPinned = () => false, headingOf = () => '' } = arrangement
  const sorted = rows.toSorted((one, other) => Number(isPinned(other)) - Number(isPinned(one)) || compare(one, other))
  const groups = new Map<string, R[]>([['', []]])
  for (const row of sorted) {
    const heading = isPinned(row) ? '' : headingOf(row)
    const group = groups.get(heading)
    if (group === undefined) groups.set(heading, [row])
    else group.push(row)
  }
  return [...groups].flatMap(([heading, members]) => [
    ...(heading === '' ? [] : [{ heading, count: members.length }]),
    ...members.map((row) => ({ row })),
  ])
}

/** The set with a member added, or removed if it was in it. */
export function withToggled<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const next = new Set(set)
  if (!next.delete(member)) next.add(member)
  return next
}
