import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { showDone } from '../../app/run-action.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { t } from '../../i18n/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'

interface AddDialogProps {
  readonly title: string
  readonly name: string
  readonly onName: (name: string) => void
  readonly save: () => Promise<unknown>
  /** Shown when it is saved. */
  readonly done: string
  readonly onAdded: () => void
  readonly children: ComponentChildren
}

/** Adds an entry with a name to a list of the settings; a refusal is shown and the input stays. */
export function AddDialog({ title, name, onName, save, done, onAdded, children }: AddDialogProps) {
  const dialogId = useContext(DialogId)
  const saving = useSaving()
  const submit = async () => {
    if (!(await saving.save(save))) return
    showDone(done, undefined)
    onAdded()
    closeDialog(dialogId)
  }
  const actions = (
    <>
      <Button onClick={() => closeDialog(dialogId)}>{t('do.cancel')}</Button>
      <Button kind="primary" type="submit" disabled={saving.busy}>
        {t('do.add')}
      </Button>
    </>
  )
  return (
    <Dialog title={title} actions={actions} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <TextField label={t('form.device.name')} value={name} onChange={onName} autoFocus />
      {children}
    </Dialog>
  )
}
