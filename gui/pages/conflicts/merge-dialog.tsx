import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ConflictDiffJson } from '../../../src/rest/conflicts.ts'
import { closeDialog, DialogId, openDialog } from '../../base/dialogs.tsx'
import { baseName } from '../../base/paths.ts'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { markCount, markedText, withLineEnds } from '../../view-model/diff-rows.ts'
import { resolveWithQuestion, type ShownConflict } from '../folder/resolve-conflicts.tsx'

const LINES = 18

interface MergeProps {
  readonly diff: ConflictDiffJson
  readonly shown: ShownConflict
  readonly titles: { readonly left: string; readonly right: string }
  /** What the daemon has made of both; undefined where both changed the same lines, or without a common version. */
  readonly merged: string | undefined
  readonly onResolved: () => void
}

/** Opens the editor with the merged text of the daemon, or with both texts where it has none. */
export async function openMerge(props: Omit<MergeProps, 'merged'>): Promise<void> {
  const { folder, hash: right, name, file } = props.shown
  const offer = await client
    .call('GET /rest/twinfold/conflicts/merge', { query: { folder, name } })
    .catch(() => undefined) // both texts are shown as they are
  const isShown = offer?.left.hash === file?.hash && offer?.right.hash === right
  openDialog(() => <MergeDialog {...props} merged={isShown ? offer?.merged : undefined} />)
}

/** Both texts as one, to be edited; it becomes the file. */
function MergeDialog({ diff, shown, titles, merged: offered, onResolved }: MergeProps) {
  const dialogId = useContext(DialogId)
  const { changes, left, original, right } = diff
  const texts = { left: left?.text ?? '', right: right.text ?? '' }
  const begun = useMemo(() => offered ?? markedText(texts, changes, titles), [])
  const [text, setText] = useState(begun)
  // A text may have such lines of its own.
  const marks = Math.max(0, markCount(text) - Math.max(markCount(texts.left), markCount(texts.right)))
  const field = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const area = field.current?.querySelector('textarea')
    const lines = text.split('\n')
    const first = lines.findIndex((line) => markCount(line) > 0)
    if (area) area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, first - 2)
  }, [])
  const save = async () => {
    const merged = text === begun ? text : withLineEnds(text, texts.left)
    if (!(await resolveWithQuestion({ keep: 'merged', conflicts: [shown], merged }))) return
    closeDialog(dialogId)
    onResolved()
  }
  return (
    <Dialog
      title={t('desk.mergeTitle', { name: visibleName(baseName(original)) })}
      wide
      actions={
        <>
          <Button onClick={() => closeDialog(dialogId)}>{t('do.cancel')}</Button>
          <Button kind="primary" disabled={marks > 0} onClick={save}>
            {t('desk.saveMerged')}
          </Button>
        </>
      }
    >
      <p class="soft">{t(offered === undefined ? 'desk.mergeHelp' : 'desk.mergeOffer')}</p>
      <div ref={field} class="merge-text">
        <TextField
          label={t('desk.mergeText')}
          value={text}
          lines={LINES}
          autoFocus
          help={marks > 0 ? t('desk.marksLeft', { n: marks }) : undefined}
          warns
          onChange={setText}
        />
      </div>
    </Dialog>
  )
}
