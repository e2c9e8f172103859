import type { ComponentChildren, JSX, RefObject } from 'preact'
import type { RowOrHeading, Sort } from '../view-model/table.ts'
import type { Selection } from './selection.tsx'
import type { VirtualRows } from './virtual-rows.ts'

export interface Column<R> {
  readonly id: string
  readonly title: string
  /** The title is only for screen readers. */
  readonly isUntitled?: boolean
  /** Its place on a phone: the first line, below it, at its right, at the right edge. Without one it is not there. */
  readonly phone?: 'name' | 'line' | 'side' | 'action'
  /** Only where there is room: not on a tablet. */
  readonly isWide?: boolean
  /** Of the table; what is left is shared by the columns without one. */
  readonly width?: string
  readonly isNumber?: boolean
  /** A click on the title sorts by it. */
  readonly sorts?: boolean
  readonly cell: (row: R) => ComponentChildren
}

/** The rows by index; undefined for one that is not loaded yet. */
export interface RowSource<R> {
  readonly count: number
  readonly at: (index: number) => RowOrHeading<R> | undefined
}

/** The element of a table and the part of it that is rendered. */
export interface TableView {
  readonly element: RefObject<HTMLTableElement | null>
  readonly virtual: VirtualRows
}

type RowAttributes = JSX.IntrinsicElements['tr']

export interface TableProps<R> {
  readonly view: TableView
  readonly caption: string
  readonly columns: readonly Column<R>[]
  /** Plain data. */
  readonly rows: RowSource<R>
  readonly keyOf: (row: R) => string
  readonly kind?: string
  readonly sort?: { readonly by: Sort; readonly onSort: (column: string) => void }
  readonly selection?: Selection<R> | undefined
  /** A tree has rows that take the focus, and keys. */
  readonly grid?: JSX.IntrinsicElements['table']
  readonly attributesOf?: (row: R, index: number) => RowAttributes
}
