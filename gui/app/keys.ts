import { KeyChord, type KeyAction } from '../view-model/key-chord.ts'
import { live } from '../live/live.ts'
import { openCommands } from './commands.tsx'
import { openKeys } from './keys-help.tsx'
import { goTo } from '../base/route.ts'
import { latestUndo } from './toasts.tsx'

/** Listens to the keys that work everywhere, for as long as the page is open. */
export function listenToKeys(): void {
  const chord = new KeyChord()
  addEventListener('keydown', (event) => {
    // Keys do not act while a dialog is open or the page is locked.
    if (
      event.defaultPrevented ||
      event.isComposing ||
      live.get().link === 'locked' ||
      document.querySelector('dialog[open]') !== null
    )
      return
    const action = chord.press({
      key: event.key,
      ctrl: event.ctrlKey || event.metaKey,
      alt: event.altKey,
      typing: isField(event.target),
      atMs: event.timeStamp,
    })
    if (action === undefined) return
    event.preventDefault()
    fulfil(action)
  })
}

function fulfil(action: KeyAction): void {
  switch (action.kind) {
    case 'go':
      return goTo(...(action.place === '' ? [] : [action.place]))
    case 'commands':
      return openCommands()
    case 'help':
      return openKeys()
    case 'undo':
      return latestUndo()?.run()
    case 'search':
      return search()
  }
}

/** The search of the page that is shown; where there is none, that of the commands. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]')
  if (field === null) openCommands()
  else field.focus()
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable]') !== null
  )
}
