import { useMemo, useRef } from 'preact/hooks'
import { withToggled, type RowOrHeading } from '../view-model/table.ts'
import { useLive } from '../live/live.ts'
import { useStore } from '../base/store.ts'
import { currentTexts } from '../i18n/texts.ts'
import { density } from './density.ts'
import { Icon } from './icon.tsx'
import { PickAll } from './selection.tsx'
import { Spacer } from './spacer.tsx'
import type { Column, RowSource, TableProps, TableView } from './table-props.ts'
import { classOf, TableLine } from './table-row.tsx'
import { useVirtual } from './virtual-rows.ts'

export function linesSource<R>(lines: readonly RowOrHeading<R>[]): RowSource<R> {
  return { count: lines.length, at: (index) => lines[index] }
}

export function rowsSource<R>(rows: readonly R[]): RowSource<R> {
  return {
    count: rows.length,
    at: (index) => (index in rows ? { row: rows[index] as R } : undefined),
  }
}

export function useTableView(count: number): TableView {
  const element = useRef<HTMLTableElement>(null)
  const look = useStore(density, (value) => value)
  return { element, virtual: useVirtual(element, count, look) }
}

/**
 * The columns of a long table, made again only when one of the `inputs`, the configuration or the language changes. A
 * row is rendered again only for new columns, or when it is not the same data any more.
 */
export function useColumns<R>(make: () => readonly Column<R>[], inputs: readonly unknown[] = []): readonly Column<R>[] {
  const texts = useStore(currentTexts, (value) => value)
  const config = useLive((state) => state.config)
  return useMemo(make, [texts, config, ...inputs])
}

/** Every long list of the page: only rows in sight are rendered, all of the same height. */
export function Table<R>(props: TableProps<R>) {
  const { view, caption, columns, rows, kind = '', selection, grid } = props
  const { range, abovePx, belowPx } = view.virtual
  // A cell over more columns than are shown would add one.
  const width = columns.filter(({ isWide }) => isWide !== true).length + (selection === undefined ? 0 : 1)
  const indexes = Array.from({ length: range.end - range.first }, (_, at) => range.first + at)
  const pick = (id: string) => selection?.onPick(withToggled(selection.picked, id))
  return (
    <table ref={view.element} class={`table ${kind}`} aria-rowcount={rows.count + 1} {...grid}>
      <caption class="unseen">{caption}</caption>
      <colgroup>
        {selection && <col class="pick" />}
        {columns.map((column) => (
          <col key={column.id} class={classOf(column)} style={column.width ? { width: column.width } : {}} />
        ))}
      </colgroup>
      <Head {...props} />
      <tbody>
        <Spacer heightPx={abovePx} />
        {indexes.map((index) => (
          <TableLine key={lineKey(props, index)} table={props} index={index} width={width} onPick={pick} />
        ))}
        <Spacer heightPx={belowPx} />
      </tbody>
    </table>
  )
}

function lineKey<R>({ rows, keyOf }: TableProps<R>, index: number): string {
  const line = rows.at(index)
  if (line === undefined) return `#${index}`
  return 'heading' in line ? `heading ${line.heading}` : `row ${keyOf(line.row)}`
}

function Head<R>({ columns, sort, selection }: TableProps<R>) {
  return (
    <thead>
      <tr>
        {selection && <PickAll selection={selection} />}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            class={classOf(column)}
            aria-sort={sort?.by.column === column.id ? (sort.by.descending ? 'descending' : 'ascending') : undefined}
          >
            {column.sorts && sort ? (
              <button type="button" class="sort" onClick={() => sort.onSort(column.id)}>
                {column.title}
                {sort.by.column === column.id && <Icon name={sort.by.descending ? 'down' : 'up'} size={12} />}
              </button>
            ) : (
              <span class={column.isUntitled ? 'unseen' : undefined}>{column.title}</span>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}
