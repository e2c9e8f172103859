/** Rows from `first` up to, but without, `end`. */
export interface RowRange {
  readonly first: number
  readonly end: number
}

/** Rows above and below the visible ones, so that a small scroll shows no gap. */
const MARGIN_ROWS = 6
const STEP_ROWS = 6
/** A list that is not longer is rendered as a whole, so that the browser finds text in it. */
const SHORT_ROWS = 50

/**
 * The rows to render of a list whose first row begins `topPx` below the top of the window (negative when it is above
 * it). Aligned to steps, so that a scroll by one row does not render anew.
 */
export function visibleRows(topPx: number, windowPx: number, rowPx: number, count: number): RowRange {
  if (count <= SHORT_ROWS) return { first: 0, end: count }
  const first = Math.floor((-topPx / rowPx - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS
  const end = Math.ceil(((windowPx - topPx) / rowPx + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS
  return { first: Math.min(count, Math.max(0, first)), end: Math.max(0, Math.min(count, end)) }
}

/** The pages, from 1, that hold these rows. */
export function pagesOf({ first, end }: RowRange, perPage: number): readonly number[] {
  if (end <= first) return []
  const from = Math.floor(first / perPage)
  const to = Math.floor((end - 1) / perPage)
  return Array.from({ length: to - from + 1 }, (_, at) => from + at + 1)
}
