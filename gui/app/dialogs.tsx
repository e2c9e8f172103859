import type { VNode } from 'preact'
import { Store, useStore } from '../live/store.ts'

const open = new Store<readonly (() => VNode)[]>([])

/** Shows a dialog above the page. It is drawn by `draw` until `closeDialog`. */
export function openDialog(draw: () => VNode): void {
  open.update((list) => [...list, draw])
}

/** Closes the one on top. */
export function closeDialog(): void {
  open.update((list) => list.slice(0, -1))
}

/** All dialogs that are open, the latest on top. */
export function Dialogs() {
  const list = useStore(open, (value) => value)
  return <>{list.map((Draw, index) => <Draw key={index} />)}</>
}
