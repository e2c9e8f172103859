import { createContext, type VNode } from 'preact'
import { Store, useStore } from './store.ts'

interface OpenDialog {
  readonly id: number
  readonly draw: () => VNode
  /** The address of what it shows, where that has one. */
  readonly address: string | undefined
}

/** The open dialogs, the latest on top. */
export const openDialogs = new Store<readonly OpenDialog[]>([])
let nextId = 1

/** The dialog that a component belongs to, so that closing it does not close another one. */
export const DialogId = createContext<number | undefined>(undefined)

/** Shows a dialog above the page. It is drawn by `draw` until `closeDialog`. */
export function openDialog(draw: () => VNode, address?: string): void {
  openDialogs.update((list) => [...list, { id: nextId++, draw, address }])
}

/** Closes that dialog, or the one on top. */
export function closeDialog(id?: number): void {
  openDialogs.update((list) => (id === undefined ? list.slice(0, -1) : list.filter((dialog) => dialog.id !== id)))
}

/** Shows another dialog in place of the one on top. */
export function replaceDialog(draw: () => VNode): void {
  closeDialog()
  openDialog(draw)
}

/** All dialogs that are open, the latest on top. */
export function Dialogs() {
  const list = useStore(openDialogs, (value) => value)
  return (
    <div class="dialogs">
      {list.map(({ id, draw: Draw }) => (
        <DialogId.Provider key={id} value={id}>
          <Draw />
        </DialogId.Provider>
      ))}
    </div>
  )
}
