import type { Scope } from '../../src/core/access.ts'
import { detach } from '../../src/core/errors.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useCanAct, useMay } from '../live/access.ts'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps {
  readonly children?: ComponentChildren
  readonly icon?: IconName
  /** Its purpose, for screen readers, where there is only an icon. */
  readonly label?: string
  readonly kind?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  /** What its user must be allowed to do; it is hidden from others. */
  readonly needs?: Scope
  readonly pressed?: boolean
  readonly title?: string
  /** Until a promise is settled, further clicks are ignored. */
  readonly onClick?: () => unknown
}

export function Button({
  children,
  icon,
  label,
  kind = 'plain',
  type = 'button',
  disabled = false,
  needs,
  pressed,
  title,
  onClick,
}: ButtonProps) {
  const [busy, setBusy] = useState(false)
  const isAllowed = useMay(needs)
  const canAct = useCanAct(needs)
  const press = async () => {
    if (busy) return
    const doing = onClick?.()
    if (!(doing instanceof Promise)) return
    setBusy(true)
    await doing.finally(() => setBusy(false))
  }
  if (!isAllowed) return null
  return (
    <button
      type={type}
      class={`button ${kind}${children === undefined ? ' icon-only' : ''}`}
      disabled={disabled || !canAct}
      aria-disabled={busy ? true : undefined} // not disabled: the focus returns here when a question is answered
      aria-busy={busy}
      aria-label={label}
      aria-pressed={pressed}
      title={title ?? (children === undefined ? label : undefined)}
      onClick={() => detach(press())}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}
