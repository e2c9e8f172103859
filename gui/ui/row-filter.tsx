import { ROW_FILTERS, type RowFilter } from '../facts/row-order.ts'
import { t } from '../words/words.ts'

const NAMES = Object.keys(ROW_FILTERS) as readonly RowFilter[]

/** Below this a list is read at a glance. */
const ROWS_MIN = 8

export interface RowFilterBarProps {
  readonly counts: Readonly<Record<RowFilter, number>>
  readonly filter: RowFilter
  readonly text: string
  readonly label: string
  readonly onFilter: (filter: RowFilter) => void
  readonly onText: (text: string) => void
}

/** A search field and a chip for each state that occurs, above a list that is long. */
export function RowFilterBar({ counts, filter, text, label, onFilter, onText }: RowFilterBarProps) {
  if (counts.all < ROWS_MIN) return null
  const shown = NAMES.filter((name) => name === 'all' || name === filter || counts[name] > 0)
  return (
    <div class="row-filter" role="search">
      <input
        type="search"
        value={text}
        placeholder={label}
        aria-label={label}
        spellcheck={false}
        autoComplete="off"
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          class="button chip"
          aria-pressed={name === filter}
          onClick={() => onFilter(name)}
        >
          {t(`filter.${name}`)} {counts[name]}
        </button>
      ))}
    </div>
  )
}
