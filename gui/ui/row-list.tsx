import { useMemo, useState } from 'preact/hooks'
import { useParam } from '../app/route.ts'
import {
  BY_NAME,
  calmRows,
  filterCounts,
  orderedRows,
  ROW_FILTERS,
  type RowFilter,
  type RowKey,
  type RowSort,
} from '../facts/row-order.ts'
import { nextSort, type Line } from '../facts/table.ts'
import { useLive } from '../live/live.ts'
import type { LiveState } from '../live/state.ts'
import { language } from '../words/language.ts'
import { t } from '../words/words.ts'
import { Identity } from './identity.tsx'
import { FilterBar } from './row-filter.tsx'

const FILTERS = Object.keys(ROW_FILTERS) as readonly RowFilter[]

/** Below this a list is read at a glance. */
const FILTER_FROM = 8
/** More rows than this do not fit on one screen: on the overview the calm ones become a grid. */
const OVERVIEW_ROWS_MAX = 12

export interface RowList {
  readonly rows: readonly RowKey[]
  readonly lines: readonly Line<RowKey>[]
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
  return { rows, lines: orderedRows(rows, order), sort: { by, onSort }, filter, onFilter, text, onText }
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
export function overviewParts({ rows, lines }: Pick<RowList, 'rows' | 'lines'>) {
  const calm = calmRows(rows, OVERVIEW_ROWS_MAX)
  const inGrid = new Set([...calm.values()].flatMap((members) => members.map(({ id }) => id)))
  return { calm, lines: calm.size === 0 ? lines : lines.filter((line) => 'row' in line && !inGrid.has(line.row.id)) }
}

export interface CalmGridProps {
  readonly kind: 'folder' | 'device'
  readonly calm: ReadonlyMap<RowFilter, readonly RowKey[]>
  readonly hrefOf: (id: string) => string
}

/** The names of those that need no look, by state. */
export function CalmGrid({ kind, calm, hrefOf }: CalmGridProps) {
  const collator = new Intl.Collator(language.get(), { numeric: true, sensitivity: 'base' })
  return (
    <div class="calm">
      {FILTERS.filter((name) => calm.has(name)).map((name) => (
        <section key={name}>
          <h3>
            {filterText(name)} <span class="soft">{calm.get(name)?.length}</span>
          </h3>
          <ul>
            {calm
              .get(name)
              ?.toSorted((one, other) => collator.compare(one.name, other.name))
              .map(({ id, name: text }) => (
                <li key={id}>
                  <a href={hrefOf(id)} title={text}>
                    <Identity kind={kind} id={id} />
                    <span class="calm-name">{text}</span>
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
