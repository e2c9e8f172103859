import type { ComponentChild } from 'preact'
import type { RowKey } from '../view-model/row-order.ts'
import type { LiveState } from '../live/state.ts'
import { t } from '../i18n/texts.ts'
import { EmptyNote } from './parts.tsx'
import { RowGrid, overviewParts, RowListBar, useRowList } from './row-list.tsx'
import { useSelection } from './selection.tsx'
import { linesSource, Table, useTableView } from './table.tsx'
import type { Column } from './table-props.ts'

interface TableProps {
  readonly kind: 'device' | 'folder'
  readonly caption: string
  readonly columns: readonly Column<RowKey>[]
  keysOf(state: LiveState): readonly RowKey[]
}

interface RowTableProps extends TableProps {
  readonly filterLabel: string
  bulk(ids: readonly string[], clear: () => void): ComponentChild
}

/** All folders or devices, with a filter, an order and a selection. */
export function RowTable({ kind, caption, columns, keysOf, filterLabel, bulk }: RowTableProps) {
  const list = useRowList(keysOf)
  const shown = list.lines.flatMap((line) => ('row' in line ? [line.row.id] : []))
  const selection = useSelection<RowKey>(shown, ({ name }) => name)
  const view = useTableView(list.lines.length)
  return (
    <>
      <RowListBar list={list} label={filterLabel} />
      {list.lines.length === 0 ? (
        <EmptyNote>{t('filter.none')}</EmptyNote>
      ) : (
        <Table
          view={view}
          kind={`${kind}s-table`}
          caption={caption}
          columns={columns}
          rows={linesSource(list.lines)}
          keyOf={({ id }) => id}
          sort={list.sort}
          selection={selection}
        />
      )}
      {bulk([...selection.picked], selection.clear)}
    </>
  )
}

interface RowOverviewProps extends TableProps {
  hrefOf(id: string): string
}

/** Those that need a look as rows; the others, where there are many, as a grid of names. */
export function RowOverview({ kind, caption, columns, keysOf, hrefOf }: RowOverviewProps) {
  const { grid, lines } = overviewParts(useRowList(keysOf))
  const view = useTableView(lines.length)
  return (
    <>
      {lines.length > 0 && (
        <Table
          view={view}
          kind={`${kind}s-table plain`}
          caption={caption}
          columns={columns}
          rows={linesSource(lines)}
          keyOf={({ id }) => id}
        />
      )}
      <RowGrid kind={kind} grid={grid} hrefOf={hrefOf} />
    </>
  )
}
