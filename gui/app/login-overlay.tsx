import { useEffect, useRef } from 'preact/hooks'
import { LoginPage } from '../pages/login/login-page.tsx'
import { t } from '../i18n/texts.ts'

/** The login above a page whose session has expired: input on the page is kept. */
export function LoginOverlay() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="locked" aria-label={t('link.locked')} onCancel={(event) => event.preventDefault()}>
      <LoginPage />
    </dialog>
  )
}
