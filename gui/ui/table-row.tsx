import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatCount } from '../i18n/format.ts'
import { PickRow } from './selection.tsx'
import type { Column, TableProps } from './table-props.ts'

interface LineProps<R> {
  readonly table: TableProps<R>
  readonly index: number
  /** In columns. */
  readonly width: number
  readonly onPick: (id: string) => void
}

/** A row, the heading of a group, or the place of a row that is not loaded yet. */
export function TableLine<R>({ table, index, width, onPick }: LineProps<R>) {
  const line = table.rows.at(index)
  if (line !== undefined && 'row' in line) return <Row table={table} row={line.row} index={index} onPick={onPick} />
  return (
    <tr data-index={index} aria-rowindex={index + 2} class={line === undefined ? 'loading' : 'group'}>
      {line === undefined ? (
        <td colSpan={width}>…</td>
      ) : (
        <th colSpan={width} scope="rowgroup">
          {line.heading} <span class="soft">{formatCount(line.count)}</span>
        </th>
      )}
    </tr>
  )
}

interface RowProps<R> extends Pick<LineProps<R>, 'table' | 'index' | 'onPick'> {
  readonly row: R
}

function Row<R>({ table, row, index, onPick }: RowProps<R>) {
  const { columns, selection, grid, attributesOf, keyOf } = table
  const isPicked = selection?.picked.has(keyOf(row)) === true
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      class={isPicked ? 'picked' : undefined}
      {...attributesOf?.(row, index)}
    >
      {selection && <PickRow isPicked={isPicked} name={selection.nameOf(row)} onToggle={() => onPick(keyOf(row))} />}
      <Cells columns={columns} row={row} hasHeader={grid === undefined} />
    </tr>
  )
}

interface CellsProps<R> {
  readonly columns: readonly Column<R>[]
  readonly row: R
  /** The first cell is the header of the row. */
  readonly hasHeader: boolean
}

/** The same elements as before where neither the columns nor the row have changed: those are not rendered again. */
function Cells<R>({ columns, row, hasHeader }: CellsProps<R>) {
  const cells = useMemo(
    () => columns.map((column, at) => cellOf(column, column.cell(row), hasHeader && at === 0)),
    [columns, JSON.stringify(row), hasHeader],
  )
  return <>{cells}</>
}

function cellOf<R>(column: Column<R>, content: ComponentChildren, isHeader: boolean) {
  return isHeader ? (
    <th key={column.id} scope="row" class={classOf(column)}>
      {content}
    </th>
  ) : (
    <td key={column.id} class={classOf(column)}>
      {content}
    </td>
  )
}

export function classOf<R>({ id, phone, isWide, isNumber }: Column<R>): string {
  return `col-${id} on-phone-${phone ?? 'none'}${isWide ? ' wide' : ''}${isNumber ? ' number' : ''}`
}
