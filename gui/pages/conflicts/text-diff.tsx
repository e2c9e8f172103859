import { useMemo, useState } from 'preact/hooks'
import type { ConflictDiffJson } from '../../../src/rest/conflicts.ts'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
import { Button } from '../../ui/button.tsx'
import { diffRows, linePieces, type DiffLine, type DiffRow } from '../../view-model/diff-rows.ts'

/** Rows that are rendered at first, and with each press of the button. */
const ROWS_AT_ONCE = 300

interface TextDiffProps {
  readonly diff: ConflictDiffJson
  /** What the two columns are headed by. */
  readonly titles: { readonly left: string; readonly right: string }
}

/** Two texts in two columns, with the words that differ inside changed lines. */
export function TextDiff({ diff: { left, right, changes }, titles }: TextDiffProps) {
  const rows = useMemo(
    () => diffRows({ left: left?.text ?? '', right: right.text ?? '' }, changes),
    [left, right, changes],
  )
  const [shown, setShown] = useState(ROWS_AT_ONCE)
  return (
    <>
      <table class="diff">
        <caption class="unseen">{t('desk.compare')}</caption>
        <colgroup>
          <col class="diff-number" />
          <col />
          <col class="diff-number" />
          <col />
        </colgroup>
        <thead class="unseen">
          <tr>
            <th scope="col" colSpan={2}>
              {titles.left}
            </th>
            <th scope="col" colSpan={2}>
              {titles.right}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            <Row key={index} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <p class="diff-more">
          <Button onClick={() => setShown(shown + ROWS_AT_ONCE)}>{t('desk.more')}</Button>
        </p>
      )}
    </>
  )
}

function Row({ row }: { readonly row: DiffRow }) {
  if (row.kind === 'gap')
    return (
      <tr class="diff-gap">
        <td colSpan={4}>{t('desk.gap', { n: row.count })}</td>
      </tr>
    )
  return (
    <tr class={`diff-${row.kind}`}>
      <Side line={row.left} side="left" other={row.right} />
      <Side line={row.right} side="right" other={row.left} />
    </tr>
  )
}

interface SideProps {
  readonly line: DiffLine | undefined
  readonly other: DiffLine | undefined
  readonly side: 'left' | 'right'
}

function Side({ line, other, side }: SideProps) {
  const kind = line === undefined ? 'none' : side
  const isCarriageReturn = line?.text.endsWith('\r\n') === true && other?.text.endsWith('\r\n') !== true
  return (
    <>
      <td class={`diff-number diff-${kind}`}>{line?.number}</td>
      <td class={`diff-text diff-${kind}`}>
        {line !== undefined &&
          linePieces(line).map(({ text, differs }, nth) =>
            differs ? <mark key={nth}>{shownText(text)}</mark> : <span key={nth}>{shownText(text)}</span>,
          )}
        {isCarriageReturn && <mark>\r</mark>}
        {line?.text.endsWith('\n') === false && other?.text.endsWith('\n') !== false && (
          <span class="soft"> ⟨{t('desk.noEnd')}⟩</span>
        )}
      </td>
    </>
  )
}

/** A tab stays one: it is part of most texts. */
function shownText(text: string): string {
  return text.split('\t').map(visibleName).join('\t')
}
