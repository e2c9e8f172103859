import { closeDialog } from '../../base/dialogs.tsx'
import { dropDraft } from '../../base/draft.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'

interface SaveActionsProps {
  /** Dropped by *Cancel*; Escape keeps it. */
  readonly draft: string
  readonly busy: boolean
  /** Undefined where it cannot be removed. */
  readonly onRemove: (() => unknown) | undefined
}

/** The buttons of a dialog that changes settings. */
export function SaveActions({ draft, busy, onRemove }: SaveActionsProps) {
  return (
    <>
      {onRemove !== undefined && (
        <span class="edit-remove">
          <Button needs="admin" kind="danger" icon="trash" onClick={onRemove}>
            {t('do.remove')}
          </Button>
        </span>
      )}
      <CancelButton draft={draft} />
      <Button kind="primary" type="submit" disabled={busy}>
        {t('do.save')}
      </Button>
    </>
  )
}

/** Closes the dialog and forgets what was typed into it. */
export function CancelButton({ draft }: Pick<SaveActionsProps, 'draft'>) {
  const cancel = () => {
    dropDraft(draft)
    closeDialog()
  }
  return <Button onClick={cancel}>{t('do.cancel')}</Button>
}
