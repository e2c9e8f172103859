import { createContext, type VNode } from 'preact'
import { Store, useStore } from '../live/store.ts'

interface OpenDialog {
  readonly id: number
  readonly draw: () => VNode
}

const open = new Store<readonly OpenDialog[]>([])
let nextId = 1

/** The dialog that a component belongs to, so that closing it does not close another one. */
export const DialogId = createContext<number | undefined>(undefined)

/** Shows a dialog above the page. It is drawn by `draw` until `closeDialog`. */
export function openDialog(draw: () => VNode): void {
  open.update((list) => [...list, { id: nextId++, draw }])
}

/** Closes that dialog, or the one on top. */
export function closeDialog(id?: number): void {
  open.update((list) => (id === undefined ? list.slice(0, -1) : list.filter((dialog) => dialog.id !== id)))
}

/** All dialogs that are open, the latest on top. */
export function Dialogs() {
  const list = useStore(open, (value) => value)
  return (
    <>
      {list.map(({ id, draw: Draw }) => (
        <DialogId.Provider key={id} value={id}>
          <Draw />
        </DialogId.Provider>
      ))}
    </>
  )
}
