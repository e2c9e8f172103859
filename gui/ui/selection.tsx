import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../i18n/texts.ts'
import { Button } from './button.tsx'

/** Rows that are chosen for an action on all of them. */
export interface Selection<R> {
  readonly picked: ReadonlySet<string>
  readonly onPick: (picked: ReadonlySet<string>) => void
  readonly nameOf: (row: R) => string
  /** The ids of all rows; undefined where not all are loaded. */
  readonly all?: readonly string[]
}

/** The chosen rows among those that are still there. */
export function useSelection<R>(
  all: readonly string[],
  nameOf: (row: R) => string,
): Selection<R> & { readonly clear: () => void } {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const picked = new Set(all.filter((id) => chosen.has(id)))
  return { picked, onPick: setChosen, nameOf, all, clear: () => setChosen(new Set()) }
}

export function PickAll<R>({ selection: { picked, all, onPick } }: { readonly selection: Selection<R> }) {
  const isEvery = all !== undefined && all.length > 0 && all.every((id) => picked.has(id))
  return (
    <th scope="col" class="pick">
      {all === undefined ? (
        <span class="unseen">{t('table.select')}</span>
      ) : (
        <input
          type="checkbox"
          checked={isEvery}
          aria-label={t('table.selectAll')}
          onChange={() => onPick(new Set(isEvery ? [] : all))}
        />
      )}
    </th>
  )
}

interface PickRowProps {
  readonly isPicked: boolean
  readonly name: string
  readonly onToggle: () => void
}

export function PickRow({ isPicked, name, onToggle }: PickRowProps) {
  return (
    <td class="pick">
      <input type="checkbox" checked={isPicked} aria-label={t('table.selectRow', { name })} onChange={onToggle} />
    </td>
  )
}

export interface BulkBarProps {
  readonly count: number
  readonly onClear: () => void
  readonly children: ComponentChildren
}

/** The actions on the chosen rows; above the foot of the window, so that the table does not move. */
export function BulkBar({ count, onClear, children }: BulkBarProps) {
  return count === 0 ? null : (
    <div class="bulk" role="toolbar" aria-label={t('table.bulk')}>
      <span role="status">{t('table.selected', { n: count })}</span>
      {children}
      <Button kind="quiet" icon="close" label={t('table.clear')} onClick={onClear} />
    </div>
  )
}
