import { detach } from '../../src/core/errors.ts'
import type { ComponentChildren } from 'preact'
import { useContext, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { closeDialog, DialogId } from '../base/dialogs.tsx'
import { closeInnerPart } from '../base/draft.ts'
import { t } from '../i18n/texts.ts'
import { Button } from './button.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Buttons at the foot. */
  readonly actions?: ComponentChildren
  readonly wide?: boolean
  /** At the right edge of the window, over its whole height. */
  readonly isDrawer?: boolean
  /** Beside the title. */
  readonly tools?: ComponentChildren
  /** Called when the user closes it by Escape or the close button. */
  readonly onClose?: () => void
  /** Makes the dialog a form: Enter in a field and the submit button come here. */
  readonly onSubmit?: () => unknown
}

/** A dialog above the page; the browser keeps the focus inside it and closes it with Escape. */
export function Dialog({
  title,
  children,
  actions,
  wide = false,
  isDrawer = false,
  tools,
  onClose,
  onSubmit,
}: DialogProps) {
  const kind = isDrawer ? ' drawer' : wide ? ' wide' : ''
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const dialogId = useContext(DialogId)
  // A layout effect: a dialog that is drawn and not open is one that was closed.
  useLayoutEffect(() => element.current?.showModal(), [])
  const closed = () => {
    onClose?.()
    closeDialog(dialogId)
  }
  /** The innermost open part first. */
  const escape = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && closeInnerPart()) event.preventDefault()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    detach(Promise.resolve(onSubmit?.()))
  }
  return (
    <dialog ref={element} class={`dialog${kind}`} aria-labelledby={titleId} onClose={closed} onKeyDown={escape}>
      <form class="dialog-form" onSubmit={submit} noValidate>
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {tools}
          <Button kind="quiet" icon="close" label={t('do.close')} onClick={() => element.current?.close()} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions !== undefined && <footer class="dialog-foot">{actions}</footer>}
      </form>
    </dialog>
  )
}
