import type { Scope } from '../../src/core/access.ts'
import { detach } from '../../src/core/errors.ts'
import type { RefObject } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { mayDo, useCanAct } from '../live/access.ts'
import { useLive } from '../live/live.ts'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  readonly text: string
  readonly onSelect: () => unknown
  readonly icon?: IconName
  readonly checked?: boolean
  readonly danger?: boolean
  /** What its user must be allowed to do; it is hidden from others, and so is a menu without entries. */
  readonly needs?: Scope
}

/** A button that opens a list of actions. */
export function Menu({
  label,
  icon,
  text,
  items: given,
}: {
  readonly label: string
  readonly icon: IconName
  readonly text?: string
  readonly items: readonly MenuItem[]
}) {
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const access = useLive((state) => state.access)
  const items = given.filter(({ needs }) => mayDo({ access }, needs))
  usePlaceBelow(list, button, items.length > 0)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const choices = [...(list.current?.querySelectorAll('button') ?? [])]
    if (step === 0 || choices.length === 0) return
    event.preventDefault()
    const at = choices.findIndex((choice) => choice === document.activeElement)
    choices[(at + step + choices.length) % choices.length]?.focus()
  }
  const select = (item: MenuItem) => {
    list.current?.hidePopover()
    button.current?.focus()
    detach(Promise.resolve(item.onSelect()))
  }
  if (items.length === 0) return null
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button quiet${text === undefined ? ' icon-only' : ''}`}
        popovertarget={id}
        aria-label={label}
        aria-haspopup="menu"
        title={label}
      >
        <Icon name={icon} />
        {text !== undefined && <span>{text}</span>}
      </button>
      <div ref={list} id={id} popover="auto" role="menu" aria-label={label} class="menu" onKeyDown={move}>
        {items.map((item) => (
          <MenuEntry key={item.text} item={item} onSelect={() => select(item)} />
        ))}
      </div>
    </>
  )
}

/** A list that opens is placed below its button, inside the window, and its first entry has the focus. */
function usePlaceBelow(
  list: RefObject<HTMLDivElement | null>,
  button: RefObject<HTMLButtonElement | null>,
  isShown: boolean,
): void {
  useEffect(() => {
    const place = (event: ToggleEvent) => {
      const box = button.current?.getBoundingClientRect()
      if (event.newState !== 'open' || box === undefined || list.current === null) return
      list.current.style.top = `${box.bottom + 4}px`
      list.current.style.left = `${Math.max(8, Math.min(box.left, innerWidth - list.current.offsetWidth - 8))}px`
      list.current.querySelector('button')?.focus()
    }
    const element = list.current
    element?.addEventListener('toggle', place)
    return () => element?.removeEventListener('toggle', place)
  }, [isShown])
}

function MenuEntry({ item, onSelect }: { readonly item: MenuItem; readonly onSelect: () => void }) {
  const canAct = useCanAct(item.needs)
  return (
    <button
      type="button"
      role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={item.checked}
      class={item.danger ? 'danger' : undefined}
      disabled={!canAct}
      onClick={onSelect}
    >
      {item.icon ? (
        <Icon name={item.icon} size={16} />
      ) : (
        item.checked !== undefined && <span class="menu-mark">{item.checked && <Icon name="check" size={16} />}</span>
      )}
      {item.text}
    </button>
  )
}
