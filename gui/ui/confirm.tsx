import { useContext } from 'preact/hooks'
import { closeDialog, DialogId, openDialog } from '../base/dialogs.tsx'
import { t } from '../i18n/texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { PlanView, type PlannedAction } from './plan.tsx'

export interface Question {
  readonly title: string
  /** The consequences: what is affected, how many items, and whether a copy is kept. */
  readonly text: string
  /** The label of the confirming button. */
  readonly action: string
  readonly danger?: boolean
  /** What it does to files is shown. */
  readonly plans?: readonly PlannedAction[]
}

/** Confirms something that is hard to undo. Resolves to whether the user confirmed. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    openDialog(() => <ConfirmDialog {...question} onDecision={resolve} />)
  })
}

function ConfirmDialog({
  title,
  text,
  action,
  danger = false,
  plans = [],
  onDecision,
}: Question & { readonly onDecision: (yes: boolean) => void }) {
  const dialogId = useContext(DialogId)
  const decide = (yes: boolean) => {
    onDecision(yes)
    closeDialog(dialogId)
  }
  const actions = (
    <>
      <Button onClick={() => decide(false)}>{t('do.cancel')}</Button>
      <Button kind={danger ? 'danger' : 'primary'} onClick={() => decide(true)}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog title={title} actions={actions} onClose={() => onDecision(false)}>
      <p class="confirm-text">{text}</p>
      {plans.length > 0 && <PlanView plans={plans} />}
    </Dialog>
  )
}
