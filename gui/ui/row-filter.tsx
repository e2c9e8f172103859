import type { ComponentChildren } from 'preact'
import { formatCount } from '../i18n/format.ts'

/** One filter of a list. */
interface Chip<F extends string = string> {
  readonly name: F
  readonly text: string
  readonly count?: number
}

export interface FilterBarProps<F extends string> {
  readonly chips: readonly Chip<F>[]
  readonly chosen: F
  readonly onChoose: (name: F) => void
  readonly text: string
  readonly label: string
  readonly onText: (text: string) => void
  readonly children?: ComponentChildren
}

/** A search field and a chip for each filter, above a list that is long. */
export function FilterBar<F extends string>(props: FilterBarProps<F>) {
  const { chips, chosen, onChoose, text, label, onText, children } = props
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
      <div class="chips">
        {chips.map(({ name, text: title, count }) => (
          <button
            key={name}
            type="button"
            class="button chip"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name)}
          >
            {title} {count !== undefined && <span class="soft">{formatCount(count)}</span>}
          </button>
        ))}
      </div>
      {children}
    </div>
  )
}
