import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { ConflictDiffJson } from '../../../src/rest/conflicts.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { baseName } from '../../base/paths.ts'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
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
  readonly onResolved: () => void
}

/** Both texts as one, to be edited; it becomes the file. */
export function MergeDialog({ diff, shown, titles, onResolved }: MergeProps) {
  const dialogId = useContext(DialogId)
  const { changes, left, original, right } = diff
  const texts = { left: left?.text ?? '', right: right.text ?? '' }
  const [text, setText] = useState(() => markedText(texts, changes, titles))
  const marks = markCount(text)
  const field = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const area = field.current?.querySelector('textarea')
    const lines = text.split('\n')
    const first = lines.findIndex((line) => markCount(line) > 0)
    if (area) area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, first - 2)
  }, [])
  const save = async () => {
    const merged = withLineEnds(text, texts.left)
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
      <p class="soft">{t('desk.mergeHelp')}</p>
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
