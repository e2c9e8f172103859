import { dropDraft, useHasDraft } from '../base/draft.ts'
import { t } from '../i18n/texts.ts'
import { Button } from './button.tsx'

interface DraftNoteProps {
  readonly draft: string
  /** Opens the dialog anew. */
  readonly onRestart: () => void
}

/** Says that a dialog holds what was typed before, and offers to begin anew. */
export function DraftNote({ draft, onRestart }: DraftNoteProps) {
  if (!useHasDraft(draft)) return null
  const restart = () => {
    dropDraft(draft)
    onRestart()
  }
  return (
    <p class="draft-note" role="status">
      {t('draft.kept')}{' '}
      <Button kind="quiet" onClick={restart}>
        {t('draft.restart')}
      </Button>
    </p>
  )
}
