import { closeDialog } from '../../base/dialogs.tsx'
import { Button } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'

interface SaveActionsProps {
  readonly busy: boolean
  /** Undefined where it cannot be removed. */
  readonly onRemove: (() => unknown) | undefined
}

/** The buttons of a dialog that changes settings. */
export function SaveActions({ busy, onRemove }: SaveActionsProps) {
  return (
    <>
      {onRemove !== undefined && (
        <span class="edit-remove">
          <Button needs="admin" kind="danger" icon="trash" onClick={onRemove}>
            {t('do.remove')}
          </Button>
        </span>
      )}
      <Button onClick={closeDialog}>{t('do.cancel')}</Button>
      <Button kind="primary" type="submit" disabled={busy}>
        {t('do.save')}
      </Button>
    </>
  )
}
