import { Store, useStore } from '../base/store.ts'
import { Button } from '../ui/button.tsx'
import { t } from '../i18n/texts.ts'

interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly undo: (() => void) | undefined
}

const SHOWN_MS = 6_000
/** There must be time to decide. */
const UNDO_SHOWN_MS = 12_000
/** While the pointer or the focus is on them they stay. */
const HELD_MS = 2_000
const HELD = '.toasts:hover, .toasts:focus-within'
const SHOWN_MAX = 4
const toasts = new Store<readonly Toast[]>([])
let nextId = 1

/** Shows for a moment that something succeeded or failed, with a button that undoes it where that is possible. */
export function showToast(kind: Toast['kind'], text: string, undo?: () => void): void {
  const id = nextId++
  toasts.update((list) => [...list, { id, kind, text, undo }].slice(-SHOWN_MAX))
  hideAfter(id, undo === undefined ? SHOWN_MS : UNDO_SHOWN_MS)
}

function hideAfter(id: number, timeMs: number): void {
  setTimeout(() => {
    if (document.querySelector(HELD) === null) hide(id)
    else hideAfter(id, HELD_MS)
  }, timeMs)
}

function hide(id: number): void {
  toasts.update((list) => list.filter((toast) => toast.id !== id))
}

/** What can be undone now: the latest action whose toast is still shown. */
export function latestUndo(): { readonly text: string; readonly run: () => void } | undefined {
  const toast = toasts.get().findLast(({ undo }) => undo !== undefined)
  return toast && { text: toast.text, run: () => undoBy(toast) }
}

function undoBy({ id, undo }: Toast): void {
  hide(id)
  undo?.()
}

export function Toasts() {
  const list = useStore(toasts, (value) => value)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {list.map((toast) => (
        <div key={toast.id} class={`toast ${toast.kind}`}>
          <span>{toast.text}</span>
          {toast.undo && <Button onClick={() => undoBy(toast)}>{t('undo.do')}</Button>}
        </div>
      ))}
    </div>
  )
}
