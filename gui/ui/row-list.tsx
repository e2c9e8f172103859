import { useMemo, useState } from 'preact/hooks'
import { useParam } from '../base/route.ts'
import {
  BY_NAME,
  gridRows,
  filterCounts,
  orderedRows,
  ROW_FILTERS,
  type GridRows,
  type RowFilter,
  type RowKey,
  type RowSort,
} from '../view-model/row-order.ts'
import { nextSort, type RowOrHeading } from '../view-model/table.ts'
import { useLive } from '../live/live.ts'
import type { LiveState } from '../live/state.ts'
import { language } from '../i18n/language.ts'
import { visibleName } from '../base/visible-name.ts'
import { t } from '../i18n/texts.ts'
import { Identity } from './identity.tsx'
import { FilterBar } from './row-filter.tsx'

const FILTERS = Object.keys(ROW_FILTERS) as readonly RowFilter[]

/** Below this a list is read at a glance. */
const FILTER_FROM = 8
/** More rows than this do not fit on one screen: on the overview those that need no look become a grid. */
const OVERVIEW_ROWS_MAX = 12

export interface RowList {
  readonly rows: readonly RowKey[]
  readonly lines: readonly RowOrHeading<RowKey>[]
  /** Other rows in the same order. */
  readonly linesOf: (rows: readonly RowKey[]) => readonly RowOrHeading<RowKey>[]
  readonly sort: { readonly by: RowSort; readonly onSort: (column: string) => void }
  readonly filter: RowFilter
  readonly onFilter: (filter: RowFilter) => void
  readonly text: string
  readonly onText: (text: string) => void
}

/** The folders or devices in the order and with the filters that the user chose. `keysOf` must be a constant. */
export function useRowList(keysOf: (state: LiveState) => readonly RowKey[]): RowList {
  const [chosen, onFilter] = useParam('filter')
  const [text, onText] = useParam('search')
  const filter = FILTERS.find((name) => name === chosen) ?? 'all'
  const [by, setBy] = useState<RowSort>(BY_NAME)
  const keys = useLive((state) => JSON.stringify(keysOf(state))) // compared by value
  const rows = useMemo(() => JSON.parse(keys) as readonly RowKey[], [keys])
  const order = { filter, text, sort: by, language: language.get(), textOf: filterText }
  const onSort = (column: string) => setBy(nextSort(by, column as RowSort['column']))
  const linesOf = (some: readonly RowKey[]) => orderedRows(some, order)
  return { rows, lines: linesOf(rows), linesOf, sort: { by, onSort }, filter, onFilter, text, onText }
}

function filterText(filter: RowFilter): string {
  return t(`filter.${filter}`)
}

/** The filters of a long list, one for each state that occurs. */
export function RowListBar({ list, label }: { readonly list: RowList; readonly label: string }) {
  if (list.rows.length < FILTER_FROM) return null
  const counts = filterCounts(list.rows)
  const chips = FILTERS.filter((name) => name === 'all' || name === list.filter || counts[name] > 0)
  return (
    <FilterBar
      chips={chips.map((name) => ({ name, text: filterText(name), count: counts[name] }))}
      chosen={list.filter}
      onChoose={list.onFilter}
      text={list.text}
      label={label}
      onText={list.onText}
    />
  )
}

/** What of a list stays a row on the overview, and what becomes a grid. */
export function overviewParts({ rows, lines, linesOf }: Pick<RowList, 'rows' | 'lines' | 'linesOf'>) {
  const grid = gridRows(rows, OVERVIEW_ROWS_MAX, language.get())
  const inGrid = new Set(grid.flatMap((part) => part.rows.map(({ id }) => id)))
  return { grid, lines: grid.length === 0 ? lines : linesOf(rows.filter(({ id }) => !inGrid.has(id))) }
}

export interface RowGridProps {
  readonly kind: 'folder' | 'device'
  readonly grid: readonly GridRows[]
  readonly hrefOf: (id: string) => string
}

/** The names of those that need no look, by group and state. */
export function RowGrid({ kind, grid, hrefOf }: RowGridProps) {
  return (
    <div class="row-grid">
      {grid.map(({ filter, group, rows }) => (
        <section key={`${filter} ${group}`}>
          <h3>
            {group === '' ? filterText(filter) : `${visibleName(group)} · ${filterText(filter)}`}{' '}
            <span class="soft">{rows.length}</span>
          </h3>
          <ul>
            {rows.map(({ id, name: text }) => (
              <li key={id}>
                <a href={hrefOf(id)} title={text}>
                  <Identity kind={kind} id={id} />
                  <span class="row-grid-name">{text}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
