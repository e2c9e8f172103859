import { Store, useStore } from '../live/store.ts'

interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
}

const SHOWN_MS = 6_000
const SHOWN_MAX = 4
const toasts = new Store<readonly Toast[]>([])
let nextId = 1

/** Shows for a moment that something succeeded or failed. */
export function showToast(kind: Toast['kind'], text: string): void {
  const id = nextId++
  toasts.update((list) => [...list, { id, kind, text }].slice(-SHOWN_MAX))
  setTimeout(() => toasts.update((list) => list.filter((toast) => toast.id !== id)), SHOWN_MS)
}

export function Toasts() {
  const list = useStore(toasts, (value) => value)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {list.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          {text}
        </div>
      ))}
    </div>
  )
}
