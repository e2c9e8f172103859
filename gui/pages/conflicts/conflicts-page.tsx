import { useLayoutEffect, useRef } from 'preact/hooks'
import { detach } from '../../../src/core/errors.ts'
import { reasonOf, runUndo } from '../../app/run-action.ts'
import { latestUndo } from '../../app/toasts.tsx'
import { storedUndo } from '../../app/undo.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { replacePlace } from '../../base/route.ts'
import { t } from '../../i18n/texts.ts'
import { useMay } from '../../live/access.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyNote, Skeleton } from '../../ui/parts.tsx'
import '../../style/conflicts.css'
import { Compare } from './compare.tsx'
import {
  conflictAt,
  ConflictList,
  placeOf,
  useConflicts,
  type ConflictId,
  type ConflictRows,
} from './conflict-list.tsx'
import { DESK_KEYS } from './desk-keys.ts'
import { RuleDialog } from './rule-dialog.tsx'

/** Where list and comparison are side by side. */
const WIDE = '(min-width: 721px)'

interface PageProps {
  /** The conflict of the address. */
  readonly folder: string | undefined
  readonly name: string | undefined
}

/** All conflicts of all folders, and the two versions of the chosen one. */
export function ConflictsPage({ folder, name }: PageProps) {
  const rows = useConflicts()
  const { list } = rows
  const mayResolve = useMay('operate')
  const named: ConflictId | undefined = folder === undefined || name === undefined ? undefined : { folder, name }
  const first = list === undefined || !matchMedia(WIDE).matches ? undefined : conflictAt(list, 0)
  const chosen = named ?? first
  const index = list === undefined ? -1 : placeOf(list, chosen)
  // Where a conflict was when it was resolved: the next one has its place then.
  const place = useRef(0)
  if (index >= 0) place.current = index
  const choose = (wanted: number) => {
    const next = list === undefined ? undefined : conflictAt(list, wanted)
    if (next !== undefined) replacePlace('conflicts', next.folder, next.name)
  }
  const onResolved = () => {
    const next = list && (conflictAt(list, place.current + 1) ?? conflictAt(list, place.current - 1))
    if (next !== undefined && matchMedia(WIDE).matches) replacePlace('conflicts', next.folder, next.name)
    else replacePlace('conflicts')
    rows.again()
  }
  // Layout effects: others run after the next frame, and a key pressed before would be lost or act on what was shown.
  useLayoutEffect(() => DESK_KEYS.follow(), [])
  useLayoutEffect(() =>
    DESK_KEYS.listen(({ detail }) => {
      if (detail === 'j') choose(index + 1)
      if (detail === 'k') choose(Math.max(0, index - 1))
      if (detail === 'u' && mayResolve) undoLatest()
    }),
  )
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.conflicts')}</h1>
        {list !== undefined && list.total > 1 && (
          <Button needs="operate" onClick={() => openDialog(() => <RuleDialog onResolved={rows.again} />)}>
            {t('desk.many')}
          </Button>
        )}
      </header>
      <Listed rows={rows} chosen={index} conflict={chosen} isNamed={named !== undefined} onResolved={onResolved} />
    </>
  )
}

interface ListedProps {
  readonly rows: ConflictRows
  readonly chosen: number
  readonly conflict: ConflictId | undefined
  /** On a phone the list gives way to the conflict that the address names. */
  readonly isNamed: boolean
  readonly onResolved: () => void
}

function Listed({ rows, chosen, conflict, isNamed, onResolved }: ListedProps) {
  const { list } = rows
  if (list === undefined) return <Skeleton lines={8} />
  if (list.error !== undefined && list.pages.size === 0)
    return <EmptyNote>{t('fold.failed', { reason: reasonOf(list.error) })}</EmptyNote>
  if (list.total === 0 && conflict === undefined) return <EmptyNote>{t('desk.none')}</EmptyNote>
  return (
    <div class={`desk${isNamed ? ' desk-named' : ''}`}>
      <ConflictList rows={rows} list={list} chosen={chosen} />
      <div class="desk-conflict">
        <a class="desk-back" href={addressOf('conflicts')}>
          <Icon name="chevron" size={16} /> {t('desk.back')}
        </a>
        {conflict === undefined ? (
          <EmptyNote>{t('desk.choose')}</EmptyNote>
        ) : (
          <Compare key={`${conflict.folder} ${conflict.name}`} conflict={conflict} onResolved={onResolved} />
        )}
      </div>
    </div>
  )
}

/** Also after its message is gone, or after a reload of the page. */
function undoLatest(): void {
  const stored = storedUndo()
  const latest = latestUndo() ?? (stored && { run: () => detach(runUndo(stored.tokens)) })
  latest?.run()
}
