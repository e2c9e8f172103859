import { useLayoutEffect, useRef } from 'preact/hooks'
import { detach } from '../../../src/core/errors.ts'
import { compareTimes } from '../../../src/core/conflicts/rule.ts'
import { ClientError } from '../../../src/client/errors.ts'
import type { ConflictDiffJson } from '../../../src/rest/conflicts.ts'
import { baseName } from '../../base/paths.ts'
import { useStore } from '../../base/store.ts'
import { visibleName } from '../../base/visible-name.ts'
import { formatMoment, formatSize } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useFolderRevision, useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote, TimeAgo } from '../../ui/parts.tsx'
import { deviceNameById } from '../../view-model/device.ts'
import { linePieces } from '../../view-model/diff-rows.ts'
import { previewKind } from '../../view-model/preview.ts'
import { splitLines } from '../../../src/core/diff/line-diff.ts'
import { DownloadLink, openViewer } from '../folder/file-viewer.tsx'
import { QueryResult } from '../folder/query-result.tsx'
import type { ConflictId } from './conflict-list.tsx'
import { DESK_KEYS } from './desk-keys.ts'
import { openMerge } from './merge-dialog.tsx'
import { PictureDiff } from './picture-diff.tsx'
import { resolveWithQuestion, resolving, type Keep } from '../folder/resolve-conflicts.tsx'
import { TextDiff } from './text-diff.tsx'

interface CompareProps {
  readonly conflict: ConflictId
  /** The conflict is resolved: the next one is shown. */
  readonly onResolved: () => void
}

/** The two versions of one conflict, and what can be done with them. */
export function Compare({ conflict: { folder, name }, onResolved }: CompareProps) {
  const revision = useFolderRevision(folder)
  const isResolving = useStore(resolving, (count) => count > 0)
  const shown = useRef(revision)
  if (!isResolving) shown.current = revision
  const query = useQuery(
    `${folder} ${name}`,
    (signal) => client.call('GET /rest/twinfold/conflicts/diff', { query: { folder, name }, signal }),
    shown.current,
  )
  const isGone = query.error instanceof ClientError && query.error.status === 404
  if (isGone) return <EmptyNote>{t('desk.gone')}</EmptyNote>
  return <QueryResult query={query}>{(diff) => <Loaded diff={diff} onResolved={onResolved} />}</QueryResult>
}

type Side = 'left' | 'right'

function Loaded({ diff, onResolved }: { readonly diff: ConflictDiffJson; readonly onResolved: () => void }) {
  const state = useLive((value) => value)
  const { folder, kind, left, name, original, reason, right } = diff
  const titles = {
    left: deviceNameById(state, left?.modifiedBy ?? ''),
    right: deviceNameById(state, right.modifiedBy),
  }
  const shown = { folder, name, hash: right.hash, file: left }
  const keep = async (choice: Keep) => {
    if (await resolveWithQuestion({ keep: choice, conflicts: [shown] })) onResolved()
  }
  const merge = () => openMerge({ diff, shown, titles, onResolved })
  // A layout effect, so that a key counts as soon as the versions are shown.
  useLayoutEffect(() => {
    const press = ({ detail }: CustomEvent<string>) => {
      if (detail === '1') detach(keep('original'))
      if (detail === '2') detach(keep('copy'))
      if (detail === '3' && kind !== 'same') detach(keep('both'))
      if (detail === 'm' && kind === 'text') detach(merge())
    }
    return DESK_KEYS.listen(press)
  })
  const order = left === null ? 0 : compareTimes(left, right)
  const newer: Side | undefined = order === 0 ? undefined : order > 0 ? 'left' : 'right'
  const keepText = (side: Side): string => {
    if (left === null) return t(side === 'left' ? 'desk.removeCopy' : 'desk.keepOf', { device: titles.right })
    if (kind === 'same' && side === 'left') return t('desk.removeCopy')
    if (titles.left !== titles.right) return t('desk.keepOf', { device: titles[side] })
    if (newer !== undefined) return t(side === newer ? 'desk.keepNewer' : 'desk.keepOlder')
    return t(side === 'left' ? 'conflicts.keepFile' : 'conflicts.keepCopy', { n: 1 })
  }
  return (
    <article class="compare" aria-label={visibleName(original)}>
      <h2 class="compare-title" title={visibleName(original)}>
        {visibleName(original)}
      </h2>
      <div class="sides">
        <SideHead diff={diff} side="left" title={titles.left} isNewer={newer === 'left'}>
          <KeepButton text={keepText('left')} shortcut="1" onClick={() => keep('original')} />
        </SideHead>
        <SideHead diff={diff} side="right" title={titles.right} isNewer={newer === 'right'}>
          {kind !== 'same' && <KeepButton text={keepText('right')} shortcut="2" onClick={() => keep('copy')} />}
        </SideHead>
      </div>
      {kind !== 'same' && (
        <div class="both">
          <KeepButton text={t('desk.keepBoth')} shortcut="3" onClick={() => keep('both')} />
          {kind === 'text' && <KeepButton text={t('desk.merge')} shortcut="m" onClick={merge} />}
        </div>
      )}
      {kind === 'same' && <p class="soft">{t('desk.same')}</p>}
      {kind === 'text' && <TextDiff diff={diff} titles={titles} />}
      {kind === 'picture' && <PictureDiff diff={diff} titles={titles} />}
      {reason !== undefined && reason !== 'no-file' && <p class="soft">{t(`desk.${reason}`)}</p>}
    </article>
  )
}

interface KeepButtonProps {
  readonly text: string
  readonly shortcut: string
  readonly onClick: () => unknown
}

function KeepButton({ text, shortcut, onClick }: KeepButtonProps) {
  return (
    <Button needs="operate" title={`${text} (${shortcut})`} onClick={onClick}>
      {text} <kbd aria-hidden="true">{shortcut}</kbd>
    </Button>
  )
}

interface SideHeadProps {
  readonly diff: ConflictDiffJson
  readonly side: Side
  readonly title: string
  readonly isNewer: boolean
  readonly children: preact.ComponentChildren
}

/** By which device, when, how large, and the first line that differs. */
function SideHead({ diff, side, title, isNewer, children }: SideHeadProps) {
  const { folder, kind, name, original } = diff
  const facts = diff[side]
  const path = side === 'left' ? original : name
  const shownName = visibleName(baseName(path))
  if (facts === null)
    return (
      <section class={`side-head side-${side}`}>
        <p>{t('desk.noFile', { name: shownName })}</p>
        {children}
      </section>
    )
  const preview = previewKind(path, facts.sizeBytes)
  return (
    <section class={`side-head side-${side}`}>
      <h3>{title}</h3>
      <p>
        {formatMoment(Date.parse(facts.modified))}{' '}
        <span class="soft">
          (<TimeAgo time={facts.modified} />)
        </span>{' '}
        · {formatSize(facts.sizeBytes)}
        {isNewer && <span class="tag">{t('desk.newer')}</span>}
      </p>
      <FirstLine diff={diff} side={side} />
      <p class="soft side-name" title={visibleName(path)}>
        {t(side === 'left' ? 'desk.isFile' : 'desk.isCopy', { name: shownName })}
      </p>
      <div class="side-actions">
        {children}
        {kind !== 'text' && preview !== undefined && (
          <Button
            icon="eye"
            label={t('view.openNamed', { name: shownName })}
            onClick={() => openViewer({ folder, path }, preview)}
          >
            {t('view.open')}
          </Button>
        )}
        {kind !== 'text' && <DownloadLink file={{ folder, path }} />}
      </div>
    </section>
  )
}

function FirstLine({ diff, side }: { readonly diff: ConflictDiffJson; readonly side: Side }) {
  const [change] = diff.changes
  if (change === undefined) return null
  const start = side === 'left' ? change.leftStart : change.rightStart
  const count = side === 'left' ? change.leftCount : change.rightCount
  const line = count === 0 ? undefined : splitLines(diff[side]?.text ?? '')[start]
  const text =
    line === undefined
      ? '–'
      : linePieces({ text: line, parts: [] })
          .map((piece) => piece.text)
          .join('')
  return <p class="first-line">{t('desk.line', { line: start + 1, text: visibleName(text) })}</p>
}
