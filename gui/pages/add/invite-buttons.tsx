import { openDialog } from '../../base/dialogs.tsx'
import { runAction } from '../../app/run-action.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'

/** The dialogs are loaded when they are opened: few open them, and all load the page. */
export function InviteButton({ folder }: { readonly folder?: string }) {
  const open = () =>
    runAction(async () => {
      const { InviteDialog } = await import('./invite.tsx')
      openDialog(() => <InviteDialog folder={folder} />)
    })
  return (
    <Button needs="admin" onClick={open}>
      {t('invite.button')}
    </Button>
  )
}

export function JoinButton() {
  return (
    <Button needs="admin" onClick={() => openJoin('')}>
      {t('join.button')}
    </Button>
  )
}

/** With the text that was pasted elsewhere. */
export function openJoin(pasted: string): Promise<boolean> {
  return runAction(async () => {
    const { JoinDialog } = await import('./join.tsx')
    openDialog(() => <JoinDialog pasted={pasted} />)
  })
}
