import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { visibleRows, type RowRange } from '../base/visible-rows.ts'

/** Before the first row has been measured. */
const ROW_PX = 32

export interface VirtualRows {
  readonly range: RowRange
  /** Heights of what is left out above and below. */
  readonly abovePx: number
  readonly belowPx: number
  /** Brings a row into sight. */
  readonly reveal: (index: number) => void
}

/**
 * Renders of a long table only the rows in sight of the window. All rows have the height of the first, which depends on
 * `look` and the width of the window alone: reading it after each rendering would compute the layout twice.
 */
export function useVirtual(table: RefObject<HTMLTableElement | null>, count: number, look: string): VirtualRows {
  const [rowPx, setRowPx] = useState(ROW_PX)
  const [range, setRange] = useState<RowRange>(() => visibleRows(0, innerHeight, ROW_PX, count))
  const update = useCallback(() => {
    const body = table.current?.tBodies[0]
    if (body === undefined) return
    const next = visibleRows(body.getBoundingClientRect().top, innerHeight, rowPx, count)
    setRange((before) => (before.first === next.first && before.end === next.end ? before : next))
  }, [count, rowPx])
  const measure = () => {
    const height = table.current?.querySelector<HTMLElement>('tr[data-index]')?.offsetHeight ?? 0
    if (height > 0) setRowPx(height)
  }
  const { first, end } = { first: Math.min(range.first, count), end: Math.min(range.end, count) }
  useLayoutEffect(measure, [look, end > first])
  useLayoutEffect(update, [update])
  useEffect(() => {
    const resize = () => {
      measure()
      update()
    }
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', resize)
    return () => {
      removeEventListener('scroll', update)
      removeEventListener('resize', resize)
    }
  }, [update])
  const reveal = (index: number) => {
    const body = table.current?.tBodies[0]
    if (body === undefined) return
    const topPx = body.getBoundingClientRect().top + index * rowPx
    const margin = 3 * rowPx
    if (topPx < margin) scrollBy({ top: topPx - margin })
    else if (topPx > innerHeight - margin) scrollBy({ top: topPx - innerHeight + margin })
  }
  return { range: { first, end }, abovePx: first * rowPx, belowPx: (count - end) * rowPx, reveal }
}
