import { openDialogs } from './dialogs.tsx'

/** The entry of the history that is shown, to recognize where a step through it began. */
let shown = { depth: 0, hash: '', isOfDialog: false }
/** The address of the page below all dialogs. */
let pageHash = ''
let isScheduled = false

/**
 * Back closes the dialog on top: each open dialog has an entry of its own in the history of the browser, with the
 * number of open dialogs as its state. A dialog that is closed otherwise leaves its entry as a duplicate of the one
 * before, which Back skips: leaving it at once would race with the next navigation.
 */
export function followDialogs(): void {
  if (entryDepth() > 0) history.replaceState({ dialogs: 0 }, '') // of a dialog that a reload has closed
  rememberEntry()
  openDialogs.subscribe(schedule)
  addEventListener('popstate', onStep)
}

/** Whether the current entry is that of a dialog that has been closed, so that the next page may take it. */
export function isDialogEntry(): boolean {
  return isOfDialog() && openDialogs.get().length === 0
}

function isOfDialog(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'dialogs' in state
}

function entryDepth(): number {
  const state: unknown = history.state
  return isOfDialog() ? Number((state as { readonly dialogs: unknown }).dialogs) : 0
}

/** To be called whenever the address of the current entry was replaced. */
export function rememberEntry(): void {
  shown = { depth: entryDepth(), hash: location.hash, isOfDialog: isOfDialog() }
}

/** Another address for what the dialog on top shows. */
export function replaceDialogAddress(address: string): void {
  history.replaceState(history.state, '', address)
  rememberEntry()
}

function onStep(): void {
  const [depth, open] = [entryDepth(), shownDialogs()]
  // The step may come before the entry of a dialog that was just closed is reconciled.
  const before = shown.depth > open ? { ...shown, depth: open, hash: addressAt(open) } : shown
  rememberEntry()
  if (depth < open) closeAbove(depth)
  else if (depth > open) history.replaceState({ dialogs: open }, '') // Forward to a dialog that is closed
  else if (isDuplicate(before)) history.back()
}

/** One of the two entries is that of a closed dialog. A link to the address that is shown leads to no duplicate. */
function isDuplicate(before: typeof shown): boolean {
  return (before.isOfDialog || isOfDialog()) && entryDepth() === before.depth && location.hash === before.hash
}

/** In a task of its own: a dialog that replaces another takes over its entry. */
function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setTimeout(() => {
    isScheduled = false
    reconcile()
    rememberEntry()
  })
}

function reconcile(): void {
  const [list, depth] = [openDialogs.get(), entryDepth()]
  if (depth === 0 && list.length === 0) return
  if (depth === 0) pageHash = location.hash
  if (list.length <= depth) history.replaceState({ dialogs: list.length }, '', addressAt(list.length))
  for (let index = depth; index < list.length; index++) {
    const state = { dialogs: index + 1 }
    if (index === 0 && isOfDialog()) history.replaceState(state, '', addressAt(index + 1))
    else history.pushState(state, '', addressAt(index + 1))
  }
}

/** The address with that many dialogs open. */
function addressAt(depth: number): string {
  return openDialogs.get()[depth - 1]?.address ?? pageHash
}

/** Without those that were just closed: the event that removes them from the list is a task of its own. */
function shownDialogs(): number {
  const elements = dialogElements()
  const closed = elements.length - 1 - elements.findLastIndex((element) => element.open)
  return openDialogs.get().length - closed
}

/** By their elements, as if the user had closed them: a question is answered, edits are dropped. */
function closeAbove(depth: number): void {
  for (const element of dialogElements().slice(depth).reverse()) element.close()
}

const dialogElements = () => [...document.querySelectorAll<HTMLDialogElement>('.dialogs > dialog')]
